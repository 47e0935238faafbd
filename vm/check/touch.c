/* The accesses of a run: which bytes the machine touches, for whom, at the moments when it does. */
#include <stdlib.h>
#include <string.h>

#include "check/cache.h"
#include "check/fetches.h"
#include "check/handover.h"
#include "check/held.h"
#include "check/plan.h"
#include "check/verdict.h"
#include "machine/effect.h"
#include "machine/memory.h"
#include "machine/wake.h"

/* ---- bytes ---- */

static struct shadow *space_shadow(struct check_core *core, unsigned space)
{
    struct shadow *shadow = &core->space[space];
    uint32_t size = core->core->ready->space_used[space];

    if (shadow->size != size) {
        shadow_free(shadow);
        shadow_init(shadow, size, STATE_NEVER);
    }
    return shadow;
}

/* Does nobody ever write the object, so that its states never change? */
static bool is_constant(const struct object *object)
{
    return object->kind == PTO_OBJ_IN && object->bound;
}

/* Where the bytes of a view are judged. */
struct judged {
    struct pto_check *check;
    struct shadow *shadow;
    uint64_t base; /* of the view in the region */
    struct check_core *holder; /* of loads that are kept for themselves (held.h); NULL: no one */
};

static void judge_bytes(void *context, const struct effect_pieces *pieces)
{
    const struct judged *judged = context;
    struct effect_pieces there = *pieces;

    there.offset += judged->base;
    if (judged->holder)
        held_meet_pieces(judged->check, judged->holder, &there);
    race_bytes(judged->check, judged->shadow, &there);
}

/* All bytes of a view; those that an instruction takes of an operand. */
static void judge_view(struct judged judged, const struct op_view *view)
{
    struct effect_pieces piece;

    if (effect_view_is_piece(view, pto_dtype_size(view->dtype), &piece))
        race_piece(judged.check, judged.shadow, judged.base + piece.offset, piece.length);
    else
        effect_of_view(view, judge_bytes, &judged);
}

static __attribute__((noinline)) void judge_pieces(struct judged judged, const struct ready_op *op,
                                                   const struct op_args *args, unsigned index)
{
    effect_bytes(op, args, index, judge_bytes, &judged);
}

static inline __attribute__((always_inline)) void judge_operand(const struct judged *judged,
                                                                const struct ready_op *op,
                                                                const struct op_args *args,
                                                                unsigned index)
{
    struct effect_pieces piece;

    if (effect_is_piece(op, args, index, &piece)) {
        if (judged->holder)
            held_meet(judged->check, judged->holder, judged->base + piece.offset, piece.length);
        race_piece(judged->check, judged->shadow, judged->base + piece.offset, piece.length);
        return;
    }
    judge_pieces(*judged, op, args, index);
}

/* Atomic accesses come in any order; for TNOTIFY see signal.c. */
static void note_contest(struct pto_check *check, uint32_t object, uint64_t offset)
{
    const struct access *access = &check->access[check->touch.use >> 3];
    bool fetches;

    if (!check->contests || !(check->touch.use & ACCESS_ATOMIC) ||
        access->code->code->insn[access->pc].op == PTO_OP_TNOTIFY)
        return;
    fetches = access->lane == PTO_PIPE_S;
    contest_note(check, check->touch.rank, object, offset,
                 &(struct contest_act){fetches ? CONTEST_FETCH : CONTEST_ATOMIC, access->core,
                                       access->act, fetches ? access->epoch : access->told + 1,
                                       access->time, access->code, access->pc},
                 check->touch.frame);
}

static inline bool is_quick(const struct pto_check *check)
{
    return !check->touch.unstarted && !(check->touch.use & ACCESS_ATOMIC);
}

/* The bytes from `address` on in an object that somebody writes. */
static struct judged in_object(struct pto_check *check, const struct rank *rank, uint32_t number,
                               const uint8_t *address)
{
    const struct object *object = &rank->object[number];
    uint64_t offset = (uint64_t)(address - object->data);

    check->touch.global = true;
    check->touch.quick = is_quick(check) && check->touch.lane != PTO_PIPE_S;
    check->touch.tile = 0;
    check->touch.object = object;
    check->touch.rank = rank->number;
    note_contest(check, number, offset);
    return (struct judged){check, &check->object[rank->number][number], offset, NULL};
}

void touch_object(struct pto_check *check, const struct rank *rank, uint32_t number,
                  const struct op_view *view)
{
    if (!is_constant(&rank->object[number]))
        judge_view(in_object(check, rank, number, view->data), view);
}

