/* Where flags and barriers go. */
#include <stdlib.h>

#include "sync/order.h"

enum { RANK_SET = 100, RANK_DRAIN = 200, RANK_INIT = 300, RANK_WAIT = 400, RANK_BARRIER = 500 };

/* A part of a block, between two of its points. */
struct site {
    uint32_t block, first, end;
    int rank_first, rank_end;
    uint32_t pos_first, pos_end;
    bool found;
};

static uint32_t add_sync(struct order *o, struct sync sync)
{
    PTO_GROW(o->sync, o->syncs, o->sync_room);
    o->sync[o->syncs] = sync;
    return o->syncs++;
}

static uint32_t pos_of(const struct order *o, uint32_t at)
{
    return o->core->code.insn[at].pos;
}

/* Something that stands at a place. */
struct end {
    uint32_t at, block, pos;
    int rank; /* of a mark; 0: an instruction */
};

static struct end end_of_insn(const struct order *o, uint32_t at)
{
    return (struct end){at, o->blocks.of[at], pos_of(o, at), 0};
}

static struct end end_of_mark(const struct mark *mark)
{
    return (struct end){mark->at, mark->block, mark->pos, mark->rank};
}

static void add_barrier(struct order *o, const struct end *before, unsigned pipe, bool fixed)
{
    uint32_t sync = add_sync(o, (struct sync){.kind = SYNC_BARRIER, .from = (uint8_t)pipe,
                                              .to = (uint8_t)pipe, .fixed = fixed});

    order_add_mark(o, (struct mark){.kind = MARK_BARRIER, .at = before->at,
                                    .block = before->block,
                                    .rank = before->rank ? before->rank - 1 : RANK_BARRIER,
                                    .sync = sync, .pos = before->pos});
}

void plan_fixed(struct order *o, uint32_t at, bool behind)
{
    struct end end = end_of_insn(o, at);

    end.at += behind;
    add_barrier(o, &end, PTO_PIPE_ALL, true);
}

void plan_give_up(struct order *o, uint32_t sync)
{
    o->sync[sync].off = true;
    for (uint32_t i = 0; i < o->marks; i++)
        if (o->mark[i].sync == sync && o->mark[i].kind == MARK_WAIT) {
            struct end end = end_of_mark(&o->mark[i++]);

            add_barrier(o, &end, PTO_PIPE_ALL, false);
        }
}

bool plan_closer(struct order *o, uint32_t sync)
{
    uint32_t set = 0, wait = 0;
    struct mark mark;

    for (uint32_t i = 0; i < o->marks; i++)
        if (o->mark[i].sync == sync)
            *(o->mark[i].kind == MARK_SET ? &set : &wait) = i;
    if (o->sync[sync].kind != SYNC_PAIR || wait == set + 1)
        return false;
    mark = o->mark[wait];
    order_remove_marks(o, sync, 0);
    mark.kind = MARK_SET;
    order_add_mark(o, mark);
    mark.kind = MARK_WAIT;
    order_add_mark(o, mark);
    return true;
}

static void add_pair(struct order *o, uint32_t sync, const struct site *from_to)
{
    order_add_mark(o, (struct mark){.kind = MARK_SET, .at = from_to->first,
                                    .block = from_to->block, .rank = from_to->rank_first,
                                    .sync = sync, .pos = from_to->pos_first});
    order_add_mark(o, (struct mark){.kind = MARK_WAIT, .at = from_to->end,
                                    .block = from_to->block, .rank = from_to->rank_end,
                                    .sync = sync, .pos = from_to->pos_end});
}

/* The token of a channel is there before the item of the program that holds its sites, and is
 * taken out behind it.  `only`: the one that there is, NULL: there are several. */
static void enclose(struct order *o, uint32_t sync, const struct site *only)
{
    struct span all = {UINT32_MAX, 0};
    uint32_t pos = 0, first = only ? order_first_mark(o, only->first) : 0;
    uint32_t last = only ? only->end : UINT32_MAX;

    if (!only)
        order_remove_marks(o, sync, 0);
    for (uint32_t i = first; i < o->marks && o->mark[i].at <= last; i++) {
        const struct mark *mark = &o->mark[i];
        struct span item;

        if (mark->sync != sync)
            continue;
        item = blocks_item(&o->blocks, 0, mark->block, mark->at);
        if (item.first < all.first)
            all.first = item.first;
        if (item.end > all.end)
            all.end = item.end;
        pos = mark->pos;
    }
    order_add_mark(o, (struct mark){.kind = MARK_INIT, .at = all.first, .rank = RANK_INIT,
                                    .sync = sync, .pos = pos});
    order_add_mark(o, (struct mark){.kind = MARK_DRAIN, .at = all.end, .rank = RANK_DRAIN,
                                    .sync = sync, .pos = pos});
}

