#include "cli/stop.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

#include "cli/faults.h"

static const int SIGNAL[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
enum { SIGNALS = sizeof SIGNAL / sizeof *SIGNAL };

/* A handler has no context: the machine under way, and what stopped it. */
static struct pto_vm *running;
static volatile sig_atomic_t stopped_by;

static void stop(int signal_number)
{
    if (!running)
        return;
    if (!stopped_by)
        stopped_by = signal_number;
    pto_vm_pause(running);
}

void cli_stop(void)
{
    stop(SIGPIPE);
}

static void catch_signals(struct sigaction before[SIGNALS])
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};

    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(SIGNAL[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(SIGNAL[i], &action, NULL);
    }
}

/* Raise SIGALRM after so long; 0: never. */
static void set_timer(uint64_t ps)
{
    const uint64_t us = ps / 1000000 + (ps % 1000000 > 0);
    const struct itimerval timer = {
        .it_value = {(time_t)(us / 1000000), (suseconds_t)(us % 1000000)}};

    setitimer(ITIMER_REAL, &timer, NULL);
}

enum pto_status cli_run(struct pto_vm *vm, uint64_t timeout_ps, int *by)
{
    struct sigaction before[SIGNALS];
    enum pto_status status;

    stopped_by = 0;
    running = vm;
    catch_signals(before);
    set_timer(timeout_ps);
    status = pto_vm_run(vm);
    set_timer(0);
    running = NULL;
    for (int i = 0; i < SIGNALS; i++)
        sigaction(SIGNAL[i], &before[i], NULL);
    *by = stopped_by;
    if (*by && *by != SIGPIPE && (status != PTO_OK || pto_vm_finished(vm))) {
        if (*by != SIGALRM)
            raise(*by); /* it came too late to cut anything off */
        *by = 0;
    }
    return status;
}

void cli_stop_tell(int by, uint64_t timeout_ps, FILE *stream)
{
    char time[CLI_TIME_BYTES];

    if (by == SIGPIPE)
        fprintf(stream, "error: cannot write to standard output\n");
    else if (by == SIGALRM)
        fprintf(stream, "error: the run takes more than %s of this host's time\n"
                        "  hint: --timeout sets the limit\n", cli_time_text(timeout_ps, time));
    else
        fprintf(stream, "interrupted\n");
}
