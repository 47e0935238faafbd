/* A run that is ended from outside ends in order, so that its trace, report and findings up to
 * there can still be written: by signals that ask the program to end, by a limit of this host's
 * time, and by output that nobody takes any more. */
#ifndef PTO_CLI_STOP_H
#define PTO_CLI_STOP_H

#include <stdio.h>

#include "vm.h"

/* Run the machine for at most `timeout_ps` of this host's time.  *by: 0, or the signal that stopped
 * it before its end: SIGINT, SIGTERM, SIGHUP, SIGALRM for the limit, or SIGPIPE for cli_stop.  A
 * second signal ends the program at once, as does one that comes when nothing is left to run;
 * signals that the program was told to ignore stay ignored. */
enum pto_status cli_run(struct pto_vm *vm, uint64_t timeout_ps, int *by);
/* Say what stopped it. */
void cli_stop_tell(int by, uint64_t timeout_ps, FILE *stream);
/* To be called while cli_run runs, for instance when a line of `print` cannot be written. */
void cli_stop(void);

#endif
