/* Building and tearing down a checker. */
#include <stdlib.h>

#include "check/cache.h"
#include "check/fetches.h"
#include "check/handover.h"
#include "check/held.h"
#include "check/plan.h"
#include "check/travel.h"
#include "check/travel_parcel.h"
#include "check/verdict.h"

static void create_cores(struct pto_check *check)
{
    struct pto_vm *vm = check->vm;

    check->per_rank = vm->rank[0].cores;
    check->cores = (uint32_t)vm->ranks * check->per_rank;
    check->shape = clock_shape_of((uint32_t)vm->ranks, check->per_rank);
    check->core = pto_xcalloc(check->cores, sizeof *check->core);
    for (uint32_t i = 0; i < check->cores; i++) {
        check->core[i].id = i;
        check->core[i].changes = 1;
        check->core[i].core = &vm->rank[i / check->per_rank].core[i % check->per_rank];
    }
    for (unsigned pipe = 0; pipe < PTO_PIPE_COUNT; pipe++)
        check->in_order[pipe] = !(vm->profile.barrier_needed >> pipe & 1);
}

/* Set-ups have no sub-cores. */
static void number_codes(struct pto_check *check)
{
    const struct pto_vm *vm = check->vm;

    check->code = pto_arena_array(&check->arena, (size_t)vm->launches * PTO_CORE_KINDS,
                                  sizeof(const struct ready_code *));
    for (unsigned l = 0; l < vm->launches; l++)
        for (int kind = 0; vm->launch[l].earlier < 0 && kind < PTO_CORE_KINDS; kind++)
            check->code[check->codes++] = &vm->launch[l].ready->core[kind];
}

uint32_t check_code_number(const struct pto_check *check, const struct ready_code *code)
{
    uint32_t number = 0;

    while (check->code[number] != code)
        number++;
    return number;
}

static void create_objects(struct pto_check *check)
{
    struct pto_vm *vm = check->vm;

    check->base = pto_arena_array(&check->arena, (size_t)vm->ranks, sizeof *check->base);
    check->storer = pto_arena_array(&check->arena, (size_t)vm->ranks, sizeof *check->storer);
    check->object = pto_arena_array(&check->arena, (size_t)vm->ranks, sizeof *check->object);
    for (int r = 0; r < vm->ranks; r++) {
        const struct rank *rank = &vm->rank[r];

        check->object[r] =
            pto_arena_array(&check->arena, rank->objects, sizeof *check->object[r]);
        for (unsigned o = 0; o < rank->objects; o++) {
            const struct object *object = &rank->object[o];
            bool ready = object->bound || object->kind == PTO_OBJ_SYM ||
                         object->kind == PTO_OBJ_SIGNAL;

            shadow_init(&check->object[r][o], object->size, ready ? STATE_READY : STATE_NEVER);
        }
    }
}

enum pto_status pto_check_attach(struct pto_vm *vm, struct pto_check **out)
{
    struct pto_check *check;

    if (!vm->prepared || vm->probe)
        return PTO_ECONFIG;
    check = pto_xcalloc(1, sizeof *check);
    check->vm = vm;
    create_cores(check);
    number_codes(check);
    create_objects(check);
    check->states = STATE_READY + 1;
    check->state_capacity = check->states;
    check->state = pto_xcalloc(check->states, sizeof *check->state);
    check->state[STATE_NEVER].never = true;
    check->accesses = 1;
    check->sweep_at = RACE_FIRST_SWEEP;
    check->access_capacity = 1;
    check->access = pto_xcalloc(1, sizeof *check->access);
    check->plan = pto_xcalloc(PLANS_KEPT, sizeof *check->plan);
    travels_create(check);
    check->mail = mailboxes_open(check);
    check->link = (struct probe_link){.probe = &check_probe, .context = check};
    probe_attach(vm, &check->link);
    *out = check;
    return PTO_OK;
}

void pto_check_stop_at_first(struct pto_check *check)
{
    check->stop_at_first = true;
}

void pto_check_share_flags(struct pto_check *check)
{
    check->shared_flags = true;
}

static void free_core(struct pto_check *check, struct check_core *core)
{
    for (unsigned p = 0; p < PTO_PIPE_COUNT; p++) {
        for (uint32_t i = 0; i < core->pipe[p].records; i++) {
            struct record *record = &core->pipe[p].ring[i];

            issued_drop(check, record->issued);
            if (record->token)
                token_give(check, record->token);
            frame_drop(&record->frame);
        }
        free(core->pipe[p].ring);
        frame_drop(&core->pipe[p].at);
    }
    held_free(core);
    for (int space = 0; space < PTO_SPACE_COUNT; space++)
        shadow_free(&core->space[space]);
    frame_drop(&core->s_to_change);
    issued_drop(check, core->issued);
    frame_drop(&core->fresh);
    chunk_drop(core->told);
    for (uint32_t i = 0; core->past && i < PAST_ENTRIES; i++)
        far_drop(core->past[i].far);
    free(core->past);
    for (unsigned lane = 0; lane <= LANE_STORE; lane++)
        history_drop(core->log[lane]);
    free(core->clean);
    cache_forget_lines(core);
    check_forget_tokens(check, core);
    async_forget(core);
}

void pto_check_free(struct pto_check *check)
{
    if (!check)
        return;
    probe_detach(check->vm, &check->link);
    for (uint32_t i = 0; i < check->cores; i++)
        free_core(check, &check->core[i]);
    free(check->core);
    for (int r = 0; r < check->vm->ranks; r++) {
        far_drop(check->base[r]);
        for (unsigned o = 0; o < check->vm->rank[r].objects; o++)
            shadow_free(&check->object[r][o]);
    }
    tokens_free(check);
    frame_drop(&check->match);
    travels_free(check);
    mailboxes_close(check->mail);
    race_free(check);
    free(check->plan);
    shadow_pools_free(&check->pools);
    check_signals_free(check);
    redundant_free(check);
    doubt_free(check);
    fetch_free(check);
    contests_free(check);
    for (uint32_t i = 0; i < check->founds; i++)
        frame_drop(&check->found[i].known);
    free(check->found);
    free(check->note);
    free(check->coverage);
    clock_shape_free(&check->shape);
    pto_arena_free(&check->arena);
    free(check);
}
