/* What orders the two parties of a race, as far as it goes, and what would order them fully. */
#include "check/advice.h"

#include "check/cache.h"
#include "check/travel.h"

static const char *pipe_name(unsigned lane)
{
    return pto_queue_name(lane == LANE_STORE ? PTO_PIPE_S : lane);
}

static const char *advise_place(struct pto_check *check, const struct party *party)
{
    return advise_place_of(check, party->code, party->pc);
}

/* ---- what order there is ---- */

/* A signal told the second party something after the first had been issued, and only its completion
 * or its publication was left out. */
static enum near_miss near_miss(const struct row *row, const struct access *first)
{
    unsigned told = first->lane == LANE_STORE       ? LANE_TOLD_STORE
                    : first->lane == PTO_PIPE_FIX   ? LANE_TOLD_FIX
                    : first->lane == PTO_PIPE_MTE3  ? LANE_TOLD_MTE3
                                                    : LANES;

    if (!row)
        return NEAR_NOTHING;
    if (told < LANES &&
        (row->lane[told] >= first->epoch || row_knows(row, first->lane, first->epoch)))
        return NEAR_FENCE;
    return row->lane[PTO_PIPE_S] > first->told ? NEAR_BARRIER : NEAR_NOTHING;
}

static bool is_load(const struct access *access)
{
    return access->lane == PTO_PIPE_S && access->code->code->insn[access->pc].op != PTO_OP_TNOTIFY;
}

/* Was the sub-core's cache last dropped before it could know of the store? */
static bool is_stale(const struct pto_check *check, const struct access *store,
                     const struct access *load)
{
    const struct row *row = far_row(check->core[load->core].fresh.far, store->core);

    return !row || row->lane[LANE_TOLD_STORE] < store->epoch;
}

/* What S of the second knew of the first's sub-core when it issued it. */
static const struct row *known_row(const struct pto_check *check, const struct access *first,
                                   const struct access *second)
{
    if (first->core == second->core)
        return &check->touch.frame->row;
    return far_row(travel_far_at(check, second), first->core);
}

void advise_order(struct pto_check *check, struct found *found, const struct access *first,
                  const struct access *second, bool late)
{
    const struct row *row = known_row(check, first, second);
    uint32_t known = row ? row->lane[first->lane] : 0;
    const struct logged *last;

    found->global = check->touch.global;
    if (first->core != second->core)
        found->near = (uint8_t)near_miss(row, first);
    if (first->lane == LANE_STORE) {
        found->kept = cache_keeps(check, first, found->near == NEAR_FENCE
                                                    ? row->lane[LANE_TOLD_STORE] : UINT32_MAX);
        found->stale = is_load(second) && is_stale(check, first, second);
    }
    if (late && first->core == second->core) { /* what the second knew is history */
        found->finding.ordered = "the second came first: nothing makes it wait";
        return;
    }
    if (known >= first->epoch || found->near == NEAR_FENCE) {
        found->finding.ordered = "the first has completed, but nothing has published it";
        return;
    }
    last = first->lane < LANE_STORE ? travel_logged(check, first, known) : NULL;
    if (!last) {
        found->finding.ordered = known ? "only much earlier work is ordered before the second"
                                       : "nothing orders the two";
        return;
    }
    found->finding.ordered = pto_arena_printf(
        &check->arena, "what %s did up to %s is ordered before the second, what follows is not",
        pipe_name(first->lane), advise_place_of(check, last->code, last->pc));
}

/* ---- remedies ---- */

