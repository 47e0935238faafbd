/* Findings: one for every kind and pair of instructions, with a count over ranks and sub-cores. */
#include <stdlib.h>
#include <string.h>

#include "check/advice.h"
#include "check/fetches.h"
#include "check/together.h"

static const struct {
    const char *name, *meaning;
} KIND[PTO_FINDING_KINDS] = {
    [PTO_FIND_RAW] = {"race-raw", "a read does not wait for the write that it needs"},
    [PTO_FIND_WAR] = {"race-war", "a write does not wait for a read of the old bytes"},
    [PTO_FIND_WAW] = {"race-waw", "two writes to the same bytes are in no order"},
    [PTO_FIND_UNINIT] = {"uninitialised-read", "bytes are read that nobody wrote"},
    [PTO_FIND_SET_PENDING] = {"set-on-pending",
                              "set_flag is not ordered behind the wait for the token before"},
    [PTO_FIND_TOKEN_LEFT] = {"token-left",
                             "a token, a count or an asynchronous copy is never waited for"},
    [PTO_FIND_SIGNAL_REUSED] = {"signal-reused",
                                "a TWAIT is satisfied by notifies that an earlier one used up"},
    [PTO_FIND_SIGNAL_AMBIGUOUS] = {"signal-ambiguous",
                                   "another notify could have satisfied a wait, and something "
                                   "depends on the difference"},
    [PTO_FIND_COULD_HANG] = {"could-hang",
                             "a TWAIT could sleep for ever: its value can be gone before it looks"},
    [PTO_FIND_CACHE_STALE] = {"cache-stale",
                              "the cache of a scalar unit stands between a write and its reader"},
    [PTO_FIND_TILE_OVERLAP] = {"tile-overlap",
                               "a tile is read whose bytes another tile has overwritten"},
    [PTO_FIND_STALE_BYTES] = {"stale-bytes",
                              "bytes are read that an earlier load has left behind the last one"},
    [PTO_FIND_FALSE_SHARING] = {"false-sharing",
                                "two sub-cores store to different words of one cache line, and the "
                                "write-back of one undoes the store of the other"},
};

const char *pto_finding_name(enum pto_finding_kind kind)
{
    return KIND[kind].name;
}

const char *pto_finding_meaning(enum pto_finding_kind kind)
{
    return KIND[kind].meaning;
}

int pto_finding_find(const char *name)
{
    for (int i = 0; i < PTO_FINDING_KINDS; i++)
        if (!strcmp(name, KIND[i].name))
            return i;
    return -1;
}

struct party finding_party(const struct pto_check *check, check_use use)
{
    const struct access *access = &check->access[use >> 3];

    return (struct party){
        .core = access->core,
        .pc = access->pc,
        .lane = access->lane,
        .write = use & ACCESS_WRITE,
        .atomic = use & ACCESS_ATOMIC,
        .present = true,
        .code = access->code,
        .time = access->time,
    };
}

struct party finding_notify(const struct release *release)
{
    return (struct party){
        .core = release->core,
        .pc = release->pc,
        .lane = PTO_PIPE_S,
        .write = true,
        .present = true,
        .code = release->code,
        .time = release->time,
    };
}

/* Launches of one kernel share its code. */
bool finding_same_place(const struct party *a, const struct party *b)
{
    return a->present == b->present &&
           (!a->present || (a->pc == b->pc && a->code->code == b->code->code));
}

static uint32_t slot_of(enum pto_finding_kind kind, const struct party *a, const struct party *b)
{
    uint32_t hash = (uint32_t)kind * 0x9e3779b1u ^ a->pc * 0x85ebca6bu ^ b->pc * 0xc2b2ae35u;

    return (hash ^ hash >> 15) % FOUND_SLOTS;
}

