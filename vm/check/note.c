/* Remarks: what does not make a run wrong, but is worth knowing. */
#include <stdlib.h>

#include "check/verdict.h"

static const struct {
    const char *name, *meaning;
} KIND[PTO_NOTE_KINDS] = {
    [PTO_NOTE_REDUNDANT] = {"redundant-sync", "synchronisation that added no order in this run"},
    [PTO_NOTE_LATE_STORE] = {"late-store",
                             "a rank does not know of a store to it when its last launch ends"},
};

const char *pto_note_name(enum pto_note_kind kind)
{
    return KIND[kind].name;
}

const char *pto_note_meaning(enum pto_note_kind kind)
{
    return KIND[kind].meaning;
}

void note_add(struct pto_check *check, const struct pto_check_note *note)
{
    PTO_GROW(check->note, check->notes, check->note_capacity);
    check->note[check->notes++] = *note;
}

/* By place in the text: the order of discovery may follow addresses of the host. */
static int compare(const void *one, const void *two)
{
    const struct pto_check_note *a = one, *b = two;

    if (a->pos != b->pos)
        return a->pos < b->pos ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

unsigned pto_check_notes(const struct pto_check *check, const struct pto_check_note **notes)
{
    *notes = check->note;
    return check->notes;
}

/* ---- stores that come late ---- */

/* One walk over the bytes of a rank. */
struct late_walk {
    struct pto_check *check;
    int rank;
    const struct object *object;
};

static struct pto_check_note *find_note(struct pto_check *check, const struct pto_module *module,
                                        int32_t pos)
{
    for (unsigned i = 0; i < check->notes; i++)
        if (check->note[i].kind == PTO_NOTE_LATE_STORE && check->note[i].pos == pos &&
            check->note[i].module == module)
            return &check->note[i];
    return NULL;
}

static void look_at_state(void *context, uint32_t id)
{
    const struct late_walk *walk = context;
    struct pto_check *check = walk->check;
    check_use writer = check->state[id].writer;
    const struct frame end = {.far = check->base[walk->rank]};
    const struct access *store = &check->access[writer >> 3];
    struct pto_check_note *note;

    if (!(writer & ACCESS_REMOTE) || race_is_known_by(check, writer, &end, UINT32_MAX))
        return;
    note = find_note(check, store->code->module,
                     (int32_t)store->code->code->insn[store->pc].pos);
    if (note) {
        note->count++;
        return;
    }
    note_add(check, &(struct pto_check_note){
        .kind = PTO_NOTE_LATE_STORE,
        .message = pto_arena_printf(
            &check->arena,
            "%s stores to %s of rank %d, which does not know of it when its last launch ends",
            pto_op_info(store->code->code->insn[store->pc].op)->mnemonic, walk->object->name,
            walk->rank),
        .module = store->code->module,
        .pos = (int32_t)store->code->code->insn[store->pc].pos,
        .rank = walk->rank,
        .count = 1,
    });
}

/* Whoever reads a rank's memory after its end has to know who stores there: the host does not. */
void notes_find(struct pto_check *check)
{
    const struct pto_vm *vm = check->vm;

    for (int r = 0; r < vm->ranks && check->end.finished; r++)
        for (unsigned o = 0; o < vm->rank[r].objects; o++)
            shadow_visit(&check->object[r][o], &check->pools, look_at_state,
                         &(struct late_walk){check, r, &vm->rank[r].object[o]});
}

/* ---- of several processes ---- */

/* The number of a program of the module. */
static uint32_t number_of(const struct pto_check *check, const struct pto_module *module)
{
    uint32_t number = 0;

    while (check->code[number]->module != module)
        number++;
    return number;
}

/* So far there are late stores only. */
void notes_put(const struct pto_check *check, struct pto_buf *out)
{
    pto_buf_u32(out, check->notes);
    for (unsigned i = 0; i < check->notes; i++) {
        pto_buf_append(out, &check->note[i], sizeof check->note[i]);
        pto_buf_u32(out, number_of(check, check->note[i].module));
        reader_put_text(check->note[i].message, out);
    }
}

static void take_note(struct pto_check *check, struct reader *in)
{
    struct pto_check_note note, *known;
    uint32_t number;

    reader_take(in, &note, sizeof note);
    reader_take(in, &number, sizeof number);
    note.module = check->code[number]->module;
    note.message = reader_take_text(in, &check->arena);
    known = find_note(check, note.module, note.pos);
    if (!known) {
        note_add(check, &note);
        return;
    }
    note.count += known->count;
    if (known->rank < note.rank)
        known->count = note.count;
    else
        *known = note;
}

void notes_take(struct pto_check *check, struct reader *in)
{
    uint32_t count;

    for (reader_take(in, &count, sizeof count); count > 0; count--)
        take_note(check, in);
}

void notes_finish(struct pto_check *check)
{
    redundant_finish(check);
    if (check->notes)
        qsort(check->note, check->notes, sizeof *check->note, compare);
}
