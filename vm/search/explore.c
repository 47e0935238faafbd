#include "search/explore.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "cli/again.h"
#include "cli/faults.h"
#include "cli/files.h"
#include "cli/schedule.h"
#include "cli/stop.h"
#include "data/host.h"
#include "file.h"
#include "search/explore_results.h"
#include "version.h"

enum {
    SLOW_FACTOR = 16,
    FAR = 4,               /* run times that a delayed act comes behind all others */
    MARGIN_PS = 1000,      /* how far behind the other one a delayed act comes, at least */
    MOST_CANDIDATES = 1 << 14
};

/* A schedule to try. */
struct candidate {
    struct cli_schedule schedule;
    uint64_t pairs; /* a hash of the contests that it has turned round, in any order */
};

struct candidates {
    struct candidate *item;
    unsigned count, capacity, next;
};

/* Numbers that have been seen. */
struct seen {
    uint64_t *slot;
    uint32_t count, slots;
};

struct explore {
    struct cli_options options; /* with a limit on instructions once the first run is known */
    struct cli_launch *launch;
    struct pto_diags *diags;
    struct pto_buf *text;
    struct cli_json json; /* in the list of what was found */
    struct candidates fresh, others; /* fresh: contests at places in the text that are new */
    struct candidates again;         /* the same contests in another order of events: come last */
    struct seen orders, places, tried, turned;
    struct explore_results results;
    unsigned runs, saved;
    int stopped_by;
    double end; /* of this host's clock */
    enum exit_code worst;
};

/* ---- numbers ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 29;
}

static uint64_t *find_seen(uint64_t *slot, uint32_t slots, uint64_t number)
{
    uint64_t at = mix(7, number);

    while (slot[at & (slots - 1)] && slot[at & (slots - 1)] != number)
        at++;
    return &slot[at & (slots - 1)];
}

/* Is the number new? */
static bool is_new(struct seen *seen, uint64_t number)
{
    uint64_t *slot;

    number = number ? number : 1;
    if (2 * seen->count >= seen->slots) {
        uint32_t slots = seen->slots ? 2 * seen->slots : 256;
        uint64_t *table = pto_xcalloc(slots, sizeof *table);

        for (uint32_t i = 0; i < seen->slots; i++)
            if (seen->slot[i])
                *find_seen(table, slots, seen->slot[i]) = seen->slot[i];
        free(seen->slot);
        seen->slot = table;
        seen->slots = slots;
    }
    slot = find_seen(seen->slot, seen->slots, number);
    if (*slot)
        return false;
    *slot = number;
    seen->count++;
    return true;
}

/* ---- candidates ---- */

static struct candidate *add_candidate(struct candidates *list, const struct candidate *parent)
{
    struct candidate *child;

    PTO_GROW(list->item, list->count, list->capacity);
    child = &list->item[list->count++];
    cli_schedule_copy(&parent->schedule, &child->schedule);
    child->pairs = parent->pairs;
    return child;
}

static void add_slow_ranks(struct explore *e, const struct candidate *parent)
{
    for (int rank = 0; rank < e->options.ranks && e->options.ranks > 1; rank++)
        cli_schedule_slow(&add_candidate(&e->fresh, parent)->schedule,
                          (struct pto_slow_rank){.rank = rank, .factor = SLOW_FACTOR});
}

static uint64_t hash_act(const struct pto_contest_act *act)
{
    return mix(mix(mix(3, (uint64_t)act->rank), act->core), act->act);
}

static uint64_t hash_place(const struct pto_contest_act *act)
{
    return mix(mix(mix(5, (uint64_t)act->rank), (uint64_t)(uintptr_t)act->module),
               (uint64_t)(uint32_t)act->pos);
}

static void add_delayed(struct candidates *list, const struct candidate *parent, uint64_t pair,
                        const struct pto_contest_act *act, uint64_t until)
{
    uint64_t apart = until > act->time_ps ? until - act->time_ps : 0;
    struct candidate *child = add_candidate(list, parent);

    child->pairs += pair;
    cli_schedule_delay(&child->schedule,
                       &(struct pto_delay){act->rank, act->core, act->act,
                                           apart + apart / 8 + MARGIN_PS});
}

/* Let the second of a contest come first.  At a place in the text that is new, in this order, the
 * first is tried far behind all others, too: one poll more or less makes no difference to most
 * programs.  Where the same contests have been turned round before, in the run of another schedule,
 * it may have been between other events: that is tried when nothing else is left. */