static void count(const struct pto_check *check, struct found *found, const struct party *first,
                  const struct party *second)
{
    found->finding.count++;
    found->cores[1][second->core / 64] |= 1ull << second->core % 64;
    found->rank[second->core / check->per_rank] = true;
    if (!first->present)
        return;
    found->cores[0][first->core / 64] |= 1ull << first->core % 64;
    found->rank[first->core / check->per_rank] = true;
}

/* The finding of that kind at these places, NULL: there is none. */
static struct found *find(struct pto_check *check, enum pto_finding_kind kind,
                          const struct party *first, const struct party *second)
{
    struct found *found;

    for (uint32_t at = check->found_slot[slot_of(kind, first, second)]; at; at = found->next) {
        found = &check->found[at - 1];
        if (found->finding.kind == kind && finding_same_place(&found->party[0], first) &&
            finding_same_place(&found->party[1], second))
            return found;
    }
    return NULL;
}

bool finding_count(struct pto_check *check, enum pto_finding_kind kind, const struct party *first,
                   const struct party *second)
{
    struct found *found = find(check, kind, first, second);

    if (found)
        count(check, found, first, second);
    return found != NULL;
}

static void fill_access(struct pto_check *check, const struct party *party,
                        struct pto_finding_access *access)
{
    const struct core *core;
    const struct pto_insn *insn;

    *access = (struct pto_finding_access){.pos = PTO_NONE};
    if (!party->present)
        return;
    core = check->core[party->core].core;
    insn = &party->code->code->insn[party->pc];
    *access = (struct pto_finding_access){
        .present = true,
        .write = party->write,
        .atomic = party->atomic,
        .module = party->code->module,
        .kernel = party->code->kernel,
        .pos = (int32_t)insn->pos,
        .mnemonic = pto_op_info(insn->op)->mnemonic,
        .insn = insn,
        .rank = core->rank->number,
        .core = core->name,
        .pipe = pto_queue_name(party->lane == LANE_STORE ? PTO_PIPE_S : party->lane),
        .time_ps = party->time,
    };
}

static void tell(struct pto_check *check, const struct found *found)
{
    struct pto_finding_access access[2];

    for (int p = 0; p < 2; p++)
        fill_access(check, &found->party[p], &access[p]);
    check->listener(check->listener_context, found->finding.kind, access);
}

struct found *finding_add(struct pto_check *check, enum pto_finding_kind kind,
                          const struct party *first, const struct party *second)
{
    uint32_t *slot = &check->found_slot[slot_of(kind, first, second)];
    struct found *found;

    if (finding_count(check, kind, first, second))
        return NULL;
    PTO_GROW(check->found, check->founds, check->found_capacity);
    found = &check->found[check->founds++];
    *found = (struct found){
        .finding.kind = kind,
        .stamp = check->stamp,
        .party = {*first, *second},
        .cores = {pto_arena_array(&check->arena, check->cores / 64 + 1, sizeof **found->cores),
                  pto_arena_array(&check->arena, check->cores / 64 + 1, sizeof **found->cores)},
        .rank = pto_arena_array(&check->arena, (size_t)check->vm->ranks, sizeof *found->rank),
        .next = *slot,
    };
    *slot = check->founds;
    count(check, found, first, second);
    if (check->stop_at_first)
        pto_vm_pause(check->vm);
    if (check->listener)
        tell(check, found);
    return found;
}

/* ---- of several processes ---- */

