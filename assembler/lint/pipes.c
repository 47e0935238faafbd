#include "pipes.h"

#include <stdlib.h>
#include <string.h>

enum { PIPES = PTO_PIPE_COUNT, MOST_TOUCHES = 16 };

/* How much of each pipe's work is known to be complete, counted from the beginning. */
struct knows {
    uint32_t of[PIPES];
};

enum kind { WORK, SET, WAIT, BARRIER };

struct item {
    uint8_t kind, src, dst, id; /* WORK and BARRIER: the pipe is `dst` */
    struct knows issue;         /* what S knew */
    uint8_t touches;
    struct {
        uint32_t slot;
        uint8_t access;
    } touch[MOST_TOUCHES];
};

struct queue {
    struct item *item;
    uint32_t items, room, next;
};

/* Tokens of one flag that are there, and how often it was set and waited for. */
struct flag {
    struct knows *token;
    uint32_t tokens, room, taken;
    uint32_t *waited; /* by number of the token: the wait's place among its pipe's work */
    uint32_t waits, wait_room;
};

struct cell {
    uint32_t written, read[PIPES]; /* places among their pipe's work; 0: never */
    uint8_t writer;
};

struct lint_pipes {
    const struct pto_profile *profile;
    struct queue queue[PIPES];
    struct knows known[PIPES];
    uint32_t count[PIPES], published; /* S's own stores that pipes are told of */
    struct flag flag[PIPES][PIPES][PTO_EVENT_LIMIT];
    struct cell *cell;
    uint32_t cells;
    struct item item; /* being made */
    bool wrong;
};

struct lint_pipes *lint_pipes_new(const struct pto_profile *profile, uint32_t slots)
{
    struct lint_pipes *p = pto_xcalloc(1, sizeof *p);

    p->profile = profile;
    p->cells = slots;
    p->cell = pto_xcalloc((size_t)slots + 1, sizeof *p->cell);
    return p;
}

static struct flag *first_flag(struct lint_pipes *p)
{
    return &p->flag[0][0][0];
}

enum { FLAGS = PIPES * PIPES * PTO_EVENT_LIMIT };

void lint_pipes_free(struct lint_pipes *p)
{
    for (unsigned i = 0; i < FLAGS; i++) {
        free(first_flag(p)[i].token);
        free(first_flag(p)[i].waited);
    }
    for (unsigned i = 0; i < PIPES; i++)
        free(p->queue[i].item);
    free(p->cell);
    free(p);
}

void lint_pipes_begin(struct lint_pipes *p)
{
    for (unsigned i = 0; i < FLAGS; i++) {
        struct flag *flag = &first_flag(p)[i];

        flag->tokens = flag->taken = flag->waits = 0;
    }
    for (unsigned i = 0; i < PIPES; i++)
        p->queue[i].items = p->queue[i].next = 0;
    memset(p->known, 0, sizeof p->known);
    memset(p->count, 0, sizeof p->count);
    memset(p->cell, 0, p->cells * sizeof *p->cell);
    p->published = 0;
    p->wrong = false;
}

bool lint_pipes_wrong(const struct lint_pipes *p)
{
    return p->wrong;
}

static void learn(struct knows *to, const struct knows *from)
{
    for (unsigned i = 0; i < PIPES; i++)
        if (from->of[i] > to->of[i])
            to->of[i] = from->of[i];
}

/* The next of a pipe's work; what comes later knows of it where the pipe keeps its order. */
static uint32_t next_of(struct lint_pipes *p, unsigned pipe)
{
    uint32_t place = ++p->count[pipe];

    if (pipe == PTO_PIPE_S || !(p->profile->barrier_needed >> pipe & 1))
        p->known[pipe].of[pipe] = place;
    return place;
}

/* Products into one accumulator are a chain. */
static bool waited_for(const struct lint_pipes *p, unsigned pipe, unsigned other, uint32_t place)
{
    return p->known[pipe].of[other] >= place || (pipe == PTO_PIPE_M && other == PTO_PIPE_M);
}

static void work(struct lint_pipes *p, const struct item *item)
{
    unsigned pipe = item->dst;
    uint32_t place;

    for (unsigned i = 0; i < item->touches; i++) {
        const struct cell *cell = &p->cell[item->touch[i].slot];

        p->wrong = p->wrong || !waited_for(p, pipe, cell->writer, cell->written);
        for (unsigned q = 0; q < PIPES && item->touch[i].access & PTO_WRITE; q++)
            p->wrong = p->wrong || !waited_for(p, pipe, q, cell->read[q]);
    }
    place = next_of(p, pipe);
    for (unsigned i = 0; i < item->touches; i++) {
        struct cell *cell = &p->cell[item->touch[i].slot];

        if (item->touch[i].access & PTO_READ)
            cell->read[pipe] = place;
        if (item->touch[i].access & PTO_WRITE) {
            cell->written = place;
            cell->writer = (uint8_t)pipe;
        }
    }
}