static void turn_round(struct explore *e, const struct candidate *parent, uint64_t order,
                       const struct pto_contest *contest)
{
    const struct pto_contest_act *first = &contest->first, *second = &contest->second;
    uint64_t pair = hash_act(first) + hash_act(second);
    bool fresh = is_new(&e->places, mix(mix(9, hash_place(first)), hash_place(second)));
    struct candidates *list = fresh ? &e->fresh : &e->others;

    if (!is_new(&e->turned, mix(mix(13, order), pair)))
        return;
    if (!is_new(&e->tried, parent->pairs + pair)) {
        fresh = false;
        list = &e->again;
    }
    if (list->count >= MOST_CANDIDATES)
        return;
    add_delayed(list, parent, pair, first, second->time_ps);
    if (fresh)
        add_delayed(list, parent, pair, first, FAR * pto_vm_time(e->launch->vm));
}

static bool take(struct candidates *list, struct candidate *taken)
{
    if (list->next == list->count)
        return false;
    *taken = list->item[list->next];
    memset(&list->item[list->next++], 0, sizeof *taken);
    return true;
}

static void free_candidates(struct candidates *list)
{
    for (unsigned i = list->next; i < list->count; i++)
        cli_schedule_free(&list->item[i].schedule);
    free(list->item);
}

/* ---- one run ---- */

/* Write the schedule, and tell what the file is called. */
static void save(struct explore *e, const struct candidate *candidate)
{
    struct pto_buf path = {0}, text = {0};
    const char *why = "";
    char *taken;

    pto_buf_printf(&path, "%s-%u.txt", e->options.save_prefix, ++e->saved);
    taken = cli_files_taken(&e->options, e->launch, pto_buf_text(&path));
    cli_schedule_text(&e->options, e->launch, &candidate->schedule, &text);
    cli_json_text(&e->json, "schedule", pto_buf_text(&path));
    if (taken)
        pto_diag_add(e->diags, PTO_ERROR, NULL, 0, 0, "--save %s: '%s' would replace %s",
                     e->options.save_prefix, pto_buf_text(&path), taken);
    else if (pto_file_write(pto_buf_text(&path), text.data, text.size, &why) == PTO_OK)
        pto_buf_printf(e->text, "  replay: --schedule %s\n", pto_buf_text(&path));
    else
        pto_diag_add(e->diags, PTO_ERROR, NULL, 0, 0, "cannot write '%s': %s",
                     pto_buf_text(&path), why);
    free(taken);
    pto_buf_free(&path);
    pto_buf_free(&text);
}

static bool is_worse(enum exit_code a, enum exit_code b)
{
    static const enum exit_code ORDER[] = {EXIT_DONE, EXIT_MISMATCH, EXIT_LIMIT, EXIT_PROGRAM,
                                           EXIT_DEADLOCK};
    int rank[2] = {0, 0};

    for (int i = 0; i < (int)(sizeof ORDER / sizeof *ORDER); i++) {
        rank[0] = ORDER[i] == a ? i : rank[0];
        rank[1] = ORDER[i] == b ? i : rank[1];
    }
    return rank[0] > rank[1];
}

/* A way to end that is new becomes one of those found. */
static void judge(struct explore *e, const struct candidate *candidate, enum pto_status status)
{
    bool ok = status == PTO_OK;
    enum exit_code code = ok ? EXIT_MISMATCH : cli_exit_of(status);

    if (ok ? !explore_results_differ(&e->results, e->launch->vm)
           : !explore_results_failed(&e->results, e->launch->vm))
        return;
    cli_json_open(&e->json, NULL, '{');
    if (ok) {
        explore_results_compare(&e->results, e->launch->vm, e->text, &e->json);
    } else {
        cli_fault_json(pto_vm_fault(e->launch->vm), "fault", &e->json);
        cli_fault_text(pto_vm_fault(e->launch->vm), NULL, false, e->text);
    }
    save(e, candidate);
    cli_json_close(&e->json, '}');
    if (is_worse(code, e->worst))
        e->worst = code;
}

/* Contests of an order of events that is new lead to further schedules. */
static void expand(struct explore *e, const struct candidate *candidate,
                   const struct pto_check *check)
{
    const struct pto_contest *contest;
    unsigned contests = pto_check_contests(check, &contest);
    uint64_t order = pto_check_order(check);

    if (!is_new(&e->orders, order))
        return;
    for (unsigned i = 0; i < contests; i++)
        turn_round(e, candidate, order, &contest[i]);
}

static enum pto_status try_candidate(struct explore *e, const struct candidate *candidate)
{
    const struct cli_machine_options silent = {0};
    struct pto_check *check = NULL;
    enum pto_status status;

