#include "cli/stop.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

#include "cli/faults.h"
#include "data/host.h"

static const int SIGNAL[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM};
enum { SIGNALS = sizeof SIGNAL / sizeof *SIGNAL };

enum {
    LOOKS_A_SECOND = 10,  /* at the clock and at the memory ... */
    MOST_LOOKS = 200,     /* ... or more, if the run is to be kept so often */
    SILENT_SECONDS = 2    /* before the first word about progress */
};

/* Beside the machine: the program, its source text, what libraries hold. */
static const uint64_t PROGRAM_BYTES = UINT64_C(16) << 20;

/* A handler has no context: the machine under way, its limits, and what stopped it. */
static struct pto_vm *running;
static volatile sig_atomic_t stopped_by;
static struct timespec deadline;
static uint64_t most_bytes; /* resident */
static unsigned looks;      /* since the run began */
static volatile sig_atomic_t wants_to_tell, wants_to_keep;
static const struct cli_keeping *keeping; /* NULL: nobody keeps the run */
static struct timespec keep_at;           /* 0: never by itself */
static volatile sig_atomic_t kept_last;   /* what was asked to end has been kept */
static unsigned looks_a_second;
static bool tells;          /* does anybody want to know how far the run is? */
static bool in_series;      /* of runs that a signal ends together */
static bool shared;         /* by processes, of which each gets the signal when it comes to it */
static struct sigaction usual[SIGNALS]; /* what signals do when nothing runs */

/* Did somebody ask the program to end? */
static bool is_asked(int by)
{
    return by == SIGINT || by == SIGTERM || by == SIGHUP || by == SIGUSR1;
}

/* A run that is kept ends where it can go on. */
static void stop(int signal_number)
{
    if (!running && !in_series && !shared)
        return;
    if (!stopped_by)
        stopped_by = signal_number;
    if (running && keeping && !kept_last && (is_asked(signal_number) || signal_number == SIGALRM))
        pto_vm_rest(running);
    else if (running)
        pto_vm_pause(running);
}

void cli_stop(void)
{
    stop(SIGPIPE);
}

static bool is_past(const struct timespec *now, const struct timespec *when)
{
    return when->tv_sec && (now->tv_sec > when->tv_sec || (now->tv_sec == when->tv_sec &&
                                                           now->tv_nsec >= when->tv_nsec));
}

/* Is called by a signal handler: clock_gettime, open, read and close may be. */
static void look(int signal_number)
{
    int before = errno;
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (stopped_by) /* it came before the machine began to run, which forgets it */
        stop(signal_number);
    else if (is_past(&now, &deadline))
        stop(signal_number);
    else if (most_bytes && cli_host_resident() > most_bytes)
        stop(CLI_STOPPED_MEMORY);
    else if (running && is_past(&now, &keep_at)) {
        wants_to_keep = 1;
        pto_vm_rest(running);
    } else if (tells && running && ++looks >= SILENT_SECONDS * looks_a_second &&
               looks % looks_a_second == 0) {
        wants_to_tell = 1;
        pto_vm_rest(running);
    }
    errno = before;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = shared ? 0 : (int)SA_RESETHAND};
    struct sigaction again = {.sa_handler = look, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    sigemptyset(&again.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(SIGNAL[i], NULL, &usual[i]);
        if (usual[i].sa_handler != SIG_IGN)
            sigaction(SIGNAL[i], SIGNAL[i] == SIGALRM ? &again : &action, NULL);
    }
}

static void let_signals_go(void)
{
    signal(SIGALRM, SIG_IGN); /* drops a look that is still on its way */
    for (int i = 0; i < SIGNALS; i++)
        sigaction(SIGNAL[i], &usual[i], NULL);
}

void cli_series_begin(void)
{
    stopped_by = 0;
    in_series = true;
    catch_signals();
}

int cli_series_asked(void)
{
    return is_asked(stopped_by) ? stopped_by : 0;
}

int cli_series_end(void)
{
    in_series = false;
    let_signals_go();
    return cli_series_asked();
}

void cli_stop_share(void)
{
    shared = true;
    stopped_by = 0;
    catch_signals();
}

/* 0: never. */
static struct timespec in_time(uint64_t ps)
{
    const uint64_t second_ps = UINT64_C(1000000000000);
    struct timespec when = {0};

    if (!ps)
        return when;
    clock_gettime(CLOCK_MONOTONIC, &when);
    when.tv_sec += (time_t)(ps / second_ps);
    when.tv_nsec += (long)(ps % second_ps / 1000);
    when.tv_sec += when.tv_nsec / 1000000000;
    when.tv_nsec %= 1000000000;
    return when;
}

static void set_limits(const struct cli_limits *limits)
{
    uint64_t host;

    deadline = in_time(limits->timeout_ps);
    keeping = limits->keeping;
    keep_at = in_time(keeping ? keeping->every_ps : 0);
    kept_last = 0;
    host = limits->memory ? 0 : cli_host_memory("");
    most_bytes = limits->memory ? limits->memory + PROGRAM_BYTES
                 : host         ? host - host / 16 + cli_host_resident()
                                : 0;
}