/* Number + 1 of the tile that has the bytes: of a view, the one below all others.  0: TASSIGN has
 * moved it, perhaps into another tile. */
static __attribute__((noinline)) uint32_t moved_tile_number(const struct core *core,
                                                            const struct ready_operand *operand)
{
    const struct pto_tile *first = core->ready->core->tile, *tile = operand->tile;

    while (core->tile_address[tile - first] == tile->address && tile->parent != PTO_NONE)
        tile = &first[tile->parent];
    return core->tile_address[tile - first] == tile->address ? (uint32_t)(tile - first) + 1 : 0;
}

static inline uint32_t tile_number(const struct core *core, const struct ready_operand *operand)
{
    return core->ready->tiles_move[operand->tile->space] ? moved_tile_number(core, operand)
                                                         : operand->root + 1u;
}

/* The bytes from `address` on in a tile, which may be in the memory of another sub-core, whose
 * program has tiles of its own there. */
static inline struct judged in_tile(struct pto_check *check, struct check_core *core,
                                    const struct ready_operand *operand, const uint8_t *address)
{
    unsigned space = operand->view.space;

    check->touch.global = false;
    check->touch.quick = is_quick(check);
    check->touch.space = (uint8_t)space;
    check->touch.tile = operand->abroad ? 0 : tile_number(core->core, operand);
    if (operand->abroad)
        core = check_core_of(check, core_home(core->core, operand));
    return (struct judged){check, space_shadow(core, space),
                           (uint64_t)(address - core->core->chip->data[space]),
                           core->held_pages ? core : NULL};
}

uint32_t touch_object_number(const struct core *core, uint32_t object)
{
    const struct rank *rank = core->rank;

    return rank->vm->launch[rank->launch].bound[rank->number][object].object;
}

void touch_global(struct pto_check *check, const struct core *source, const uint64_t *word,
                  const struct op_view *view)
{
    touch_object(check, source->rank, touch_object_number(source, gm_object(word)), view);
}

/* The bytes from `address` on of a global operand; false: there is nothing to judge here. */
static inline bool in_window(struct pto_check *check, const struct core *core,
                             const struct ready_operand *operand, const struct entry *entry,
                             const uint8_t *address, struct judged *judged)
{
    const struct rank *rank = core->rank;
    const uint64_t *word = &entry->word[operand->word];
    uint32_t number;

    if (gm_rank(word) != rank->number)
        return false;
    number = touch_object_number(core, gm_object(word));
    if (is_constant(&rank->object[number]))
        return false;
    *judged = in_object(check, rank, number, address);
    return true;
}

static inline __attribute__((always_inline)) void
touch_operand(struct pto_check *check, struct check_core *core, const struct ready_op *op,
              const struct entry *entry, const struct op_args *args, unsigned index)
{
    const struct ready_operand *operand = &op->operand[index];
    const uint8_t *address = args->arg[index].view.data;
    struct judged judged;

    if (operand->kind == PTO_O_TILE)
        judged = in_tile(check, core, operand, address);
    else if (!in_window(check, core->core, operand, entry, address, &judged))
        return;
    judge_operand(&judged, op, args, index);
}

/* A load from global memory says what it brings where, for what a shorter one leaves behind. */
static void note_load(struct access *access, const struct core *core, const struct entry *entry,
                      const struct op_args *args)
{
    const struct ready_op *op = entry->op;
    const struct ready_operand *tile = &op->operand[op->extent_tile];
    const struct op_view *view = &args->arg[op->extent_tile].view;
    int64_t within = view->row * view->row_stride + view->col * view->col_stride;

    access->origin = (uint32_t)(view->data - core->chip->data[tile->view.space] + within) + 1;
    access->object = (uint16_t)touch_object_number(
        core, gm_object(&entry->word[op->operand[op->extent_gm].word]));
}

/* The staging tile of a TPUT, which its spec writes, is read where the bytes go out. */
static bool is_load(const struct ready_op *op)
{
    return op->extent_gm >= 0 && op->extent_tile >= 0 && op->writes >> op->extent_tile & 1 &&
           !(op->reads >> op->extent_tile & 1);
}

enum { WRITES_AT = 16 }; /* bits of operands that are read below, of those that are written above */

/* Begin to judge what a tile instruction writes to this operand. */
static inline void begin_write(struct pto_check *check, check_use self, const struct ready_op *op,
                               const struct op_args *args, unsigned index)
{
    bool atomic = op->atomic >= 0 && op->operand[index].kind == PTO_O_GM &&
                  effect_is_atomic(op, args);

    race_go_on(check, self | ACCESS_WRITE | (atomic ? ACCESS_ATOMIC : 0));
}

