/* Advice as changes of the text: where lines go in, and which event they name. */
#include <string.h>

#include "check/advice.h"
#include "check/handover.h"

enum { MOST_EDITS = 2, MOST_FRAMES = 64 };

/* ---- places ---- */

const char *advise_place_of(struct pto_check *check, const struct ready_code *code, uint32_t pc)
{
    const struct pto_module *module = code->module;
    uint32_t pos = code->code->insn[pc].pos;

    if (pos >= module->positions)
        return "an unknown place";
    return pto_arena_printf(&check->arena, "%s:%u", module->file[module->pos[pos].file],
                            module->pos[pos].line);
}

static uint32_t pos_of(const struct party *party)
{
    return party->code->code->insn[party->pc].pos;
}

/* From the outermost use of a macro or include to the place itself; 0: unknown. */
static unsigned frames_of(const struct party *party, uint32_t *frame)
{
    const struct pto_module *module = party->code->module;
    uint32_t reversed[MOST_FRAMES];
    unsigned count = 0;

    for (int64_t pos = pos_of(party); pos >= 0 && pos < module->positions;
         pos = module->pos[pos].parent) {
        if (count == MOST_FRAMES)
            return 0;
        reversed[count++] = (uint32_t)pos;
    }
    for (unsigned i = 0; i < count; i++)
        frame[i] = reversed[count - 1 - i];
    return count;
}

/* Where a party stands in the innermost text that holds both: lines in a macro that the other
 * party has no part in would be those of all its uses. */
static uint32_t common_place(const struct found *found, unsigned wanted)
{
    const struct party *party = &found->party[wanted], *other = &found->party[!wanted];
    uint32_t frame[MOST_FRAMES], others[MOST_FRAMES];
    unsigned count = frames_of(party, frame), other_count, i = 0;

    if (!other->present || other->code->module != party->code->module)
        return count ? frame[0] : UINT32_MAX;
    other_count = frames_of(other, others);
    while (i + 1 < count && i + 1 < other_count && frame[i] == others[i])
        i++;
    return count ? frame[i] : UINT32_MAX;
}

static void add_edit(struct pto_check *check, struct pto_advice *advice,
                     const struct pto_module *module, uint32_t pos, bool after, const char *text)
{
    struct pto_edit *edit;

    if (pos >= module->positions || advice->edits == MOST_EDITS)
        return;
    edit = pto_arena_array(&check->arena, MOST_EDITS, sizeof *edit);
    for (unsigned i = 0; i < advice->edits; i++)
        edit[i] = advice->edit[i];
    edit[advice->edits++] = (struct pto_edit){
        .file = module->file[module->pos[pos].file],
        .line = module->pos[pos].line,
        .column = module->pos[pos].column,
        .after = after,
        .text = text,
    };
    advice->edit = edit;
}

void advise_edit(struct pto_check *check, struct found *found, unsigned party, bool after,
                 const char *text)
{
    add_edit(check, &found->finding.advice, found->party[party].code->module,
             common_place(found, party), after, text);
}

static bool tells(const struct pto_insn *insn)
{
    return insn->op == PTO_OP_TNOTIFY || insn->op == PTO_OP_SYNC_ALL ||
           insn->op == PTO_OP_SET_FLAG_DEV || insn->op == PTO_OP_SET_INTRA_BLOCK ||
           insn->op == PTO_OP_FETCH_ADD;
}

const char *advise_telling_edit(struct pto_check *check, struct found *found, const char *text)
{
    const struct party *first = &found->party[0];
    const struct pto_code *code = first->code->code;

    for (uint32_t pc = first->pc + 1; pc < code->insns; pc++)
        if (tells(&code->insn[pc])) {
            add_edit(check, &found->finding.advice, first->code->module, code->insn[pc].pos, false,
                     text);
            return pto_op_info(code->insn[pc].op)->mnemonic;
        }
    return "TNOTIFY";
}

/* ---- events ---- */

bool advise_is_straight(const struct party *a, const struct party *b)
{
    const struct pto_code *code = a->code->code;

    if (code != b->code->code || a->pc >= b->pc)
        return false;
    for (uint32_t pc = 0; pc < code->insns; pc++) {
        const struct pto_insn *insn = &code->insn[pc];

        for (unsigned i = 0; i < insn->operands; i++)
            if (insn->operand[i].kind == PTO_O_LABEL &&
                ((pc > a->pc && pc < b->pc) ||
                 (insn->operand[i].value > a->pc && insn->operand[i].value <= b->pc)))
                return false;
    }
    return true;
}

