#include "dbg/findings.h"

#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "cli/findings.h"
#include "tool/number.h"
#include "dbg/issue.h"
#include "dbg/source.h"

/* ---- while the machine runs ---- */

/* The number of the entry that the pipe is completing, if it is this instruction. */
static uint64_t entry_at_work(const struct dbg *dbg, const struct pto_event *event)
{
    struct pto_queue_entry entry;

    if (event->pipe == PTO_PIPE_S ||
        !pto_vm_queue(dbg->launch.vm, event->rank, event->core, event->pipe, 0, &entry))
        return 0;
    return entry.insn == event->insn ? entry.number : 0;
}

static struct pto_event event_of(const struct dbg *dbg, enum pto_finding_kind kind,
                                 const struct pto_finding_access *access)
{
    struct pto_event event = {
        .kind = DBG_EV_FINDING,
        .pipe = (uint8_t)dbg_find_pipe(access->pipe, strlen(access->pipe)),
        .flag_id = (uint8_t)kind,
        .rank = access->rank,
        .core = (unsigned)dbg_find_core(dbg, access->core, strlen(access->core)),
        .time_ps = access->time_ps,
        .insn = access->insn,
        .module = access->module,
        .value = pto_check_found(dbg->check),
    };

    event.entry = entry_at_work(dbg, &event);
    return event;
}

/* What a party that did its work before was issued with. */
static struct dbg_issue *issue_before(const struct dbg *dbg,
                                      const struct pto_finding_access *access)
{
    for (uint64_t back = 0; back < DBG_HISTORY && back < dbg->events; back++) {
        const struct dbg_record *record = &dbg->history[(dbg->events - back) % DBG_HISTORY];

        if (record->event.insn == access->insn && record->event.rank == access->rank &&
            record->event.time_ps == access->time_ps && record->event.kind != PTO_EV_ISSUE)
            return issue_share(record->issue);
    }
    return NULL;
}

/* What the machine is about to do is an event of the party that comes second in time. */
static void on_found(void *context, enum pto_finding_kind kind,
                     const struct pto_finding_access access[2])
{
    struct dbg *dbg = context;
    unsigned number = pto_check_found(dbg->check);
    unsigned at = access[0].present && access[0].time_ps > access[1].time_ps ? 0 : 1;
    struct pto_event event = event_of(dbg, kind, &access[at]);
    struct dbg_found *found;

    if (number > dbg->founds) {
        PTO_GROW(dbg->found, dbg->founds, dbg->found_capacity);
        found = &dbg->found[dbg->founds++];
        *found = (struct dbg_found){.event = dbg->events + 1};
        found->issue[at] = issue_of_event(dbg, &event);
        if (access[!at].present)
            found->issue[!at] = issue_before(dbg, &access[!at]);
    }
    dbg->observer(dbg, &event);
}

enum pto_status findings_attach(struct dbg *dbg, pto_observer *observer)
{
    dbg->observer = observer;
    if (!dbg->options->check)
        return PTO_OK;
    PTO_TRY(pto_check_attach(dbg->launch.vm, &dbg->check));
    pto_check_listen(dbg->check, on_found, dbg);
    dbg->concluded = false;
    return PTO_OK;
}

void findings_detach(struct dbg *dbg)
{
    pto_check_free(dbg->check);
    dbg->check = NULL;
}

void findings_conclude(struct dbg *dbg, bool tell)
{
    if (!dbg->check || dbg->concluded)
        return;
    dbg->concluded = true;
    pto_check_listen(dbg->check, NULL, NULL);
    pto_check_finish(dbg->check);
    if (!tell)
        return;
    if (findings_count(dbg) > 0)
        findings_info(dbg, "");
    else
        dbg_say(dbg, "The checker has found nothing.\n");
}

/* Their events ascend. */
void findings_cut(struct dbg *dbg, uint64_t event)
{
    while (dbg->founds > 0 && dbg->found[dbg->founds - 1].event > event) {
        dbg->founds--;
        for (int p = 0; p < 2; p++)
            issue_drop(dbg->found[dbg->founds].issue[p]);
    }
}

void findings_forget(struct dbg *dbg)
{
    findings_cut(dbg, 0);
    free(dbg->found);
}

/* ---- what was found ---- */

unsigned findings_count(const struct dbg *dbg)
{
    const struct pto_finding *findings;

    if (!dbg->check)
        return 0;
    return dbg->concluded ? pto_check_findings(dbg->check, &findings)
                          : pto_check_found(dbg->check);
}

