#include "backlog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "crew.h"
#include "due.h"
#include "fault.h"
#include "memory.h"
#include "windows.h"

/* Limits of a backlog: instructions, and windows of an object. */
enum { MOST_JOBS = 4096, MOST_WINDOWS = 1024 };
/* Work is counted in elements; a multiplication takes the host about a sixteenth of an addition.
 * Instructions that have had less than LARGE of late run at once, and a backlog of less than
 * WORTH_SHARING is worked off before other threads are awake. */
enum { MACS_PER_ELEMENT = 16, LARGE = 1024, WORTH_SHARING = 1 << 18, RECENT = 16 };

struct job {
    struct core *core;
    uint8_t pipe;
    struct entry entry;
};

struct queue {
    struct job *job;
    uint32_t count, capacity;
    const struct job *bad; /* it faulted, which it must not: see steady.h */
    char why[OP_MESSAGE_BYTES];
};

/* An instruction that has run without a fault, with all words that could make it fault. */
struct known {
    const struct ready_op *op;
    uint64_t word[ENTRY_WORDS];
};
enum { KNOWN = 1024, TRIES = 8 };

struct backlog {
    struct queue *queue; /* of each AI core */
    unsigned queues;
    struct windows *windows; /* of each object */
    uint64_t work;           /* of all jobs */
    uint64_t recent;         /* RECENT times the average of the last instructions, by age */
    struct known *known;
    struct crew *crew;       /* NULL: none but the caller's so far */
    struct op_args *args;    /* of every thread */
};

/* ---- what may wait -------------------------------------------------------------------------- */

/* The words of an entry but for addresses: regions, offsets in tiles, scalars. */
static void regions_of(const struct entry *entry, struct known *known)
{
    const struct ready_op *op = entry->op;

    memcpy(known->word, entry->word, sizeof known->word);
    memset(known->word + op->words, 0, (ENTRY_WORDS - op->words) * sizeof *known->word);
    known->op = op;
    for (unsigned i = 0; i < op->operands; i++) {
        uint64_t *word = &known->word[op->operand[i].word];

        if (op->operand[i].kind == PTO_O_TILE)
            *word = tile_word(0, tile_rows(*word), tile_cols(*word));
        else if (op->operand[i].kind == PTO_O_GM)
            word[GM_OFFSET] = 0;
    }
}

static bool is_same(const struct known *one, const struct known *other)
{
    return one->op == other->op && !memcmp(one->word, other->word, sizeof one->word);
}

/* Where it is, or where it would be: in one of TRIES places, which the words and the number of the
 * instruction tell. */
static struct known *place_of(const struct core *core, const struct known *known)
{
    uint64_t hash = (uint64_t)(known->op - core->ready->op) * 2 + core->kind;
    struct known *first;

    for (unsigned i = 0; i < known->op->words; i++)
        hash = (hash ^ known->word[i]) * UINT64_C(0x9e3779b97f4a7c15);
    first = &core->rank->backlog->known[hash >> 54 & ~(uint64_t)(TRIES - 1)];
    for (struct known *place = first; place < first + TRIES; place++)
        if (!place->op || is_same(place, known))
            return place;
    return first;
}
_Static_assert(KNOWN == 1 << (64 - 54), "the upper bits of a hash say the place");

void backlog_learn(const struct core *core, const struct entry *entry)
{
    struct known known;

    if (!core->rank->backlog || !entry->op->steady)
        return;
    regions_of(entry, &known);
    *place_of(core, &known) = known;
}

static bool is_known(const struct core *core, const struct entry *entry)
{
    struct known known;

    regions_of(entry, &known);
    return is_same(place_of(core, &known), &known);
}

static uint64_t work_of(unsigned pipe, const struct entry *entry)
{
    const struct ready_operand *operand = &entry->op->operand[0];
    const uint64_t *word = &entry->word[operand->word];

    if (pipe == PTO_PIPE_M)
        return cost_macs(entry) / MACS_PER_ELEMENT;
    if (operand->kind == PTO_O_GM)
        return (uint64_t)gm_rows(word) * gm_cols(word);
    return (uint64_t)tile_rows(*word) * tile_cols(*word);
}

/* ---- windows of global memory --------------------------------------------------------------- */

static struct object *object_of(const struct core *core, const uint64_t *word)
{
    return &core->rank->object[memory_object(core, gm_object(word))->object];
}

/* Does the instruction meet a window that it must not pass? */
static bool must_not_pass(const struct core *core, const struct entry *entry)
{
    const struct backlog *backlog = core->rank->backlog;

    for (unsigned i = 0; i < entry->op->operands; i++) {
        const struct ready_operand *operand = &entry->op->operand[i];
        const uint64_t *word = &entry->word[operand->word];
        const struct bound_object *object;
        struct window window;

        if (operand->kind != PTO_O_GM)
            continue;
        object = memory_object(core, gm_object(word));
        if (window_of(object, word, core->block, &window) &&
            windows_meet(&backlog->windows[object->object], &window,
                         operand->access & (PTO_WRITE | PTO_SCRATCH)))
            return true;
    }
    return false;
}