static const char *flag_pair(struct pto_check *check, struct found *found)
{
    const struct party *a = &found->party[0], *b = &found->party[1];
    unsigned src = a->lane == LANE_STORE ? PTO_PIPE_S : a->lane;
    /* The DMA engine takes no flags; S waits before it hands the copy over. */
    unsigned dst = b->lane == LANE_STORE || b->lane == PTO_DMA ? PTO_PIPE_S : b->lane;
    const char *from = pipe_name(src), *to = pipe_name(dst);
    const char *stray = advise_half(check, found, src, dst), *id;
    bool spare;
    const char *doubt;

    if (stray) {
        advise_edit(check, found, 1, false,
                    pto_arena_printf(&check->arena, "wait_flag %s, %s, %s", from, to, stray));
        return pto_arena_printf(&check->arena, "wait_flag %s, %s, %s before %s: it is set, and "
                                "nobody waits for it", from, to, stray, advise_place(check, b));
    }
    id = advise_event(check, found, src, dst, &spare);
    doubt = spare ? "" : "; all event ids of the pair are in use, one of them may do";
    if (!advise_is_straight(a, b)) {
        advise_edit(check, found, 1, false,
                    pto_arena_printf(&check->arena, "handoff %s -> %s, %s", from, to, id));
        return pto_arena_printf(&check->arena, "handoff %s -> %s, %s before %s%s", from, to, id,
                                advise_place(check, b), doubt);
    }
    advise_edit(check, found, 0, true,
                pto_arena_printf(&check->arena, "set_flag %s, %s, %s", from, to, id));
    advise_edit(check, found, 1, false,
                pto_arena_printf(&check->arena, "wait_flag %s, %s, %s", from, to, id));
    return pto_arena_printf(&check->arena,
                            "set_flag %s, %s, %s after %s and wait_flag %s, %s, %s before %s%s",
                            from, to, id, advise_place(check, a), from, to, id,
                            advise_place(check, b), doubt);
}

/* Inside a sub-core, with the DMA engine as a party. */
static const char *around_engine(struct pto_check *check, struct found *found)
{
    const struct party *a = &found->party[0], *b = &found->party[1];
    const char *from = advise_place(check, a), *to = advise_place(check, b);

    if (a->lane == PTO_DMA)
        return pto_arena_printf(&check->arena, "async_wait for the event of %s before %s", from,
                                to);
    if (a->lane == LANE_STORE) {
        advise_edit(check, found, 1, false, "dcci\ndsb");
        return pto_arena_printf(&check->arena, "dcci and dsb between %s and %s", from, to);
    }
    return flag_pair(check, found);
}

/* What S has to do with a store of its own before it tells others of it. */
static const char *write_out(const struct found *found)
{
    return found->kept ? "dcci and dsb" : "dsb";
}

/* And what a load has to do, after it was told. */
static const char *drop_cache(const struct found *found)
{
    return found->stale ? " and dcci" : "";
}

/* Stores of S, from one sub-core to another. */
static const char *of_scalar_store(struct pto_check *check, struct found *found)
{
    const struct party *a = &found->party[0], *b = &found->party[1];
    const char *from = advise_place(check, a), *to = advise_place(check, b);
    bool same_rank = a->core / check->per_rank == b->core / check->per_rank;

    if (found->near == NEAR_FENCE) {
        const char *telling =
            advise_telling_edit(check, found, found->kept ? "dcci\ndsb" : "dsb");

        return pto_arena_printf(&check->arena,
                                "%s after %s and before the %s that tells of it%s%s",
                                write_out(found), from, telling,
                                found->stale ? "; and dcci behind the wait, before " : "",
                                found->stale ? to : "");
    }
    return pto_arena_printf(&check->arena,
                            "after %s %s, then %sTNOTIFY; and on the other side a wait%s before %s",
                            from, write_out(found),
                            same_rank ? "sync_all, a cross-core flag or " : "", drop_cache(found),
                            to);
}

/* A write comes behind a read of another sub-core: only the author knows which of the two should
 * wait for the other. */
static const char *either_order(struct pto_check *check, const struct found *found)
{
    const struct party *a = &found->party[0], *b = &found->party[1];
    const char *from = advise_place(check, a), *to = advise_place(check, b);
    bool same_rank = a->core / check->per_rank == b->core / check->per_rank;

    if (same_rank)
        return pto_arena_printf(&check->arena,
                                "sync_all, a cross-core flag, or pipe_barrier ALL and TNOTIFY "
                                "after %s; and on the other side a wait before %s; the other way "
                                "round, with a dsb, if %s is to read what %s writes", from, to,
                                from, to);
    return pto_arena_printf(&check->arena,
                            "pipe_barrier ALL and TNOTIFY after %s, and TWAIT before %s; the other "
                            "way round, with a dsb, if %s is to read what %s writes", from, to,
                            from, to);
}

