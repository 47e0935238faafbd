#include "sync/order.h"

#include <stdlib.h>
#include <string.h>

/* At the end of its block a mark is passed on the way out, inner blocks first; everywhere else on
 * the way in. */
static bool at_end(const struct order *o, const struct mark *mark)
{
    const struct block *block = &o->blocks.block[mark->block];

    return mark->at == block->end && mark->at != block->start;
}

static bool stands_before(const struct order *o, const struct mark *a, const struct mark *b)
{
    unsigned x = o->blocks.block[a->block].depth, y = o->blocks.block[b->block].depth;
    bool ends = at_end(o, a);

    if (a->at != b->at)
        return a->at < b->at;
    if (ends != at_end(o, b))
        return ends;
    if (a->block != b->block && x != y)
        return ends ? x > y : x < y;
    return a->rank < b->rank;
}

/* Is a branch to `at` from instruction `from` in front of this mark at `at`, so that it goes
 * through it? */
static bool lands_before(const struct order *o, const struct mark *mark, uint32_t from)
{
    const struct block *block = &o->blocks.block[mark->block];
    uint32_t loop;

    if (from < mark->at)
        return from >= block->start || mark->at == block->start;
    loop = blocks_common(&o->blocks, o->blocks.of[from], o->blocks.of[mark->at]);
    return !at_end(o, mark) && blocks_holds(&o->blocks, loop, mark->block);
}

bool order_comes_at(const struct order *o, uint32_t at, uint32_t first, uint32_t mark,
                    uint32_t from)
{
    bool is_mark = mark < o->marks && o->mark[mark].at == at;

    return !(is_mark && !lands_before(o, &o->mark[mark], from)) &&
           !(mark > first && lands_before(o, &o->mark[mark - 1], from));
}

uint32_t order_first_mark(const struct order *o, uint32_t at)
{
    uint32_t low = 0, high = o->marks;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (o->mark[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void order_add_mark(struct order *o, struct mark mark)
{
    uint32_t i = order_first_mark(o, mark.at + 1);

    PTO_GROW(o->mark, o->marks, o->mark_room);
    while (i > 0 && stands_before(o, &mark, &o->mark[i - 1]))
        i--;
    memmove(&o->mark[i + 1], &o->mark[i], (o->marks++ - i) * sizeof *o->mark);
    o->mark[i] = mark;
}

void order_remove_marks(struct order *o, uint32_t sync, uint32_t site)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < o->marks; i++)
        if (o->mark[i].sync != sync || o->mark[i].site != site)
            o->mark[kept++] = o->mark[i];
    o->marks = kept;
}

void order_forget_off(struct order *o)
{
    uint32_t *number = pto_xcalloc((size_t)o->syncs + 1, sizeof *number), kept = 0, marks = 0;

    for (uint32_t i = 0; i < o->marks; i++)
        if (!o->sync[o->mark[i].sync].off)
            o->mark[marks++] = o->mark[i];
    o->marks = marks;
    for (uint32_t c = 0; c < o->syncs; c++)
        if (!o->sync[c].off) {
            number[c] = kept;
            o->sync[kept++] = o->sync[c];
        }
    o->syncs = kept;
    for (uint32_t i = 0; i < o->marks; i++)
        o->mark[i].sync = number[o->mark[i].sync];
    free(number);
}
