#include "carry.h"

#include <stdlib.h>
#include <string.h>

#include "carry_events.h"
#include "machine/probe.h"
#include "machine/topology.h"

struct carry {
    const struct pto_carrier *carrier;
    int *dealt, *first; /* ranks by process; where each process's begin among them, and the end */
    struct pto_parcel *out, *in;
    struct pto_buf *leaving; /* for each process: records */
    uint64_t earliest;       /* arrival of a message among them */
    struct message **arrived;
    uint32_t arrivals, taken, capacity;
    struct carry_texts texts;
    struct pto_traffic traffic; /* of this process; in the end of all */
};

/* ---- who has what ------------------------------------------------------------------------- */

/* The process that has a rank if they are dealt in blocks. */
static int block_of(int rank, int ranks, int processes)
{
    return (int)(((int64_t)(rank + 1) * processes - 1) / ranks);
}

int carry_rank(const struct pto_vm *vm, int process, int number)
{
    const int *first = &vm->carry->first[process];

    return first[0] + number < first[1] ? vm->carry->dealt[first[0] + number] : -1;
}

int carry_most(const struct pto_vm *vm)
{
    const struct carry *carry = vm->carry;
    int most = 0;

    for (int p = 0; p < carry->carrier->processes; p++)
        if (carry->first[p + 1] - carry->first[p] > most)
            most = carry->first[p + 1] - carry->first[p];
    return most;
}

/* Who has which ranks. */
static void deal(struct pto_vm *vm)
{
    struct carry *carry = vm->carry;
    const struct pto_carrier *carrier = carry->carrier;
    int *owner = pto_arena_array(&vm->arena, (size_t)vm->ranks, sizeof *owner), dealt = 0;

    carry->dealt = pto_arena_array(&vm->arena, (size_t)vm->ranks, sizeof *carry->dealt);
    carry->first = pto_arena_array(&vm->arena, (size_t)carrier->processes + 1,
                                   sizeof *carry->first);
    for (int r = 0; r < vm->ranks; r++)
        owner[r] = carrier->owner ? carrier->owner[r]
                                  : block_of(r, vm->ranks, carrier->processes);
    for (int p = 0; p < carrier->processes; p++) {
        carry->first[p] = dealt;
        for (int r = 0; r < vm->ranks; r++)
            if (owner[r] == p)
                carry->dealt[dealt++] = r;
    }
    carry->first[carrier->processes] = dealt;
    vm->process = carrier->process;
    vm->owner = owner;
    vm->own = carry->dealt + carry->first[vm->process];
    vm->owns = carry->first[vm->process + 1] - carry->first[vm->process];
}

/* Is every node whole in one process? */
static bool keeps_nodes(const struct pto_vm *vm)
{
    const int width = topology_node(&vm->topology);

    for (int r = 0; r < vm->ranks; r++)
        if (vm->owner[r] != vm->owner[r - r % width])
            return false;
    return true;
}

/* Then all that leaves a process, and all whose wires others share, takes as long as between
 * nodes. */
uint64_t carry_lead(const struct pto_vm *vm)
{
    return vm->reach > vm->window && keeps_nodes(vm) ? vm->reach : vm->window;
}

static void keep_all(struct pto_vm *vm)
{
    int *own = pto_arena_array(&vm->arena, (size_t)vm->ranks, sizeof *own);

    for (int r = 0; r < vm->ranks; r++)
        own[r] = r;
    vm->own = own;
    vm->owns = vm->ranks;
}

void carry_create(struct pto_vm *vm)
{
    const struct pto_carrier *carrier = vm->options.carrier;
    struct carry *carry;

    if (!carrier) {
        keep_all(vm);
        return;
    }
    carry = vm->carry = pto_xcalloc(1, sizeof *carry);
    carry->carrier = carrier;
    deal(vm);
    carry->out = pto_xcalloc((size_t)carrier->processes, sizeof *carry->out);
    carry->in = pto_xcalloc((size_t)carrier->processes, sizeof *carry->in);
    carry->leaving = pto_xcalloc((size_t)carrier->processes, sizeof *carry->leaving);
    carry->earliest = ENGINE_NEVER;
}

