/* Findings: one for every kind and pair of instructions, with a count over ranks and sub-cores. */
#include <stdlib.h>
#include <string.h>

#include "check/internal.h"

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
                                "a TWAIT passes on notifies that an earlier one had used up"},
    [PTO_FIND_SIGNAL_AMBIGUOUS] = {"signal-ambiguous",
                                   "a TWAIT could have passed on another notify"},
    [PTO_FIND_CACHE_STALE] = {"cache-stale",
                              "the cache of a scalar unit stands between a write and its reader"},
    [PTO_FIND_TILE_OVERLAP] = {"tile-overlap",
                               "a tile is read whose bytes another tile has overwritten"},
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

/* Launches of one kernel share its code. */
static bool same_place(const struct party *a, const struct party *b)
{
    return a->present == b->present &&
           (!a->present || (a->pc == b->pc && a->code->code == b->code->code));
}

static uint32_t slot_of(enum pto_finding_kind kind, const struct party *a, const struct party *b)
{
    uint32_t hash = (uint32_t)kind * 0x9e3779b1u ^ a->pc * 0x85ebca6bu ^ b->pc * 0xc2b2ae35u;

    return (hash ^ hash >> 15) % FOUND_SLOTS;
}

static void count(struct found *found, const struct party *where)
{
    found->finding.count++;
    found->cores[where->core / 64] |= 1ull << where->core % 64;
}

struct found *finding_add(struct pto_check *check, enum pto_finding_kind kind,
                          const struct party *first, const struct party *second)
{
    uint32_t *slot = &check->found_slot[slot_of(kind, first, second)], at = *slot;
    struct found *found;

    for (; at; at = check->found[at - 1].next) {
        found = &check->found[at - 1];
        if (found->finding.kind == kind && same_place(&found->party[0], first) &&
            same_place(&found->party[1], second)) {
            count(found, second);
            return NULL;
        }
    }
    PTO_GROW(check->found, check->founds, check->found_capacity);
    found = &check->found[check->founds++];
    *found = (struct found){
        .finding.kind = kind,
        .party = {*first, *second},
        .cores = pto_arena_array(&check->arena, check->cores / 64 + 1, sizeof *found->cores),
        .next = *slot,
    };
    *slot = check->founds;
    count(found, second);
    if (check->stop_at_first)
        pto_vm_pause(check->vm);
    return found;
}

/* ---- the end ---- */

static bool is_race(const struct found *found)
{
    return found->finding.kind <= PTO_FIND_WAW;
}

static bool across_pipes(const struct found *found)
{
    return found->party[0].lane != found->party[1].lane;
}

/* Does the program reach `a` before `b`, in one pass through straight code? */
static bool comes_before(const struct party *a, const struct party *b)
{
    return a->code->code == b->code->code && a->pc < b->pc;
}

/* Does the remedy of race `root` probably heal `found`, too?
 *  - An instruction that reads what it did not wait for is out of step with everything it comes
 *    back to: with the reads of others, and with its own pipe.  A write that did not wait for the
 *    reader in between has not waited for the write before it either.
 *  - What comes behind an instruction that did not wait has not waited either.
 *  - A read that came before the write that it had been told of is the other half of the reads
 *    that came in the midst of it: one publish is missing.
 *  - Tokens run ahead and bytes are read unwritten where a race lets a pipe run ahead. */
static bool follows_from(const struct found *found, const struct found *root)
{
    const struct party *second = &found->party[1];

    if (!is_race(root))
        return false;
    if (found->finding.kind == PTO_FIND_UNINIT)
        return root->finding.kind == PTO_FIND_RAW &&
               (same_place(&root->party[1], second) || comes_before(&root->party[1], second));
    if (!is_race(found))
        return found->finding.kind == PTO_FIND_SET_PENDING;
    if (found->near == NEAR_EARLY_READ && root->finding.kind == PTO_FIND_RAW &&
        root->near != NEAR_NOTHING && same_place(&root->party[0], second) &&
        same_place(&root->party[1], &found->party[0]))
        return true;
    if (same_place(&root->party[1], second)) {
        if (same_place(&root->party[0], &found->party[0]))
            return root->finding.kind < found->finding.kind;
        if (!across_pipes(root))
            return false;
        if (root->finding.kind == PTO_FIND_RAW)
            return found->finding.kind != PTO_FIND_RAW || !across_pipes(found);
        return found->finding.kind == PTO_FIND_WAW && !across_pipes(found);
    }
    return same_place(&root->party[0], &found->party[0]) &&
           comes_before(&root->party[1], second);
}

static unsigned count_roots(const struct pto_check *check, const struct found *found)
{
    unsigned roots = 0;

    for (uint32_t i = 0; i < check->founds; i++)
        roots += &check->found[i] != found && follows_from(found, &check->found[i]);
    return roots;
}

/* The results are all in their places. */
static void fill_roots(struct pto_check *check, const struct found *found)
{
    struct pto_finding *result = &check->result[found->result];
    unsigned filled = 0;

    result->root = pto_arena_array(&check->arena, result->roots, sizeof *result->root);
    for (uint32_t i = 0; i < check->founds; i++)
        if (&check->found[i] != found && follows_from(found, &check->found[i]))
            result->root[filled++] = &check->result[check->found[i].result];
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
        .rank = core->rank->number,
        .core = core->name,
        .pipe = pto_queue_name(party->lane == LANE_STORE ? PTO_PIPE_S : party->lane),
        .time_ps = party->time,
    };
}