static void add_site(struct order *o, uint32_t sync, const struct site *site, bool only)
{
    uint32_t number = ++o->sites;

    order_add_mark(o, (struct mark){.kind = MARK_WAIT, .at = site->first, .block = site->block,
                                    .rank = site->rank_first, .sync = sync, .site = number,
                                    .pos = site->pos_first});
    order_add_mark(o, (struct mark){.kind = MARK_SET, .at = site->end, .block = site->block,
                                    .rank = site->rank_end, .sync = sync, .site = number,
                                    .pos = site->pos_end});
    enclose(o, sync, only ? site : NULL);
}

/* Is an expression assigned anew within instructions first..end-1? */
static bool is_killed(const struct order *o, unsigned slot, uint32_t first, uint32_t end)
{
    for (uint32_t at = first; at < end; at++)
        if (o->kills[at] >> slot & 1)
            return true;
    return false;
}

/* The expression by whose values alone two instructions meet; none if they do otherwise. */
static unsigned only_slot(const struct order *o, unsigned kinds)
{
    for (unsigned n = 1; n < SYNC_LAYERS; n++)
        if (kinds == 1u << n && o->slots.slot[n].kind == SLOT_CHOICE)
            return n;
    return SYNC_NO_SLOT;
}

static unsigned kinds_of(const struct order *o, uint32_t a, uint32_t b)
{
    return order_kinds(o, o->bit[a], o->bit[b]);
}

/* Instructions first..end-1 of a block as a part that a token is taken for: waited for before,
 * given back behind. */
static struct site part(const struct order *o, uint32_t block, uint32_t first, uint32_t end,
                        uint32_t user, uint32_t last)
{
    return (struct site){block, first, end, RANK_WAIT, RANK_SET, pos_of(o, user), pos_of(o, last),
                         true};
}

/* Who goes through the beginning of a part comes to its end: not where a loop is left, or begun
 * again, in its middle. */
static bool has_sites(const struct order *o, uint32_t block)
{
    return !o->blocks.block[block].opaque;
}

/* From the item of `at`, which has to wait, to the last one behind it that uses the same slot on
 * pipe `from`, in the innermost block that has both. */
static struct site site_behind(const struct order *o, uint32_t at, unsigned from, unsigned slot)
{
    for (uint32_t block = o->blocks.of[at];; block = o->blocks.block[block].parent) {
        struct span item = blocks_item(&o->blocks, block, o->blocks.of[at], at);
        uint32_t end = 0, last = at, behind = has_sites(o, block) ? o->blocks.block[block].end : 0;

        for (uint32_t k = item.first; k < behind; k++) {
            struct span other;

            if (o->kills[k] >> slot & 1)
                break;
            if (o->pipe[k] != from || kinds_of(o, k, at) != 1u << slot)
                continue;
            other = blocks_item(&o->blocks, block, o->blocks.of[k], k);
            if (is_killed(o, slot, k, other.end))
                break;
            end = other.end;
            last = k;
        }
        if (end)
            return part(o, block, item.first, end, at, last);
        if (!block)
            return (struct site){.found = false};
    }
}

/* To the item of `at`, which is waited for, from the first one before it that uses the same slot on
 * pipe `to`. */
static struct site site_before(const struct order *o, uint32_t at, unsigned to, unsigned slot)
{
    for (uint32_t block = o->blocks.of[at];; block = o->blocks.block[block].parent) {
        struct span item = blocks_item(&o->blocks, block, o->blocks.of[at], at);
        uint32_t first = item.end, user = at;

        if (is_killed(o, slot, item.first, item.end))
            return (struct site){.found = false};
        for (uint32_t k = has_sites(o, block) ? item.end : 0; k-- > o->blocks.block[block].start;) {
            struct span other;

            if (o->kills[k] >> slot & 1)
                break;
            if (o->pipe[k] != to || kinds_of(o, k, at) != 1u << slot)
                continue;
            other = blocks_item(&o->blocks, block, o->blocks.of[k], k);
            if (other.first > item.first || is_killed(o, slot, other.first, k))
                break;
            first = other.first;
            user = k;
        }
        if (first < item.end)
            return part(o, block, first, item.end, user, at);
        if (!block)
            return (struct site){.found = false};
    }
}