void carry_free(struct pto_vm *vm)
{
    struct carry *carry = vm->carry;
    struct message *message;

    if (!carry)
        return;
    while ((message = carry_arrived(vm)) != NULL) {
        free(message->payload);
        free(message);
    }
    for (int p = 0; p < carry->carrier->processes; p++)
        pto_buf_free(&carry->leaving[p]);
    free(carry->leaving);
    free(carry->out);
    free(carry->in);
    free(carry->arrived);
    free(carry->texts.text);
    free(carry);
}

/* ---- records ------------------------------------------------------------------------------ */

enum record { RECORD_MESSAGE, RECORD_LINE, RECORD_EVENT };

struct line_record {
    int rank;
    unsigned core; /* the number of the sub-core */
    uint64_t time, size;
};

static uint8_t *take_copy(struct reader *in, size_t size)
{
    uint8_t *copy = pto_xmalloc(size + 1);

    reader_take(in, copy, size);
    copy[size] = 0;
    return copy;
}

/* The sub-core with this name. */
static unsigned number_of(const struct rank *rank, const char *name)
{
    unsigned number = 0;

    while (rank->core[number].name != name)
        number++;
    return number;
}

/* What a rank has printed leaves for process 0. */
static void put_lines(struct rank *rank, struct pto_buf *out)
{
    for (unsigned i = 0; i < rank->printed_lines; i++) {
        const struct printed *line = &rank->printed[i];
        const struct line_record record = {rank->number, number_of(rank, line->core), line->time,
                                           strlen(line->text)};

        pto_buf_byte(out, RECORD_LINE);
        pto_buf_append(out, &record, sizeof record);
        pto_buf_append(out, line->text, record.size);
        free(line->text);
    }
    rank->printed_lines = 0;
}

static void take_line(struct pto_vm *vm, struct reader *in)
{
    struct line_record record;
    struct rank *rank;

    reader_take(in, &record, sizeof record);
    rank = &vm->rank[record.rank];
    PTO_GROW(rank->printed, rank->printed_lines, rank->printed_capacity);
    rank->printed[rank->printed_lines++] =
        (struct printed){.text = (char *)take_copy(in, record.size),
                         .core = rank->core[record.core].name,
                         .time = record.time};
    vm->printed = true;
}

void carry_message(struct pto_vm *vm, struct message *message)
{
    struct carry *carry = vm->carry;
    struct pto_buf *out = &carry->leaving[vm->owner[message->target]];

    if (message->arrival < vm->rank[message->target].dies_at)
        carry->earliest = message->arrival < carry->earliest ? message->arrival : carry->earliest;
    carry->traffic.messages++;
    carry->traffic.payload += message->bytes;
    pto_buf_byte(out, RECORD_MESSAGE);
    pto_buf_append(out, message, sizeof *message);
    if (message->payload)
        pto_buf_append(out, message->payload, message->bytes);
    PROBE(vm, leave, message, out);
    free(message->payload);
    free(message);
}

static void take_message(struct pto_vm *vm, struct reader *in)
{
    struct carry *carry = vm->carry;
    struct message *message = pto_xmalloc(sizeof *message);

    reader_take(in, message, sizeof *message);
    if (message->payload) /* that it has one; where it was means nothing here */
        message->payload = take_copy(in, message->bytes);
    PROBE(vm, come, message, in);
    PTO_GROW(carry->arrived, carry->arrivals, carry->capacity);
    carry->arrived[carry->arrivals++] = message;
}

struct message *carry_arrived(struct pto_vm *vm)
{
    struct carry *carry = vm->carry;

    if (carry->taken < carry->arrivals)
        return carry->arrived[carry->taken++];
    carry->taken = carry->arrivals = 0;
    return NULL;
}

/* ---- meetings ----------------------------------------------------------------------------- */

