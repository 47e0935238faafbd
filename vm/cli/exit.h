/* Exit statuses of ptovm. */
#ifndef PTO_CLI_EXIT_H
#define PTO_CLI_EXIT_H

#include "cli/options.h"
#include "process.h"

enum exit_code {
    EXIT_DONE = 0,
    EXIT_PROGRAM = 1,  /* assembly errors, rejected object, fault */
    EXIT_USAGE = 2,    /* options, files, shapes */
    EXIT_DEADLOCK = 3,
    EXIT_FINDINGS = CLI_EXIT_FINDINGS,
    EXIT_LIMIT = 5,
    EXIT_MISMATCH = 6, /* --expect */
    EXIT_INTERNAL = 70,
    EXIT_MEMORY = PTO_EXIT_MEMORY,
    EXIT_SIGNAL = 128 /* and the number of the signal that ended the run */
};

enum exit_code cli_exit_of(enum pto_status status);
/* Of a run that a signal stopped, see cli_run. */
enum exit_code cli_exit_stopped(int by);
/* What reports call it. */
const char *cli_exit_name(enum exit_code code);

#endif