/* A token is set behind the wait for the one whose room it takes. */
static void set(struct lint_pipes *p, const struct item *item)
{
    struct flag *flag = &p->flag[item->src][item->dst][item->id];
    uint32_t number = flag->taken + flag->tokens, depth = p->profile->flag_depth;

    if (number >= depth && (flag->waits <= number - depth ||
                            p->known[item->src].of[item->dst] < flag->waited[number - depth]))
        p->wrong = true;
    PTO_GROW(flag->token, flag->tokens, flag->room);
    flag->token[flag->tokens] = p->known[item->src];
    flag->token[flag->tokens++].of[item->src] = p->count[item->src];
}

static bool take(struct lint_pipes *p, const struct item *item)
{
    struct flag *flag = &p->flag[item->src][item->dst][item->id];

    if (!flag->tokens)
        return false;
    learn(&p->known[item->dst], &flag->token[0]);
    flag->tokens--;
    flag->taken++;
    memmove(&flag->token[0], &flag->token[1], flag->tokens * sizeof flag->token[0]);
    PTO_GROW(flag->waited, flag->waits, flag->wait_room);
    flag->waited[flag->waits++] = next_of(p, item->dst);
    return true;
}

/* False: it has to wait. */
static bool execute(struct lint_pipes *p, unsigned pipe, const struct item *item)
{
    learn(&p->known[pipe], &item->issue);
    switch (item->kind) {
    case WAIT:
        return take(p, item);
    case SET:
        set(p, item);
        return true;
    case BARRIER:
        p->known[pipe].of[pipe] = p->count[pipe];
        return true;
    default:
        work(p, item);
        return true;
    }
}

static void advance(struct lint_pipes *p)
{
    bool moved = true;

    while (moved) {
        moved = false;
        for (unsigned pipe = 0; pipe < PIPES; pipe++)
            for (struct queue *q = &p->queue[pipe];
                 q->next < q->items && execute(p, pipe, &q->item[q->next]); moved = true)
                q->next++;
    }
}

/* To the pipe that carries it out; S does so at once. */
static void give(struct lint_pipes *p, unsigned pipe, struct item *item)
{
    struct queue *q = &p->queue[pipe];

    if (pipe == PTO_PIPE_S) {
        p->wrong = !execute(p, pipe, item) || p->wrong;
    } else {
        item->issue = p->known[PTO_PIPE_S];
        item->issue.of[PTO_PIPE_S] = p->published;
        PTO_GROW(q->item, q->items, q->room);
        q->item[q->items++] = *item;
    }
    advance(p);
}

void lint_pipes_flag(struct lint_pipes *p, bool sets, unsigned src, unsigned dst, unsigned id)
{
    struct item item = {.kind = sets ? SET : WAIT, .src = (uint8_t)src, .dst = (uint8_t)dst,
                        .id = (uint8_t)id};

    give(p, sets ? src : dst, &item);
}

void lint_pipes_trust(struct lint_pipes *p)
{
    for (unsigned pipe = 0; pipe < PIPES; pipe++)
        p->known[PTO_PIPE_S].of[pipe] = p->count[pipe];
}

void lint_pipes_barrier(struct lint_pipes *p, unsigned pipe)
{
    struct item item = {.kind = BARRIER, .dst = (uint8_t)pipe};

    if (pipe != PTO_PIPE_ALL) {
        give(p, pipe, &item);
        return;
    }
    for (unsigned i = 0; i < PIPES; i++)
        p->wrong = p->wrong || p->queue[i].next < p->queue[i].items;
    lint_pipes_trust(p);
}

void lint_pipes_publish(struct lint_pipes *p)
{
    p->published = p->count[PTO_PIPE_S];
}

void lint_pipes_work(struct lint_pipes *p, unsigned pipe)
{
    p->item = (struct item){.kind = WORK, .dst = (uint8_t)pipe};
}

void lint_pipes_touch(struct lint_pipes *p, uint32_t slot, unsigned access)
{
    struct item *item = &p->item;

    if (item->touches == MOST_TOUCHES)
        return;
    item->touch[item->touches].slot = slot;
    item->touch[item->touches++].access = (uint8_t)access;
}

void lint_pipes_done(struct lint_pipes *p)
{
    give(p, p->item.dst, &p->item);
}

bool lint_pipes_end(struct lint_pipes *p)
{
    for (unsigned i = 0; i < FLAGS; i++)
        p->wrong = p->wrong || first_flag(p)[i].tokens;
    for (unsigned i = 0; i < PIPES; i++)
        p->wrong = p->wrong || p->queue[i].next < p->queue[i].items;
    return !p->wrong;
}