enum {
    NEWS_PAUSED = 1,
    NEWS_UNFINISHED = 2,
    NEWS_WOKE = 4,
    NEWS_BUSY = 8,
    NEWS_WATCHED = 16,
    NEWS_CAUSES = 32,
    NEWS_VALUES = 64,
    NEWS_RESTS = 128
};
enum { WORD_NEXT, WORD_FLAGS, WORD_FAULT, WORD_FIRST_LAUNCH, WORD_LAST_LAUNCH, WORD_LATEST_END };

static void put_news(const struct news *news, uint64_t *word)
{
    word[WORD_NEXT] = news->next;
    word[WORD_FLAGS] = (news->paused ? NEWS_PAUSED : 0u) |
                       (news->unfinished ? NEWS_UNFINISHED : 0u) | (news->woke ? NEWS_WOKE : 0u) |
                       (news->busy ? NEWS_BUSY : 0u) | (news->watched ? NEWS_WATCHED : 0u) |
                       (news->causes ? NEWS_CAUSES : 0u) | (news->values ? NEWS_VALUES : 0u) |
                       (news->rests ? NEWS_RESTS : 0u);
    word[WORD_FAULT] = news->fault;
    word[WORD_FIRST_LAUNCH] = news->first_launch;
    word[WORD_LAST_LAUNCH] = news->last_launch;
    word[WORD_LATEST_END] = news->latest_end;
}

static void add_news(const uint64_t *word, struct news *all)
{
    uint64_t flags = word[WORD_FLAGS];

    all->next = min_u64(all->next, word[WORD_NEXT]);
    all->fault = min_u64(all->fault, word[WORD_FAULT]);
    all->paused |= (flags & NEWS_PAUSED) != 0;
    all->unfinished |= (flags & NEWS_UNFINISHED) != 0;
    all->woke |= (flags & NEWS_WOKE) != 0;
    all->busy |= (flags & NEWS_BUSY) != 0;
    all->watched |= (flags & NEWS_WATCHED) != 0;
    all->causes |= (flags & NEWS_CAUSES) != 0;
    all->values |= (flags & NEWS_VALUES) != 0;
    all->rests |= (flags & NEWS_RESTS) != 0;
    all->first_launch = (unsigned)min_u64(all->first_launch, word[WORD_FIRST_LAUNCH]);
    all->last_launch = (unsigned)max_u64(all->last_launch, word[WORD_LAST_LAUNCH]);
    all->latest_end = max_u64(all->latest_end, word[WORD_LATEST_END]);
}

/* Give away what has come together. */
static void meet(struct carry *carry)
{
    for (int p = 0; p < carry->carrier->processes; p++) {
        carry->out[p].data = carry->leaving[p].data;
        carry->out[p].size = carry->leaving[p].size;
        carry->traffic.parcels += carry->leaving[p].size > 0;
        carry->traffic.bytes += carry->leaving[p].size;
    }
    carry->traffic.meetings++;
    carry->carrier->meet(carry->carrier->context, carry->out, carry->in);
    for (int p = 0; p < carry->carrier->processes; p++)
        carry->leaving[p].size = 0;
}

static void take_records(struct pto_vm *vm, struct pto_parcel *parcel)
{
    struct reader in = {parcel->data, parcel->data + parcel->size};

    while (in.at < in.end)
        switch (*in.at++) {
        case RECORD_MESSAGE:
            take_message(vm, &in);
            break;
        case RECORD_LINE:
            take_line(vm, &in);
            break;
        default:
            carry_take_event(vm, &vm->carry->texts, &in);
        }
    free(parcel->data);
}