/* First what it reads, then what it writes. */
static void touch_operands(struct pto_check *check, struct check_core *core, check_use self,
                           const struct entry *entry, const struct op_args *args)
{
    const struct ready_op *op = entry->op;

    for (uint32_t left = op->reads | (uint32_t)op->writes << WRITES_AT; left; left &= left - 1) {
        unsigned bit = (unsigned)__builtin_ctz(left), i = bit % WRITES_AT;

        if (bit >= WRITES_AT)
            begin_write(check, self, op, args, i);
        else if (!effect_reads(op, args, i))
            continue;
        touch_operand(check, core, op, entry, args, i);
    }
}

/* Bytes of one of its own tiles. */
static inline void touch_planned(struct pto_check *check, struct check_core *core,
                                 const struct plan_use *use)
{
    check->touch.global = false;
    check->touch.quick = !check->touch.unstarted;
    check->touch.space = use->space;
    check->touch.tile = use->tile;
    if (core->held_pages)
        held_meet(check, core, use->offset, use->length);
    race_piece(check, space_shadow(core, use->space), use->offset, use->length);
}

/* A tile instruction. */
static void touch_entry(struct pto_check *check, struct check_core *core,
                        const struct record *record, const struct entry *entry,
                        const struct op_args *args, uint64_t time)
{
    const struct plan *plan = plan_of(check, core->core, entry, args);
    const check_use self = record->access << 3;

    check->access[record->access].time = time;
    if (is_load(entry->op))
        note_load(&check->access[record->access], core->core, entry, args);
    race_begin(check, self, &record->frame);
    if (!plan->uses)
        touch_operands(check, core, self, entry, args);
    for (const struct plan_use *use = plan->use, *end = use + plan->uses; use < end; use++) {
        if (use->write)
            begin_write(check, self, entry->op, args, use->operand);
        if (use->length)
            touch_planned(check, core, use);
        else
            touch_operand(check, core, entry->op, entry, args, use->operand);
    }
}

void touch_complete(void *context, struct core *source, unsigned pipe,
                    const struct op_args *args)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);

    touch_entry(check, core, check_head_record(core, pipe),
                pipe_entry(source->pipe[pipe], source->pipe[pipe]->head), args, source->rank->now);
}

/* The tiles that an entry which has not started is to read and write. */
static void touch_unstarted(struct pto_check *check, struct check_core *core,
                            const struct record *record, unsigned pipe, const struct entry *entry,
                            const struct op_args *args)
{
    const struct ready_op *op = entry->op;
    uint32_t access = check_new_access(check, core, pipe, entry->pc, record);

    check->access[access].time = wake_reached(core->core->rank);
    for (unsigned i = 0; i < op->operands; i++) {
        if (op->operand[i].kind != PTO_O_TILE)
            continue;
        if (effect_reads(op, args, i)) {
            race_begin(check, access << 3, &record->issued->frame);
            touch_operand(check, core, op, entry, args, i);
        }
        if (effect_writes(op, i)) {
            race_begin(check, access << 3 | ACCESS_WRITE, &record->issued->frame);
            touch_operand(check, core, op, entry, args, i);
        }
    }
}

static void touch_queue(struct pto_check *check, struct check_core *core, unsigned number)
{
    const struct pipe *pipe = core->core->pipe[number];
    uint32_t end = check->touch.unstarted ? pipe->tail : pipe->next;
    struct op_args args; /* to look at: nothing is executed */

    for (uint32_t i = check->touch.unstarted ? pipe->next : pipe->head; i != end; i++) {
        const struct entry *entry = pipe_entry(pipe, i);
        struct record *record = check_record(core, number, i);

        if (entry->kind != ENTRY_TILE)
            continue;
        memory_fill_args(core->core, entry, &args);
        if (check->touch.unstarted)
            touch_unstarted(check, core, record, number, entry, &args);
        else
            touch_entry(check, core, record, entry, &args, wake_reached(core->core->rank));
    }
}

static void touch_queues(struct pto_check *check, bool unstarted)
{
    check->touch.unstarted = unstarted;
    for (uint32_t c = 0; c < check->cores; c++) {
        const struct rank *rank = check->core[c].core->rank;

        check->stamp = (struct stamp){unstarted ? PHASE_QUEUED : PHASE_STARTED, 0, rank->number};
        for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++)
            if (check->core[c].pipe[p].ring && !rank->between_launches)
                touch_queue(check, &check->core[c], p);
    }
    check->touch.unstarted = false;
}