/* The register that chooses the slot of a tile of the instruction, or -1. */
static int slot_register(const struct party *party, uint32_t *slots)
{
    const struct pto_insn *insn = &party->code->code->insn[party->pc];
    const struct pto_tile *tile = party->code->core->tile;

    for (unsigned i = 0; i < insn->operands; i++) {
        const struct pto_operand *operand = &insn->operand[i];

        if (operand->kind == PTO_O_TILE && operand->tile.slot.kind == PTO_S_REG) {
            *slots = tile[operand->tile.tile].slots;
            return operand->tile.slot.reg;
        }
    }
    return -1;
}

/* Registers of blocks have a number behind a point that the text does not have. */
static const char *register_text(struct pto_check *check, const struct pto_code *code,
                                 uint16_t reg)
{
    const char *name = code->reg[reg].name;

    return pto_arena_printf(&check->arena, "%%%.*s", (int)strcspn(name, "."), name);
}

/* The name by which the text knows the slot that both parties use, if the events of the slots are
 * free; a macro's text may have another name for it. */
static const char *slot_event(struct pto_check *check, const struct found *found, unsigned src,
                              unsigned dst)
{
    const struct party *a = &found->party[0], *b = &found->party[1];
    uint32_t slots = 0, others = 0;
    int slot = slot_register(a, &slots);

    if (slot < 0 || a->code->code != b->code->code || slot_register(b, &others) != slot ||
        slots > check->vm->profile.events ||
        a->code->module->pos[common_place(found, 0)].parent != PTO_NONE)
        return NULL;
    for (uint32_t id = 0; id < slots; id++)
        if (check->events_used[check_flag_at(src, dst, id)])
            return NULL;
    return register_text(check, a->code->code, (uint16_t)slot);
}

/* set_flags less wait_flags of the event in the program. */
static int balance(const struct pto_code *code, const struct pto_insn *flag)
{
    int sum = 0;

    for (uint32_t pc = 0; pc < code->insns; pc++) {
        const struct pto_insn *insn = &code->insn[pc];

        if ((insn->op == PTO_OP_SET_FLAG || insn->op == PTO_OP_WAIT_FLAG) &&
            insn->operand[0].value == flag->operand[0].value &&
            insn->operand[1].value == flag->operand[1].value &&
            pto_scalar_same(&insn->operand[2].scalar, &flag->operand[2].scalar))
            sum += insn->op == PTO_OP_SET_FLAG ? 1 : -1;
    }
    return sum;
}

const char *advise_half(struct pto_check *check, const struct found *f, unsigned src, unsigned dst)
{
    const struct party *party = &f->party[0];
    const struct pto_code *code = party->code->code;
    bool in_macro;

    if (code != f->party[1].code->code || common_place(f, 1) >= party->code->module->positions)
        return NULL;
    in_macro = party->code->module->pos[common_place(f, 1)].parent != PTO_NONE;
    for (uint32_t pc = 0; pc < code->insns; pc++) {
        const struct pto_insn *insn = &code->insn[pc];
        const struct pto_scalar *event;

        if (insn->op != PTO_OP_SET_FLAG || insn->operand[0].value != src ||
            insn->operand[1].value != dst || balance(code, insn) <= 0)
            continue;
        event = &insn->operand[2].scalar;
        if (event->kind == PTO_S_INT)
            return pto_arena_printf(&check->arena, "%lld", (long long)event->i);
        if (event->kind == PTO_S_REG && !in_macro)
            return register_text(check, code, event->reg);
    }
    return NULL;
}

const char *advise_event(struct pto_check *check, const struct found *found, unsigned src,
                         unsigned dst, bool *spare)
{
    const char *slot = slot_event(check, found, src, dst);

    *spare = true;
    if (slot)
        return slot;
    for (unsigned id = 0; id < check->vm->profile.events; id++)
        if (!check->events_used[check_flag_at(src, dst, id)])
            return pto_arena_printf(&check->arena, "%u", id);
    *spare = false;
    return "0";
}