    e->launch->schedule = &candidate->schedule;
    status = cli_launch(&e->options, &silent, e->launch, e->diags);
    if (status == PTO_OK)
        status = pto_check_attach(e->launch->vm, &check);
    if (status == PTO_OK) {
        struct cli_limits limits = e->options.limits;
        enum pto_status ended;

        limits.timeout_ps = cli_host_time_left(e->end);
        pto_check_watch_contests(check);
        ended = cli_run(e->launch->vm, &limits, &e->stopped_by);
        e->runs += !e->stopped_by;
        if (!e->stopped_by) {
            judge(e, candidate, ended);
            expand(e, candidate, check);
        }
        if (e->runs == 1)
            cli_again_limit(&e->options, e->launch->vm);
        pto_check_free(check);
    }
    pto_vm_free(e->launch->vm);
    e->launch->vm = NULL;
    return status;
}

/* ---- all runs ---- */

static unsigned schedules_left(const struct explore *e)
{
    return e->fresh.count - e->fresh.next + e->others.count - e->others.next + e->again.count -
           e->again.next;
}

static void summarise(struct explore *e)
{
    unsigned left = schedules_left(e);
    struct pto_buf *out = e->text;

    pto_buf_printf(out, "explored      %u run%s, %u order%s of events", e->runs,
                   e->runs == 1 ? "" : "s", e->orders.count, e->orders.count == 1 ? "" : "s");
    if (left)
        pto_buf_printf(out, "; %u schedule%s left", left, left == 1 ? "" : "s");
    pto_buf_printf(out, "\nfound         ");
    if (e->saved)
        pto_buf_printf(out, "%u way%s to end that differ%s\n", e->saved,
                       e->saved == 1 ? "" : "s", e->saved == 1 ? "s" : "");
    else
        pto_buf_printf(out, "all end alike%s, with the same results\n",
                       e->stopped_by && e->stopped_by != SIGALRM ? " so far" : "");
}

/* The report for programs: schema docs/schema/explore.schema.json. */
static void begin_report(struct cli_json *json)
{
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "schema", "pto-explore/1");
    cli_json_text(json, "tool", "ptovm");
    cli_json_text(json, "version", pto_version());
    cli_json_open(json, "found", '[');
}

static void end_report(struct explore *e, enum exit_code code)
{
    cli_json_close(&e->json, ']');
    cli_json_uint(&e->json, "runs", e->runs);
    cli_json_uint(&e->json, "orders", e->orders.count);
    cli_json_uint(&e->json, "schedules_left", schedules_left(e));
    cli_json_int(&e->json, "exit_code", code);
    cli_json_close(&e->json, '}');
}

static enum pto_status run_all(struct explore *e, const struct cli_explore_progress *progress)
{
    struct candidate candidate = {0};
    enum pto_status status;

    add_slow_ranks(e, &candidate);
    do {
        status = try_candidate(e, &candidate);
        cli_schedule_free(&candidate.schedule);
        if (progress->tell)
            progress->tell(progress->context, e->runs, e->options.explore_runs, e->saved);
    } while (status == PTO_OK && !e->stopped_by && e->runs < e->options.explore_runs &&
             cli_host_time_left(e->end) > 1 &&
             (take(&e->fresh, &candidate) || take(&e->others, &candidate) ||
              take(&e->again, &candidate)));
    return status;
}

enum exit_code cli_explore(const struct cli_options *options, struct cli_launch *launch,
                           const struct cli_explore_progress *progress, struct pto_diags *diags,
                           struct pto_buf *text, struct pto_buf *json, int *stopped_by,
                           unsigned *runs)
{
    struct explore e = {
        .options = *options,
        .launch = launch,
        .diags = diags,
        .text = text,
        .json.out = json,
        .end = cli_host_seconds() + 1e-12 * (double)options->limits.timeout_ps,
    };
    enum pto_status status;
    enum exit_code code;
    int asked;

    begin_report(&e.json);
    cli_series_begin();
    status = run_all(&e, progress);
    asked = cli_series_end();
    e.stopped_by = asked ? asked : e.stopped_by;
    code = status == PTO_OK ? e.worst : cli_exit_of(status);
    *stopped_by = status == PTO_OK && (asked || e.runs == 0) ? e.stopped_by : 0;
    *runs = e.runs;
    if (status == PTO_OK && e.runs > 0)
        summarise(&e);
    if (*stopped_by || (e.stopped_by && e.stopped_by != SIGALRM))
        code = cli_exit_stopped(e.stopped_by);
    end_report(&e, code);
    launch->schedule = NULL;
    free_candidates(&e.fresh);
    free_candidates(&e.others);
    free_candidates(&e.again);
    free(e.orders.slot);
    free(e.places.slot);
    free(e.tried.slot);
    free(e.turned.slot);
    explore_results_free(&e.results);
    return code;
}