/* The store, or the read, may still be on its way when others are told of it. */
static const char *tell_later(struct pto_check *check, struct found *found)
{
    const struct party *a = &found->party[0];
    const char *telling = advise_telling_edit(
        check, found, a->write ? "pipe_barrier ALL\ndsb" : "pipe_barrier ALL");

    return pto_arena_printf(&check->arena,
                            "%s between %s and the %s that tells of it: %s leaves from S and does "
                            "not wait for %s",
                            a->write ? "pipe_barrier ALL and dsb" : "pipe_barrier ALL",
                            advise_place(check, a), telling, telling, pipe_name(a->lane));
}

static const char *between_cores(struct pto_check *check, struct found *found)
{
    const struct party *a = &found->party[0], *b = &found->party[1];
    const char *from = advise_place(check, a), *to = advise_place(check, b);
    bool notified = a->code->code->insn[a->pc].op == PTO_OP_TNOTIFY;
    bool same_rank = a->core / check->per_rank == b->core / check->per_rank;

    if (notified)
        return pto_arena_printf(&check->arena, "TWAIT or TTEST of the signal before %s, for all "
                                "that may change it", to);
    if (found->finding.kind == PTO_FIND_WAW && a->pc == b->pc && a->code->code == b->code->code &&
        same_rank && found->near == NEAR_NOTHING)
        return pto_arena_printf(&check->arena,
                                "let every sub-core write bytes of its own at %s, by vec_id() or "
                                "block_id(), or only one of them write; else order them by "
                                "sync_all or a cross-core flag", to);
    if (a->lane == LANE_STORE)
        return of_scalar_store(check, found);
    if (found->near == NEAR_FENCE)
        return pto_arena_printf(&check->arena,
                                "dsb after %s has completed and before the %s that tells of it: a "
                                "signal can overtake stores", from,
                                advise_telling_edit(check, found, "dsb"));
    if (found->near == NEAR_BARRIER && a->lane == PTO_DMA)
        return pto_arena_printf(&check->arena,
                                "async_wait for the event of %s before the TNOTIFY that tells of "
                                "it", from);
    if (found->near == NEAR_BARRIER)
        return tell_later(check, found);
    if (a->lane == PTO_DMA)
        return pto_arena_printf(&check->arena,
                                "async_wait for the event of %s, then TNOTIFY; and TWAIT before %s",
                                from, to);
    if (b->lane == PTO_DMA && b->write)
        return pto_arena_printf(&check->arena,
                                "if %s is to come behind the copy: async_wait for the event of %s "
                                "before the TNOTIFY that tells of it; else TNOTIFY behind %s and "
                                "TWAIT before the copy", from, to, from);
    if (found->finding.kind == PTO_FIND_WAR && a->lane != PTO_PIPE_S)
        return either_order(check, found);
    if (same_rank)
        return pto_arena_printf(&check->arena,
                                "sync_all, a cross-core flag, or pipe_barrier ALL, dsb and TNOTIFY "
                                "after %s; and on the other side a wait before %s", from, to);
    return pto_arena_printf(&check->arena,
                            "publish after %s: pipe_barrier ALL, dsb, TNOTIFY; and TWAIT before "
                            "%s", from, to);
}

static const char *remedy(struct pto_check *check, struct found *found)
{
    const struct party *a = &found->party[0], *b = &found->party[1];

    if (a->core != b->core)
        return between_cores(check, found);
    if (a->lane == PTO_DMA || b->lane == PTO_DMA)
        return around_engine(check, found);
    if (found->global && found->kept) {
        advise_edit(check, found, 1, false, "dcci\ndsb");
        return pto_arena_printf(&check->arena, "dcci and dsb between %s and %s",
                                advise_place(check, a), advise_place(check, b));
    }
    if (a->lane == b->lane) {
        advise_edit(check, found, 1, false,
                    pto_arena_printf(&check->arena, "pipe_barrier %s", pipe_name(a->lane)));
        return pto_arena_printf(&check->arena, "pipe_barrier %s between %s and %s",
                                pipe_name(a->lane), advise_place(check, a), advise_place(check, b));
    }
    return flag_pair(check, found);
}

