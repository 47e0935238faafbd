#include "cli/exit.h"

#include <signal.h>

#include "cli/stop.h"

enum exit_code cli_exit_of(enum pto_status status)
{
    switch (status) {
    case PTO_OK:
        return EXIT_DONE;
    case PTO_EPROGRAM:
        return EXIT_PROGRAM;
    case PTO_ECONFIG:
    case PTO_ESYSTEM:
        return EXIT_USAGE;
    case PTO_EDEADLOCK:
        return EXIT_DEADLOCK;
    case PTO_ELIMIT:
        return EXIT_LIMIT;
    case PTO_EMEMORY:
        return EXIT_MEMORY;
    default:
        return EXIT_INTERNAL;
    }
}

enum exit_code cli_exit_stopped(int by)
{
    if (by == CLI_STOPPED_MEMORY)
        return EXIT_MEMORY;
    if (by == SIGPIPE)
        return EXIT_USAGE;
    return by == SIGALRM ? EXIT_LIMIT : (enum exit_code)(EXIT_SIGNAL + by);
}

const char *cli_exit_name(enum exit_code code)
{
    switch (code) {
    case EXIT_DONE:
        return "ok";
    case EXIT_PROGRAM:
        return "fault";
    case EXIT_DEADLOCK:
        return "deadlock";
    case EXIT_LIMIT:
        return "limit";
    case EXIT_MISMATCH:
        return "mismatch";
    default:
        return "error";
    }
}