void carry_meet(struct pto_vm *vm, struct news *news)
{
    struct carry *carry = vm->carry;
    const int processes = carry ? carry->carrier->processes : 0;

    if (!carry)
        return;
    news->next = min_u64(news->next, carry->earliest);
    carry->earliest = ENGINE_NEVER;
    for (int i = 0; i < vm->owns && vm->process > 0; i++) {
        put_lines(&vm->rank[vm->own[i]], &carry->leaving[0]);
        carry_put_events(&vm->rank[vm->own[i]], RECORD_EVENT, &carry->leaving[0]);
    }
    for (int p = 0; p < processes; p++)
        put_news(news, carry->out[p].word);
    meet(carry);
    *news = no_news();
    for (int p = 0; p < processes; p++) {
        add_news(carry->in[p].word, news);
        if (carry->in[p].size)
            take_records(vm, &carry->in[p]);
    }
}

static void take_announced(struct pto_vm *vm, struct pto_parcel *parcel)
{
    struct reader in = {parcel->data, parcel->data + parcel->size};

    while (in.at < in.end) {
        struct message *message = pto_xmalloc(sizeof *message);

        reader_take(&in, message, sizeof *message);
        message->payload = NULL;
        PTO_GROW(vm->sent, vm->messages_sent, vm->sent_capacity);
        vm->sent[vm->messages_sent++] = message;
    }
    free(parcel->data);
}

void carry_announce(struct pto_vm *vm)
{
    struct carry *carry = vm->carry;

    if (!carry)
        return;
    for (int p = 0; p < carry->carrier->processes; p++)
        for (uint32_t i = 0; i < vm->messages_sent && p != carry->carrier->process; i++)
            pto_buf_append(&carry->leaving[p], vm->sent[i], sizeof *vm->sent[i]);
    meet(carry);
    for (int p = 0; p < carry->carrier->processes; p++)
        if (carry->in[p].size)
            take_announced(vm, &carry->in[p]);
}

void carry_home(struct pto_vm *vm, struct pto_buf *data, struct pto_buf *in)
{
    struct carry *carry = vm->carry;

    if (carry->carrier->process > 0)
        pto_buf_append(&carry->leaving[0], data->data, data->size);
    meet(carry);
    for (int p = 0; p < carry->carrier->processes; p++)
        in[p] = (struct pto_buf){carry->in[p].size ? carry->in[p].data : NULL, carry->in[p].size,
                                 carry->in[p].size};
}

void carry_wires(struct pto_vm *vm)
{
    const uint32_t wires = topology_wires(&vm->topology);
    const int processes = vm->carry->carrier->processes;
    struct pto_buf *in = pto_xcalloc((size_t)processes, sizeof *in), own = {0};

    pto_buf_append(&own, vm->wire, wires * sizeof *vm->wire);
    carry_home(vm, &own, in);
    for (int p = 1; p < processes; p++) {
        struct reader reader = {in[p].data, in[p].data + in[p].size};
        struct wire wire;

        for (uint32_t w = 0; w < wires && in[p].size; w++) {
            reader_take(&reader, &wire, sizeof wire);
            if (wire.free_at > vm->wire[w].free_at)
                vm->wire[w] = wire;
        }
        pto_buf_free(&in[p]);
    }
    pto_buf_free(&own);
    free(in);
}

/* ---- counts ------------------------------------------------------------------------------- */

void carry_add_up(struct pto_vm *vm)
{
    struct carry *carry = vm->carry;
    struct pto_traffic *sum = &carry->traffic;
    const uint64_t own[] = {sum->parcels, sum->messages, sum->payload, sum->bytes};

    for (int p = 0; p < carry->carrier->processes; p++)
        memcpy(carry->out[p].word, own, sizeof own);
    meet(carry);
    sum->parcels = sum->messages = sum->payload = sum->bytes = 0;
    for (int p = 0; p < carry->carrier->processes; p++) {
        sum->parcels += carry->in[p].word[0];
        sum->messages += carry->in[p].word[1];
        sum->payload += carry->in[p].word[2];
        sum->bytes += carry->in[p].word[3];
    }
}

struct pto_traffic pto_vm_traffic(const struct pto_vm *vm)
{
    struct pto_traffic traffic = vm->carry ? vm->carry->traffic : (struct pto_traffic){0};

    traffic.windows = vm->windows;
    return traffic;
}