static const char *cache_remedy(struct pto_check *check, struct found *found)
{
    bool write_back = found->near == NEAR_WRITE_BACK;

    advise_edit(check, found, write_back ? 0 : 1, write_back, "dcci");
    if (write_back)
        return pto_arena_printf(&check->arena, "dcci after %s, before the dsb or the flag that "
                                "publishes the store", advise_place(check, &found->party[0]));
    return pto_arena_printf(&check->arena, "dcci before %s, behind the wait that orders it",
                            advise_place(check, &found->party[1]));
}

static const char *line_remedy(struct pto_check *check, struct found *found)
{
    const char *from = advise_place(check, &found->party[0]);
    const char *to = advise_place(check, &found->party[1]);

    if (!found->stale)
        return "let every sub-core store to lines of its own, 64 bytes apart, or only one of them "
               "store";
    if (found->near == NEAR_WRITE_BACK)
        advise_edit(check, found, 0, true, "dcci");
    advise_edit(check, found, 1, false, "dcci");
    return pto_arena_printf(&check->arena,
                            "%s%sdcci before %s, behind the wait that orders it; or words of lines "
                            "of their own, 64 bytes apart",
                            found->near == NEAR_WRITE_BACK ? "dcci after " : "",
                            found->near == NEAR_WRITE_BACK
                                ? pto_arena_printf(&check->arena, "%s, before the dsb that "
                                                   "publishes it, and ", from)
                                : "", to);
}

void advise_remedy(struct pto_check *check, struct found *found)
{
    struct pto_advice *advice = &found->finding.advice;

    switch (found->finding.kind) {
    case PTO_FIND_RAW:
    case PTO_FIND_WAR:
    case PTO_FIND_WAW:
        advice->text = remedy(check, found);
        break;
    case PTO_FIND_UNINIT:
        advice->text = "write the bytes first, or name the valid region that was written";
        break;
    case PTO_FIND_SET_PENDING:
        if (found->shares) {
            advice->text = pto_arena_printf(&check->arena, "use another event id at %s or at %s",
                                            advise_place(check, &found->party[0]),
                                            advise_place(check, &found->party[1]));
            break;
        }
        advice->text = pto_arena_printf(&check->arena,
                                     "order %s behind the wait at %s, or use another event "
                                        "id",
                                        advise_place(check, &found->party[1]),
                                        advise_place(check, &found->party[0]));
        break;
    case PTO_FIND_CACHE_STALE:
        advice->text = cache_remedy(check, found);
        break;
    case PTO_FIND_STALE_BYTES:
        advice->text = pto_arena_printf(&check->arena,
                                        "name the valid region at %s that was loaded, or fill what "
                                        "lies behind it",
                                        advise_place(check, &found->party[1]));
        break;
    case PTO_FIND_FALSE_SHARING:
        advice->text = line_remedy(check, found);
        break;
    case PTO_FIND_TILE_OVERLAP:
        advice->text = "leave the addresses to the assembler, which lets no tiles overlap, or "
                       "declare the one tile as a view of the other";
        break;
    case PTO_FIND_COULD_HANG:
        advice->text = pto_arena_printf(&check->arena,
                                        "notify at %s only when told that the wait has passed, "
                                        "or wait for a value that grows, with ge",
                                        found->party[0].present
                                            ? advise_place(check, &found->party[0])
                                            : "the other places");
        break;
    case PTO_FIND_SIGNAL_AMBIGUOUS:
        advice->text = "give every sender a signal of its own, or wait for all that can come";
        break;
    default:
        advice->text = "wait for a value that grows from phase to phase, or use one signal a phase";
    }
}