int finding_compare_stamps(const struct stamp *a, const struct stamp *b)
{
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    if (a->window != b->window)
        return a->window < b->window ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* The same finding, or the other turn of it (race_report.c), that was known before; NULL: none. */
static struct found *known_before(struct pto_check *check, const struct found *found, bool *turned)
{
    enum pto_finding_kind kind = found->finding.kind;
    const struct party *first = &found->party[0], *second = &found->party[1];
    struct found *known = find(check, kind, first, second);

    *turned = !known;
    if (known || first->core == second->core || (kind != PTO_FIND_RAW && kind != PTO_FIND_WAR))
        return known;
    return find(check, kind == PTO_FIND_RAW ? PTO_FIND_WAR : PTO_FIND_RAW, second, first);
}

static void add_counts(const struct pto_check *check, struct found *into,
                       const struct found *found, bool turned)
{
    into->finding.count += found->finding.count;
    for (int p = 0; p < 2; p++)
        for (uint32_t i = 0; i <= check->cores / 64; i++)
            into->cores[p][i] |= found->cores[p ^ turned][i];
    for (int r = 0; r < check->vm->ranks; r++)
        into->rank[r] = into->rank[r] || found->rank[r];
}

void findings_replace(struct pto_check *check, const struct found *all, uint32_t count)
{
    check->founds = 0;
    memset(check->found_slot, 0, sizeof check->found_slot);
    for (uint32_t i = 0; i < count; i++) {
        const struct found *found = &all[i];
        uint32_t *slot = &check->found_slot[slot_of(found->finding.kind, &found->party[0],
                                                    &found->party[1])];
        bool turned;
        struct found *known = known_before(check, found, &turned);

        if (known) {
            add_counts(check, known, found, turned);
            far_drop(found->known.far);
            continue;
        }
        PTO_GROW(check->found, check->founds, check->found_capacity);
        check->found[check->founds] = *found;
        check->found[check->founds].next = *slot;
        *slot = ++check->founds;
    }
}

/* ---- what a report says ---- */

static void count_cores(const struct pto_check *check, struct found *found)
{
    int last = -1;

    for (uint32_t c = 0; c < check->cores; c++) {
        int rank = (int)(c / check->per_rank);

        if (!(found->cores[1][c / 64] >> c % 64 & 1))
            continue;
        found->finding.cores++;
        found->finding.ranks += rank != last;
        last = rank;
    }
}

static const char *verb(const struct pto_finding_access *access)
{
    return access->atomic ? "combines" : access->write ? "writes" : "reads";
}

/* The later access stands before the earlier one, or is the same: a loop has come round. */
static const char *turn_of(const struct found *found)
{
    const struct party *a = &found->party[0], *b = &found->party[1];

    return a->core == b->core && a->code == b->code && b->pc <= a->pc ? " in the next turn" : "";
}

static const char *sentence_of_cache(struct pto_check *check, const struct found *found)
{
    const struct pto_finding *f = &found->finding;
    const struct pto_finding_access *a = &f->access[0], *b = &f->access[1];

    if (f->kind == PTO_FIND_FALSE_SHARING)
        return pto_arena_printf(&check->arena,
                                "%s and %s store to different words of one 64-byte line of %s, "
                                "which %s", a->mnemonic, b->mnemonic, f->where,
                                found->stale ? "the second may have fetched before the first"
                                             : "their caches write back as a whole");
    if (found->near == NEAR_WRITE_BACK)
        return pto_arena_printf(&check->arena,
                                "%s %s %s while the scalar cache may still hold what %s wrote",
                                b->mnemonic, verb(b), f->where, a->mnemonic);
    return pto_arena_printf(&check->arena,
                            "%s reads %s through a scalar cache that may be older than what "
                            "%s wrote", b->mnemonic, f->where, a->mnemonic);
}

static const char *sentence(struct pto_check *check, const struct found *found)
{
    const struct pto_finding *f = &found->finding;
    const char *turn = turn_of(found);
    const struct pto_finding_access *a = &f->access[0], *b = &f->access[1];

    switch (f->kind) {
    case PTO_FIND_UNINIT:
        return pto_arena_printf(&check->arena, "%s reads bytes of %s that nobody wrote",
                                b->mnemonic, f->where);
    case PTO_FIND_SET_PENDING:
        if (found->shares)
            return pto_arena_printf(&check->arena,
                                    "%s of %s is not ordered behind the wait for the last token of "
                                    "%s, which is the same flag", b->mnemonic, f->where,
                                    found->shares);
        return pto_arena_printf(&check->arena,
                                "%s of %s is not ordered behind the wait for its last token",
                                b->mnemonic, f->where);
    case PTO_FIND_SIGNAL_REUSED:
        return pto_arena_printf(&check->arena,
                                "%s is satisfied by notifies of %s that an earlier wait used up, "
                                "while later notifies are never waited for", b->mnemonic,
                                f->where);
    case PTO_FIND_SIGNAL_AMBIGUOUS:
        return pto_arena_printf(&check->arena,
                                "%s of %s can end by another notify than this %s, whose data "
                                "are used behind it", b->mnemonic, f->where, a->mnemonic);
    case PTO_FIND_COULD_HANG:
        return pto_arena_printf(&check->arena,
                                "%s of %s could sleep for ever: its value can be gone before it "
                                "looks", b->mnemonic, f->where);
    case PTO_FIND_TILE_OVERLAP:
        return pto_arena_printf(&check->arena,
                                "%s reads bytes of %s that %s has overwritten through another tile",
                                b->mnemonic, f->where, a->mnemonic);
    case PTO_FIND_STALE_BYTES:
        return pto_arena_printf(&check->arena,
                                "%s reads bytes of %s that the last %s did not bring: an earlier "
                                "one of more has left them", b->mnemonic, f->where, a->mnemonic);
    case PTO_FIND_FALSE_SHARING:
    case PTO_FIND_CACHE_STALE:
        return sentence_of_cache(check, found);
    case PTO_FIND_RAW:
        return pto_arena_printf(&check->arena, "%s reads %s%s without waiting for %s, which %s it",
                                b->mnemonic, f->where, turn, a->mnemonic, verb(a));
    case PTO_FIND_WAR:
        return pto_arena_printf(&check->arena,
                                "%s %s %s%s without waiting for %s, which reads what was there",
                                b->mnemonic, verb(b), f->where, turn, a->mnemonic);
    default:
        return pto_arena_printf(&check->arena, "%s and %s%s both write %s in no order",
                                a->mnemonic, b->mnemonic, turn, f->where);
    }
}

/* ---- the end ---- */

static void conclude(struct pto_check *check, struct found *found)
{
    for (int p = 0; p < 2; p++)
        fill_access(check, &found->party[p], &found->finding.access[p]);
    found->finding.has_rank = found->rank;
    count_cores(check, found);
    found->finding.message = sentence(check, found);
    advise_remedy(check, found);
}

void pto_check_listen(struct pto_check *check, pto_finding_listener *listener, void *context)
{
    check->listener = listener;
    check->listener_context = context;
}

unsigned pto_check_found(const struct pto_check *check)
{
    return check->founds;
}

void pto_check_so_far(struct pto_check *check, unsigned index, struct pto_finding *finding)
{
    struct found copy = check->found[index]; /* what is concluded at the end stays as it is */

    conclude(check, &copy);
    *finding = copy.finding;
}

void pto_check_finish(struct pto_check *check)
{
    const struct pto_fault *left;
    unsigned most = pto_vm_warnings(check->vm, &left);

    together_end(check);
    touch_unfinished(check);
    check_signals_finish(check);
    notes_find(check);
    together_gather(check);
    fetch_finish(check);
    check->provable = together_any(check, check->provable);
    if (check->vm->process > 0)
        return;
    vague_finish(check);
    notes_finish(check);
    cover_finish(check);
    check->result = pto_arena_array(&check->arena, check->founds + most, sizeof *check->result);
    for (uint32_t i = 0; i < check->founds; i++)
        conclude(check, &check->found[i]);
    for (uint32_t i = 0; i < check->founds; i++)
        check->result[check->results++] = check->found[i].finding;
    follow_link(check);
    leftovers_add(check);
}

unsigned pto_check_findings(const struct pto_check *check, const struct pto_finding **findings)
{
    *findings = check->result;
    return check->results;
}
