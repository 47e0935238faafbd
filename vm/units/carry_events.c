#include "carry_events.h"

#include "machine/observe.h"

/* Where an instruction stands, in words that all processes understand. */
struct place {
    int launch; /* the first of its kernel; -1: there is none */
    unsigned kind;
    uint32_t pc;
};

static struct place place_of(const struct pto_vm *vm, unsigned kind, const struct pto_insn *insn)
{
    for (unsigned l = 0; insn && l < vm->launches; l++) {
        const struct pto_code *code = vm->launch[l].ready->core[kind].code;

        if (vm->launch[l].earlier < 0 && vm->launch[l].kernel->core[kind].present &&
            insn >= code->insn && insn < code->insn + code->insns)
            return (struct place){(int)l, kind, (uint32_t)(insn - code->insn)};
    }
    return (struct place){.launch = -1};
}

/* The first launch of a module, -1: none. */
static int launch_of(const struct pto_vm *vm, const struct pto_module *module)
{
    for (unsigned l = 0; module && l < vm->launches; l++)
        if (&vm->launch[l].program->module == module)
            return (int)l;
    return -1;
}

static void put_event(const struct rank *rank, const struct pto_event *event, struct pto_buf *out)
{
    const struct pto_vm *vm = rank->vm;
    struct place place = place_of(vm, rank->core[event->core].kind, event->insn);
    int launch = launch_of(vm, event->module);
    uint64_t values = observe_values_count(event);

    pto_buf_append(out, event, sizeof *event);
    pto_buf_append(out, &place, sizeof place);
    pto_buf_append(out, &launch, sizeof launch);
    reader_put_text(event->text, out);
    pto_buf_append(out, &values, sizeof values);
    pto_buf_append(out, event->registers, values * sizeof *event->registers);
}

void carry_put_events(struct rank *rank, uint8_t mark, struct pto_buf *out)
{
    for (unsigned i = 0; i < rank->events_gathered; i++) {
        pto_buf_byte(out, mark);
        put_event(rank, &rank->event[i], out);
    }
    rank->events_gathered = 0;
    pto_arena_free(&rank->values);
}

/* The same text as before, if it came before; `copy` is the caller's. */
static const char *keep_text(struct carry_texts *texts, struct pto_arena *arena, const char *copy)
{
    for (unsigned i = 0; i < texts->count; i++)
        if (!strcmp(texts->text[i], copy))
            return texts->text[i];
    PTO_GROW(texts->text, texts->count, texts->capacity);
    return texts->text[texts->count++] = pto_arena_strdup(arena, copy);
}

void carry_take_event(struct pto_vm *vm, struct carry_texts *texts, struct reader *in)
{
    struct pto_event event;
    struct pto_arena room = {0};
    const char *text;
    struct place place;
    struct rank *rank;
    uint64_t values;
    int launch;

    reader_take(in, &event, sizeof event);
    reader_take(in, &place, sizeof place);
    reader_take(in, &launch, sizeof launch);
    text = reader_take_text(in, &room);
    reader_take(in, &values, sizeof values);
    rank = &vm->rank[event.rank];
    event.insn = place.launch < 0
                     ? NULL
                     : &vm->launch[place.launch].ready->core[place.kind].code->insn[place.pc];
    event.module = launch < 0 ? NULL : &vm->launch[launch].program->module;
    event.text = text ? keep_text(texts, &vm->arena, text) : NULL;
    if (event.registers) {
        uint64_t *registers = pto_arena_array(&rank->values, values + 1, sizeof *registers);

        reader_take(in, registers, values * sizeof *registers);
        event.registers = registers;
    }
    pto_arena_free(&room);
    observe_gather(rank, &event);
}

static void ignore(void *context, const struct pto_event *event)
{
    (void)context, (void)event;
}

void carry_observe(struct pto_vm *vm, bool causes, bool values)
{
    if (values)
        pto_vm_observe_values(vm, ignore, NULL);
    else if (causes)
        pto_vm_observe_causes(vm, ignore, NULL);
    else
        pto_vm_observe(vm, ignore, NULL);
}