/* Look every now and then, or not any more. */
static void set_timer(bool on)
{
    const struct timeval period = {.tv_usec = 1000000 / looks_a_second}, never = {0};
    const struct itimerval timer = {on ? period : never, on ? period : never};

    setitimer(ITIMER_REAL, &timer, NULL);
}

/* The machine rests: keep it, if that is why.  Processes rest together, for whatever reason one of
 * them has. */
static void keep(void)
{
    bool ends = stopped_by != 0;

    if (!wants_to_keep && !ends && !keeping->together)
        return;
    wants_to_keep = 0;
    keep_at = (struct timespec){0};
    keeping->keep(keeping->context);
    kept_last = ends;
    keep_at = in_time(keeping->every_ps);
}

/* Run on after every rest; whoever was stopped and runs together with others ends with them. */
static enum pto_status run_on(struct pto_vm *vm, const struct cli_progress *progress)
{
    enum pto_status status;
    bool rests;

    do {
        wants_to_tell = 0;
        status = pto_vm_run(vm);
        rests = pto_vm_rests(vm);
        if (rests && keeping)
            keep();
        if (rests && stopped_by) /* else a short run would be over before the next look */
            pto_vm_stop(vm);
        if (wants_to_tell && rests && !stopped_by)
            progress->tell(progress->context, vm, (double)looks / looks_a_second);
    } while (rests && (!stopped_by || (keeping && keeping->together)));
    return status;
}

static unsigned looks_for(const struct cli_keeping *who)
{
    const uint64_t second_ps = UINT64_C(1000000000000);
    uint64_t often = who && who->every_ps ? second_ps / who->every_ps : 0;

    return often > MOST_LOOKS ? MOST_LOOKS : often > LOOKS_A_SECOND ? (unsigned)often
                                                                    : LOOKS_A_SECOND;
}

void cli_host_stop(struct cli_host_stop *host)
{
    struct pto_vm *vm;

    atomic_fetch_add(&host->asking, 1);
    atomic_store(&host->asked, true);
    vm = atomic_load(&host->running);
    if (vm)
        pto_vm_stop(vm);
    atomic_fetch_sub(&host->asking, 1);
}

/* Whoever asks sees the machine, or is seen before it begins; and has let go of it before anybody
 * can give it back. */
static enum pto_status run_for_host(struct pto_vm *vm, struct cli_host_stop *host, int *by)
{
    enum pto_status status = PTO_OK;

    atomic_store(&host->running, vm);
    if (!atomic_load(&host->asked))
        status = pto_vm_run(vm);
    atomic_store(&host->running, NULL);
    while (atomic_load(&host->asking))
        sched_yield();
    *by = atomic_load(&host->asked) && status == PTO_OK && !pto_vm_finished(vm) ? SIGINT : 0;
    return status;
}

enum pto_status cli_run(struct pto_vm *vm, const struct cli_limits *limits, int *by)
{
    enum pto_status status;

    if (limits->host)
        return run_for_host(vm, limits->host, by);
    if (!(in_series || shared) || !is_asked(stopped_by))
        stopped_by = 0;
    looks = 0;
    tells = limits->progress != NULL;
    looks_a_second = looks_for(limits->keeping);
    running = vm;
    set_limits(limits);
    if (!in_series && !shared)
        catch_signals();
    set_timer(true);
    /* of processes no one stays behind: who has been asked before stops at the first look */
    status = is_asked(stopped_by) && !shared ? PTO_OK : run_on(vm, limits->progress);
    set_timer(false);
    running = NULL;
    if (!in_series && !shared)
        let_signals_go();
    *by = stopped_by;
    if (*by && *by != SIGPIPE && (status != PTO_OK || pto_vm_finished(vm)) &&
        !(in_series && is_asked(*by))) {
        if (is_asked(*by) && !shared)
            raise(*by); /* it came too late to cut anything off */
        *by = 0;
    }
    return status;
}

void cli_stop_tell(int by, const struct cli_limits *limits, FILE *stream)
{
    char time[CLI_TIME_BYTES];

    if (by == SIGPIPE)
        fprintf(stream, "error: cannot write to standard output\n");
    else if (by == SIGALRM)
        fprintf(stream, "error: the run takes more than %s of this host's time\n"
                        "  hint: --timeout sets the limit\n",
                cli_time_text(limits->timeout_ps, time));
    else if (by == CLI_STOPPED_MEMORY)
        fprintf(stream, "error: the run takes more than %.1f MiB of this host's memory\n"
                        "  hint: --max-memory sets the limit\n", (double)most_bytes / (1 << 20));
    else
        fprintf(stream, "interrupted\n");
}

void cli_series_tell(int by, unsigned runs, const char *called, const struct cli_limits *limits,
                     FILE *stream)
{
    if (is_asked(by))
        fprintf(stream, "interrupted after %u %s%s\n", runs, called, runs == 1 ? "" : "s");
    else
        cli_stop_tell(by, limits, stream);
}
