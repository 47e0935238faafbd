/* The tables of accesses and states: what nothing refers to any more is given back when twice as
 * much has come together as was left last time.  A sweep costs what it looks at: the next one comes
 * after so many more that this is little for each of them. */
#include <stdlib.h>

#include "check/handover.h"
#include "check/travel.h"
#include "check/verdict.h"

static void mark_use(struct pto_check *check, check_use use)
{
    if (use)
        check->access[use >> 3].marked = true;
}

/* Who asks for a load's heir does not ask for the heir of that. */
static void mark_load(struct pto_check *check, uint32_t load)
{
    if (!load)
        return;
    check->access[load].marked = true;
    if (check->access[load].heir)
        check->access[check->access[load].heir].marked = true;
}

/* Accesses or states that pay for a look at a place, and the most of them that come together. */
enum { FOR_A_LOOK = 4, MOST_FOR_LOOKS = 1 << 20 };

/* A sweep under way. */
struct sweep {
    struct pto_check *check;
    uint64_t looked_at; /* places that refer to states, neighbours with the same one as one */
};

static void mark_state(void *context, uint32_t id)
{
    struct sweep *sweep = context;
    struct pto_check *check = sweep->check;
    struct state *state = &check->state[id];

    sweep->looked_at++;
    if (state->marked)
        return;
    state->marked = true;
    mark_use(check, state->writer);
    mark_load(check, state->load);
    for (uint32_t i = 0; i < state->others; i++)
        mark_use(check, race_others(state)[i]);
}

/* Entries under way hold on to their accesses. */
static void mark_queues(struct pto_check *check)
{
    for (uint32_t c = 0; c < check->cores; c++) {
        async_mark(check, &check->core[c]);
        for (unsigned p = 0; p < PTO_PIPE_COUNT; p++) {
            const struct check_core *core = &check->core[c];
            const struct pipe *pipe = core->core->pipe[p];

            for (uint32_t i = pipe->head; core->pipe[p].ring && i != pipe->next; i++)
                check->access[check_record(core, p, i)->access].marked = true;
        }
    }
}

static void mark_regions(struct sweep *sweep)
{
    struct pto_check *check = sweep->check;
    unsigned objects = check->vm->rank[0].objects;

    for (uint32_t c = 0; c < check->cores; c++)
        for (int s = 0; s < PTO_SPACE_COUNT; s++)
            shadow_visit(&check->core[c].space[s], &check->pools, mark_state, sweep);
    for (int r = 0; r < check->vm->ranks; r++)
        for (unsigned o = 0; o < objects; o++)
            shadow_visit(&check->object[r][o], &check->pools, mark_state, sweep);
}

/* Room in a list for all that there is. */
static uint32_t *reserve(uint32_t **list, uint32_t *capacity, uint32_t most)
{
    if (*capacity < most) {
        *list = pto_xrealloc(*list, (size_t)most * sizeof **list);
        *capacity = most;
    }
    return *list;
}

static void free_unmarked(struct pto_check *check)
{
    uint32_t *spare = reserve(&check->spare_state, &check->spare_state_capacity, check->states);
    uint32_t spares = 0;

    for (uint32_t i = 0; i < check->states; i++) {
        struct state *state = &check->state[i];

        if (!state->marked && i > STATE_READY) {
            if (state->others > 2)
                free(state->many);
            state->others = 0;
            spare[spares++] = i;
        }
        state->marked = false;
    }
    check->spare_states = spares;
    spare = reserve(&check->spare_access, &check->spare_access_capacity, check->accesses);
    spares = 0;
    for (uint32_t i = 1; i < check->accesses; i++) {
        if (!check->access[i].marked) {
            travel_forget(check, &check->access[i]);
            spare[spares++] = i;
        }
        check->access[i].marked = false;
    }
    check->spare_accesses = spares;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t pays_for(uint64_t looks)
{
    return looks < MOST_FOR_LOOKS / FOR_A_LOOK ? FOR_A_LOOK * (uint32_t)looks : MOST_FOR_LOOKS;
}

void race_sweep(struct pto_check *check)
{
    struct sweep sweep = {check, 0};
    uint32_t left;

    mark_regions(&sweep);
    mark_queues(check);
    free_unmarked(check);
    travel_swept(check);
    left = larger(check->states - check->spare_states, check->accesses - check->spare_accesses);
    check->sweep_at = larger(RACE_FIRST_SWEEP, left + larger(left, pays_for(sweep.looked_at)));
}

uint32_t race_grow(struct pto_check *check)
{
    PTO_GROW(check->access, check->accesses, check->access_capacity);
    return check->accesses++;
}

void race_free(struct pto_check *check)
{
    for (uint32_t i = 0; i < check->states; i++)
        if (check->state[i].others > 2)
            free(check->state[i].many);
    free(check->state);
    free(check->access);
    free(check->spare_state);
    free(check->spare_access);
}
