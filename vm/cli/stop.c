#include "cli/stop.h"

#include <signal.h>
#include <stddef.h>

static const int SIGNAL[] = {SIGINT, SIGTERM, SIGHUP};
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

enum pto_status cli_run(struct pto_vm *vm, int *by)
{
    struct sigaction before[SIGNALS];
    enum pto_status status;

    stopped_by = 0;
    running = vm;
    catch_signals(before);
    status = pto_vm_run(vm);
    running = NULL;
    for (int i = 0; i < SIGNALS; i++)
        sigaction(SIGNAL[i], &before[i], NULL);
    *by = stopped_by;
    if (*by && *by != SIGPIPE && (status != PTO_OK || pto_vm_finished(vm))) {
        raise(*by); /* it came too late to cut anything off */
        *by = 0;
    }
    return status;
}