/* Returns false if an object has too many windows. */
static bool add_windows(struct core *core, const struct entry *entry)
{
    struct backlog *backlog = core->rank->backlog;
    bool room = true;

    for (unsigned i = 0; i < entry->op->operands; i++) {
        const struct ready_operand *operand = &entry->op->operand[i];
        const uint64_t *word = &entry->word[operand->word];
        struct window window;
        struct windows *windows;

        if (operand->kind != PTO_O_GM ||
            !window_of(memory_object(core, gm_object(word)), word, core->block, &window))
            continue;
        windows = &backlog->windows[object_of(core, word) - core->rank->object];
        windows_add(windows, &window, operand->access & (PTO_WRITE | PTO_SCRATCH));
        object_of(core, word)->due = true;
        room = room && windows->read.count + windows->write.count < MOST_WINDOWS;
    }
    return room;
}

/* ---- working off ---------------------------------------------------------------------------- */

static void run_job(struct queue *queue, const struct job *job, struct op_args *args)
{
    const char *why;

    memory_fill_args(job->core, &job->entry, args);
    why = job->entry.op->function(args);
    if (!why || queue->bad)
        return;
    queue->bad = job;
    snprintf(queue->why, sizeof queue->why, "%s", why);
}

static void work_queue(void *context, int item, unsigned worker)
{
    const struct rank *rank = context;
    struct backlog *backlog = rank->backlog;
    struct queue *queue = &backlog->queue[item];

    for (uint32_t i = 0; i < queue->count; i++)
        run_job(queue, &queue->job[i], &backlog->args[worker]);
    queue->count = 0;
}

/* No run is to get here; one that does ends, later than it should, rather than being wrong. */
static void end_run(struct rank *rank, struct queue *queue)
{
    const struct job *bad = queue->bad;

    queue->bad = NULL;
    fault_raise(bad->core, bad->entry.pc, bad->pipe, rank->now, NULL, "%s: %s",
                bad->entry.op->info->mnemonic, queue->why);
}

static bool is_worth_sharing(const struct rank *rank)
{
    return rank->vm->threads > 1 && rank->backlog->work >= WORTH_SHARING;
}

static void hire(struct rank *rank)
{
    struct backlog *backlog = rank->backlog;

    for (unsigned i = 1; i < rank->vm->threads; i++)
        memory_give_room(&backlog->args[i], rank->vm);
    backlog->crew = crew_create(rank->vm->threads, (int)backlog->queues, work_queue, rank);
}

static void work_off(struct rank *rank)
{
    struct backlog *backlog = rank->backlog;

    if (is_worth_sharing(rank)) {
        if (!backlog->crew)
            hire(rank);
        crew_run(backlog->crew);
    } else {
        for (unsigned i = 0; i < backlog->queues; i++)
            work_queue(rank, (int)i, 0);
    }
    for (unsigned i = 0; i < rank->objects; i++) {
        rank->object[i].due = false;
        windows_clear(&backlog->windows[i]);
    }
    backlog->work = 0;
    rank->due = 0;
    for (unsigned i = 0; i < backlog->queues; i++)
        if (backlog->queue[i].bad)
            end_run(rank, &backlog->queue[i]);
}

/* ---- the door ------------------------------------------------------------------------------- */

static void append(struct core *core, unsigned pipe, const struct entry *entry)
{
    struct queue *queue = &core->rank->backlog->queue[core->block];
    struct job *job;

    PTO_GROW(queue->job, queue->count, queue->capacity);
    job = &queue->job[queue->count++];
    job->core = core;
    job->pipe = (uint8_t)pipe;
    job->entry.op = entry->op;
    job->entry.pc = entry->pc;
    job->entry.payload = NULL;
    memcpy(job->entry.word, entry->word, entry->op->words * sizeof *entry->word);
    core->rank->due++;
}

bool backlog_takes(struct core *core, unsigned pipe, const struct entry *entry)
{
    struct rank *rank = core->rank;
    struct backlog *backlog = rank->backlog;
    uint64_t work;

    if (!backlog)
        return false;
    work = work_of(pipe, entry);
    backlog->recent += work - backlog->recent / RECENT;
    if (backlog->recent < (uint64_t)LARGE * RECENT || !entry->op->steady ||
        !is_known(core, entry)) {
        due_settle(rank);
        return false;
    }
    if (must_not_pass(core, entry))
        due_settle(rank);
    backlog->work += work;
    append(core, pipe, entry);
    if (!add_windows(core, entry) || rank->due >= MOST_JOBS)
        work_off(rank);
    return true;
}

void backlog_create(struct rank *rank)
{
    struct backlog *backlog = pto_xcalloc(1, sizeof *backlog);

    backlog->queues = rank->vm->blocks;
    backlog->queue = pto_xcalloc(backlog->queues, sizeof *backlog->queue);
    backlog->windows = pto_xcalloc(rank->objects, sizeof *backlog->windows);
    backlog->known = pto_xcalloc(KNOWN, sizeof *backlog->known);
    backlog->args = pto_xcalloc(rank->vm->threads, sizeof *backlog->args);
    memory_give_room(&backlog->args[0], rank->vm);
    rank->backlog = backlog;
    rank->work_off = work_off;
}

void backlog_free(struct rank *rank)
{
    struct backlog *backlog = rank->backlog;

    if (!backlog)
        return;
    crew_free(backlog->crew);
    for (unsigned i = 0; i < backlog->queues; i++)
        free(backlog->queue[i].job);
    for (unsigned i = 0; i < rank->objects; i++)
        windows_free(&backlog->windows[i]);
    for (unsigned i = 0; i < rank->vm->threads; i++)
        free(backlog->args[i].scratch);
    free(backlog->queue);
    free(backlog->windows);
    free(backlog->known);
    free(backlog->args);
    free(backlog);
}