uint64_t findings_event(const struct dbg *dbg, unsigned number)
{
    return number > 0 && number <= dbg->founds ? dbg->found[number - 1].event : 0;
}

static struct pto_finding get(struct dbg *dbg, unsigned number)
{
    const struct pto_finding *findings;
    struct pto_finding finding;

    if (dbg->concluded) {
        pto_check_findings(dbg->check, &findings);
        return findings[number - 1];
    }
    pto_check_so_far(dbg->check, number - 1, &finding);
    return finding;
}

bool findings_time(struct dbg *dbg, unsigned number, uint64_t *time_ps)
{
    struct pto_finding finding;

    if (number == 0 || number > findings_count(dbg))
        return false;
    finding = get(dbg, number);
    *time_ps = 0;
    for (int p = 0; p < 2; p++)
        if (finding.access[p].present && finding.access[p].time_ps > *time_ps)
            *time_ps = finding.access[p].time_ps;
    return true;
}

static void say_party(struct dbg *dbg, const struct pto_finding *f, unsigned number, unsigned p)
{
    const struct pto_finding_access *access = &f->access[p];
    struct pto_buf party = {0};
    struct dbg_place place;

    if (!access->present)
        return;
    dbg_say(dbg, p == 1 ? "  here: " : "  other: ");
    if (access->insn && source_place_of_insn(dbg, access->insn, &place))
        source_say_issued(dbg, &place,
                          number <= dbg->founds ? dbg->found[number - 1].issue[p] : NULL);
    else
        dbg_say(dbg, "%s", access->mnemonic);
    if (f->bytes > 0)
        dbg_say(dbg, " %s bytes %llu to %llu of %s", cli_access_verb(access),
                (unsigned long long)f->offset, (unsigned long long)(f->offset + f->bytes - 1),
                f->where);
    cli_party_text(access, &party);
    dbg_say(dbg, " on %s", pto_buf_text(&party));
    pto_buf_free(&party);
    if (cli_access_pos(access)) {
        dbg_say(dbg, " (");
        source_say_position(dbg, access->module, cli_access_pos(access));
        dbg_say(dbg, ")");
    }
    dbg_say(dbg, "\n");
}

void findings_say(struct dbg *dbg, unsigned number)
{
    struct pto_finding f = get(dbg, number);

    dbg_say(dbg, "finding %u: %s [%s]\n", number, f.message, pto_finding_name(f.kind));
    say_party(dbg, &f, number, 1);
    say_party(dbg, &f, number, 0);
    if (f.ordered)
        dbg_say(dbg, "  order: %s\n", f.ordered);
    if (f.advice.text)
        dbg_say(dbg, "  advice: %s\n", f.advice.text);
}

static void say_row(struct dbg *dbg, unsigned number)
{
    struct pto_finding f = get(dbg, number);
    const struct pto_pos *pos = cli_access_pos(&f.access[1]);

    dbg_say(dbg, "%3u  ", number);
    if (pos) {
        source_say_position(dbg, f.access[1].module, pos);
        dbg_say(dbg, ": ");
    }
    dbg_say(dbg, "%s [%s]", f.message, pto_finding_name(f.kind));
    if (findings_event(dbg, number) > 0)
        dbg_say(dbg, ", event %llu", (unsigned long long)findings_event(dbg, number));
    if (f.count > 1)
        dbg_say(dbg, ", %llu times", (unsigned long long)f.count);
    dbg_say(dbg, "\n");
}

static void say_list(struct dbg *dbg)
{
    unsigned count = findings_count(dbg);

    for (unsigned i = 1; i <= count; i++)
        say_row(dbg, i);
    if (count == 0)
        dbg_say(dbg, "No findings up to here.\n");
    if (dbg->founds > count)
        dbg_say(dbg, "%u more lie ahead: 'goto finding %u'\n", dbg->founds - count, count + 1);
}

bool findings_info(struct dbg *dbg, const char *args)
{
    uint64_t number;

    if (!dbg->check)
        return dbg_error(dbg, "start ptodbg with --check", "the checker does not watch this run");
    if (dbg_word(&args) == 0) {
        say_list(dbg);
        return true;
    }
    if (!dbg_count(dbg, args, &number))
        return false;
    if (number > findings_count(dbg))
        return dbg_error(dbg, "'info findings' lists them", "there is no finding %llu up to here",
                         (unsigned long long)number);
    findings_say(dbg, (unsigned)number);
    return true;
}