/* The site that a mark opens, as it stands: it is closed behind it. */
static struct site read_site(const struct mark *wait)
{
    struct site site = {wait->block, wait->at, 0, wait->rank, 0, wait->pos, 0, true};
    const struct mark *set = wait + 1;

    while (set->sync != wait->sync || set->site != wait->site)
        set++;
    site.end = set->at;
    site.rank_end = set->rank;
    site.pos_end = set->pos;
    return site;
}

/* Two sites of a channel that touch become one; `site` is what remains to be added. */
static bool join_sites(struct order *o, uint32_t sync, unsigned slot, struct site *site)
{
    for (uint32_t i = 0; i < o->marks && o->mark[i].at < site->end; i++) {
        const struct mark mark = o->mark[i];
        struct site old;

        if (mark.sync != sync || mark.kind != MARK_WAIT)
            continue;
        old = read_site(&o->mark[i]);
        if (old.end <= site->first)
            continue;
        if (old.block != site->block && blocks_holds(&o->blocks, old.block, site->block))
            return false;
        if (old.block == site->block) {
            if (old.first <= site->first && old.end >= site->end)
                return false;
            if (old.first < site->first) {
                site->first = old.first;
                site->pos_first = old.pos_first;
            }
            if (old.end > site->end) {
                site->end = old.end;
                site->pos_end = old.pos_end;
            }
        }
        order_remove_marks(o, sync, mark.site);
        i = UINT32_MAX;
    }
    return !is_killed(o, slot, site->first, site->end);
}

static uint32_t find_channel(const struct order *o, unsigned from, unsigned to, unsigned slot)
{
    uint32_t sync = 0;

    while (sync < o->syncs &&
           !(o->sync[sync].kind == SYNC_CHANNEL && o->sync[sync].from == from &&
             o->sync[sync].to == to && o->sync[sync].slot == slot && !o->sync[sync].off))
        sync++;
    return sync;
}

/* A token for each slot: whoever uses it waits for it, and gives it back. */
static bool use_slots(struct order *o, uint32_t i, uint32_t j, unsigned slot)
{
    unsigned from = o->pipe[i], to = o->pipe[j];
    struct site sites[2] = {site_before(o, i, to, slot), site_behind(o, j, from, slot)};
    uint32_t sync = find_channel(o, from, to, slot);

    if (!sites[0].found || !sites[1].found)
        return false;
    if (sync == o->syncs)
        add_sync(o, (struct sync){.kind = SYNC_CHANNEL, .from = (uint8_t)from, .to = (uint8_t)to,
                                  .slot = (uint8_t)slot});
    for (unsigned k = 0; k < 2; k++)
        if (join_sites(o, sync, slot, &sites[k]))
            add_site(o, sync, &sites[k], false);
    return true;
}

/* The points of a block behind one thing and before another. */
static struct site between(const struct order *o, const struct end *from, const struct end *to)
{
    uint32_t block = blocks_common(&o->blocks, from->block, to->block);
    struct span a = blocks_item(&o->blocks, block, from->block, from->at);
    struct span b = blocks_item(&o->blocks, block, to->block, to->at);
    bool mark_a = from->rank && from->block == block, mark_b = to->rank && to->block == block;

    return (struct site){block,
                         mark_a ? from->at : a.end,
                         mark_b ? to->at : b.first,
                         mark_a ? from->rank + 1 : RANK_SET,
                         mark_b ? to->rank - 1 : RANK_WAIT,
                         from->pos,
                         to->pos,
                         true};
}

/* Set and wait at one place: where nothing is known of the order of places. */
static void hand_over(struct order *o, const struct end *to, struct sync sync)
{
    struct site site = {to->block, to->at, to->at, RANK_WAIT, RANK_WAIT, to->pos, to->pos, true};

    add_pair(o, add_sync(o, sync), &site);
}

