/* A run that is ended from outside ends in order, so that its trace, report and findings up to
 * there can still be written: by signals that ask the program to end, by limits of this host's time
 * and memory, and by output that nobody takes any more. */
#ifndef PTO_CLI_STOP_H
#define PTO_CLI_STOP_H

#include <stdatomic.h>
#include <stdio.h>

#include "cli/options.h"
#include "vm.h"

enum { CLI_STOPPED_MEMORY = -1 };

/* Run the machine within the limits.  *by: 0, or what stopped it before its end: SIGINT, SIGTERM,
 * SIGHUP, SIGUSR1, SIGALRM for the time, CLI_STOPPED_MEMORY, or SIGPIPE for cli_stop.  A second
 * signal ends the program at once, as does one that comes when nothing is left to run; signals that
 * the program was told to ignore stay ignored. */
enum pto_status cli_run(struct pto_vm *vm, const struct cli_limits *limits, int *by);
/* Several runs that a signal ends together: from begin to end it is noticed between runs, too, and
 * no further one begins.  asked and end return the signal, or 0. */
void cli_series_begin(void);
int cli_series_asked(void);
int cli_series_end(void);
/* From now on, and to the end of the program: the process is one of several, and a signal is for
 * all.  It may reach this one when another has made them stop, or more than once; nothing of what
 * they leave is lost by that. */
void cli_stop_share(void);
/* Say what stopped it. */
void cli_stop_tell(int by, const struct cli_limits *limits, FILE *stream);
/* The same of a series of which so many "run"s, or what they are called, came to their end. */
void cli_series_tell(int by, unsigned runs, const char *called, const struct cli_limits *limits,
                     FILE *stream);
/* How a host program ends the runs of a job, the one under way and those to come.  Zeroed: nobody
 * has asked yet. */
struct cli_host_stop {
    _Atomic(struct pto_vm *) running;
    atomic_bool asked;
    atomic_uint asking; /* who may be about to touch `running` */
};
/* From any thread or a signal handler; such a run was stopped by SIGINT. */
void cli_host_stop(struct cli_host_stop *host);
/* To be called while cli_run runs, for instance when a line of `print` cannot be written. */
void cli_stop(void);

#endif