void touch_unfinished(struct pto_check *check)
{
    if (!check->end.early)
        return;
    touch_queues(check, false);
    for (uint32_t c = 0; c < check->cores; c++) {
        check->stamp = (struct stamp){PHASE_ENGINES, 0, check->core[c].core->rank->number};
        async_unfinished(check, &check->core[c]);
    }
    touch_queues(check, true);
}

/* The element has not changed yet. */
static void note_fetch(struct pto_check *check, struct check_core *core, uint32_t number,
                       uint64_t offset, const void *element)
{
    const struct core *source = core->core;
    const struct ready_op *op = &source->ready->op[source->ready->insn[source->pc].d];
    int32_t value;

    memcpy(&value, element, sizeof value);
    fetch_note(check, core, number, offset, value,
               (int32_t)(uint32_t)source->reg[op->operand[2].reg]);
}

static void touch_scalar_object(struct pto_check *check, struct check_core *core,
                                uint32_t number, const uint8_t *address, unsigned size)
{
    const struct rank *rank = core->core->rank;
    uint64_t offset = (uint64_t)(address - rank->object[number].data);

    if (check->touch.use & ACCESS_ATOMIC)
        fetch_foresee(check, core->core, number, offset, address);
    if (!is_constant(&rank->object[number]))
        race_piece(check, in_object(check, rank, number, address).shadow, offset, size);
    if (check->touch.use & ACCESS_ATOMIC)
        note_fetch(check, core, number, offset, address);
    if (check->access[check->touch.use >> 3].lane == LANE_STORE)
        line_judge(check, core, number, offset, size);
}

/* The next access of S itself. */
static inline void fill_scalar(struct check_core *core, unsigned lane, struct access *access)
{
    const struct core *source = core->core;
    uint32_t epoch = check_next_epoch(core, lane, source->pc);

    check_change(core)->row.lane[lane] = epoch;
    *access = (struct access){
        .core = core->id,
        .epoch = epoch,
        .pc = source->pc,
        .serial = check_serial(core),
        .told = core->count[PTO_PIPE_S],
        .act = source->acts - 1,
        .lane = (uint8_t)lane,
        .code = source->ready,
        .time = source->time,
    };
}

static check_use scalar_access(struct pto_check *check, struct check_core *core, unsigned lane)
{
    uint32_t id = race_access(check);

    fill_scalar(core, lane, &check->access[id]);
    if (lane == LANE_STORE)
        core->stored = check->access[id].epoch;
    return id << 3;
}

/* A load from a tile that nobody has to hear of now; NULL: it is none. */
static inline struct access *scalar_load(struct pto_check *check, struct check_core *core,
                                         const struct ready_operand *place,
                                         const uint8_t *address)
{
    unsigned space = place->view.space;

    if (place->kind != PTO_O_TILE || place->abroad)
        return NULL;
    return held_take(check, core, space_shadow(core, space), space,
                     (uint64_t)(address - core->core->chip->data[space]),
                     pto_dtype_size(place->view.dtype));
}

static __attribute__((noinline)) void judge_scalar(struct pto_check *check,
                                                   struct check_core *core,
                                                   const struct ready_operand *place,
                                                   const void *address, unsigned mode)
{
    bool atomic = mode == (PTO_READ | PTO_WRITE);
    unsigned size = pto_dtype_size(place->view.dtype);
    check_use self = scalar_access(check, core, mode == PTO_WRITE ? LANE_STORE : PTO_PIPE_S);

    race_begin(check, self | (mode & PTO_WRITE ? ACCESS_WRITE : 0) | (atomic ? ACCESS_ATOMIC : 0),
               &core->s);
    if (place->kind == PTO_O_TILE) {
        struct judged judged = in_tile(check, core, place, address);

        if (judged.holder)
            held_meet(check, core, judged.base, size);
        race_piece(check, judged.shadow, judged.base, size);
    } else {
        touch_scalar_object(check, core, touch_object_number(core->core, place->object), address,
                            size);
    }
}

void touch_scalar(void *context, struct core *source, const struct ready_operand *place,
                  const void *address, unsigned mode)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);
    struct access *access = mode == PTO_READ ? scalar_load(check, core, place, address) : NULL;

    if (access)
        fill_scalar(core, PTO_PIPE_S, access);
    else
        judge_scalar(check, core, place, address, mode);
}