static void order_ends(struct order *o, struct sync sync, const struct end *from,
                       const struct end *to)
{
    struct site site = between(o, from, to);

    if (o->blocks.block[site.block].opaque) {
        hand_over(o, to, sync);
    } else if (site.first < site.end ||
               (site.first == site.end && site.rank_first < site.rank_end)) {
        if (sync.slot && is_killed(o, sync.slot, site.first, site.end))
            sync.slot = SYNC_NO_SLOT;
        sync.kind = SYNC_PAIR;
        add_pair(o, add_sync(o, sync), &site);
    } else {
        struct site back = {site.block, site.end, site.first, site.rank_end, site.rank_first,
                            site.pos_end, site.pos_first, true};

        sync.kind = SYNC_CHANNEL;
        sync.slot = SYNC_NO_SLOT;
        add_site(o, add_sync(o, sync), &back, true);
    }
}

static void order_all(struct order *o, const struct end *before)
{
    add_barrier(o, before, PTO_PIPE_ALL, false);
}

/* Stores of S, before another pipe meets them.  S is in order, so that set and wait may stand at
 * one place: in the block of both, else next to the instruction that waits. */
static void order_stores(struct order *o, const struct need *need)
{
    struct end from = end_of_insn(o, o->at[need->from]), to = end_of_insn(o, o->at[need->to]);
    struct site site = between(o, &from, &to);
    struct sync sync = {.from = PTO_PIPE_S, .to = o->pipe[o->at[need->to]]};
    unsigned tried = order_tried(o, need->from, need->to);

    if (!tried && site.first <= site.end && !o->blocks.block[site.block].opaque) {
        to.at = site.end;
        to.block = site.block;
    }
    if (need->fence || tried > 1)
        add_barrier(o, &to, PTO_PIPE_S, false);
    else
        hand_over(o, &to, sync);
    order_set_tried(o, need->from, need->to, tried ? 2 : 1);
}

/* The first way that has not been tried: tokens of slots, flags, a barrier of all. */
static void order_insns(struct order *o, const struct need *need)
{
    uint32_t i = o->at[need->from], j = o->at[need->to];
    unsigned tried = order_tried(o, need->from, need->to);
    struct end from = end_of_insn(o, i), to = end_of_insn(o, j);
    unsigned slot = only_slot(o, need->kinds);
    struct site site = between(o, &from, &to);
    bool forward = site.first <= site.end;
    struct sync sync = {.from = o->pipe[i], .to = o->pipe[j]};

    if (sync.from == sync.to) {
        add_barrier(o, &to, sync.to, false);
        return;
    }
    if (slot && !o->blocks.block[site.block].opaque && tried == 0) {
        order_set_tried(o, need->from, need->to, 1);
        if ((!forward || is_killed(o, slot, i, j)) && use_slots(o, i, j, slot))
            return;
    }
    if (tried < 2) {
        order_set_tried(o, need->from, need->to, 2);
        sync.slot = (uint8_t)(slot && forward && blocks_repeats(&o->blocks, site.block) ? slot : 0);
        order_ends(o, sync, &from, &to);
        return;
    }
    order_all(o, &to);
}

/* An event is set again when its wait is over: tell the pipe that sets it. */
static void order_event(struct order *o, const struct need *need)
{
    const struct mark *set = &o->mark[need->to];
    struct sync *sync = &o->sync[need->from], back = {.from = sync->to, .to = sync->from};
    struct end to = end_of_mark(set), from = {0};

    for (uint32_t i = 0; i < o->marks; i++)
        if (o->mark[i].sync == need->from && o->mark[i].kind == MARK_WAIT &&
            (sync->kind == SYNC_PAIR || o->mark[i].site == set->site))
            from = end_of_mark(&o->mark[i]);
    if (sync->tried++ || sync->to == PTO_PIPE_S) {
        order_all(o, &to);
        return;
    }
    order_ends(o, back, &from, &to);
}

void plan_need(struct order *o, const struct need *need)
{
    struct end end;

    if (need->all) {
        end = end_of_insn(o, need->to);
        add_barrier(o, &end, need->fence ? PTO_PIPE_S : PTO_PIPE_ALL, false);
    } else if (need->event) {
        order_event(o, need);
    } else if (o->pipe[o->at[need->from]] == PTO_PIPE_S) {
        order_stores(o, need);
    } else {
        order_insns(o, need);
    }
}