static void count_cores(const struct pto_check *check, struct found *found)
{
    int last = -1;

    for (uint32_t c = 0; c < check->cores; c++) {
        int rank = (int)(c / check->per_rank);

        if (!(found->cores[c / 64] >> c % 64 & 1))
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

static const char *sentence(struct pto_check *check, const struct found *found)
{
    const struct pto_finding *f = &found->finding;
    const struct pto_finding_access *a = &f->access[0], *b = &f->access[1];

    switch (f->kind) {
    case PTO_FIND_UNINIT:
        return pto_arena_printf(&check->arena, "%s reads bytes of %s that nobody wrote",
                                b->mnemonic, f->where);
    case PTO_FIND_SET_PENDING:
        return pto_arena_printf(&check->arena,
                                "%s of %s is not ordered behind the wait for its last token",
                                b->mnemonic, f->where);
    case PTO_FIND_SIGNAL_REUSED:
        return pto_arena_printf(&check->arena,
                                "%s passes on notifies of %s that an earlier wait had used, while "
                                "later notifies are never waited for", b->mnemonic, f->where);
    case PTO_FIND_SIGNAL_AMBIGUOUS:
        return pto_arena_printf(&check->arena,
                                "%s of %s could pass on this notify as well: nothing orders it "
                                "behind the wait", b->mnemonic, f->where);
    case PTO_FIND_TILE_OVERLAP:
        return pto_arena_printf(&check->arena,
                                "%s reads bytes of %s that %s has overwritten through another tile",
                                b->mnemonic, f->where, a->mnemonic);
    case PTO_FIND_CACHE_STALE:
        if (found->near == NEAR_WRITE_BACK)
            return pto_arena_printf(&check->arena,
                                    "%s %s %s while the scalar cache may still hold what %s wrote",
                                    b->mnemonic, verb(b), f->where, a->mnemonic);
        return pto_arena_printf(&check->arena,
                                "%s reads %s through a scalar cache that may be older than what "
                                "%s wrote", b->mnemonic, f->where, a->mnemonic);
    case PTO_FIND_RAW:
        return pto_arena_printf(&check->arena, "%s reads %s without waiting for %s, which %s it",
                                b->mnemonic, f->where, a->mnemonic, verb(a));
    case PTO_FIND_WAR:
        return pto_arena_printf(&check->arena,
                                "%s %s %s without waiting for %s, which reads what was there",
                                b->mnemonic, verb(b), f->where, a->mnemonic);
    default:
        return pto_arena_printf(&check->arena, "%s and %s both write %s in no order",
                                a->mnemonic, b->mnemonic, f->where);
    }
}

static void add_leftovers(struct pto_check *check)
{
    const struct pto_fault *left;
    unsigned count_left = pto_vm_warnings(check->vm, &left);

    for (unsigned i = 0; i < count_left; i++) {
        struct pto_finding *f = NULL;

        for (unsigned r = 0; r < check->results && !f; r++)
            if (check->result[r].kind == PTO_FIND_TOKEN_LEFT &&
                check->result[r].access[1].pos == left[i].pos &&
                check->result[r].access[1].module == left[i].module)
                f = &check->result[r];
        if (!f) {
            f = &check->result[check->results++];
            *f = (struct pto_finding){
                .kind = PTO_FIND_TOKEN_LEFT,
                .access = {{.pos = PTO_NONE}, {
                    .present = true, .module = left[i].module, .pos = left[i].pos,
                    .mnemonic = left[i].mnemonic, .rank = left[i].rank, .core = left[i].core,
                    .pipe = left[i].pipe, .time_ps = left[i].time_ps,
                }},
                .message = left[i].message,
                .advice = left[i].hint,
            };
        }
        f->count++;
        f->cores++;
        f->ranks = 1;
    }
}

static void conclude(struct pto_check *check, struct found *found)
{
    found->finding.roots = count_roots(check, found);
    for (int p = 0; p < 2; p++)
        fill_access(check, &found->party[p], &found->finding.access[p]);
    count_cores(check, found);
    found->finding.message = sentence(check, found);
    advise_remedy(check, found);
}

static void add_found(struct pto_check *check, bool follow_ups)
{
    for (uint32_t i = 0; i < check->founds; i++)
        if ((check->found[i].finding.roots > 0) == follow_ups) {
            check->found[i].result = check->results;
            check->result[check->results++] = check->found[i].finding;
        }
}

void pto_check_finish(struct pto_check *check)
{
    const struct pto_fault *left;
    unsigned most = pto_vm_warnings(check->vm, &left);

    touch_unfinished(check);
    check_signals_finish(check);
    notes_finish(check);
    check->result = pto_arena_array(&check->arena, check->founds + most, sizeof *check->result);
    for (uint32_t i = 0; i < check->founds; i++)
        conclude(check, &check->found[i]);
    add_found(check, false);
    add_leftovers(check);
    add_found(check, true);
    for (uint32_t i = 0; i < check->founds; i++)
        fill_roots(check, &check->found[i]);
}

unsigned pto_check_findings(const struct pto_check *check, const struct pto_finding **findings)
{
    *findings = check->result;
    return check->results;
}
