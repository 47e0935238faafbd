/* Synchronisation that adds no order: a wait whose token tells its pipe nothing new, a barrier or a
 * dsb with nothing to do, every time that it was executed.
 *
 * What can be left out are lines, and only as a whole: a wait with all sets whose tokens it took,
 * the other waits that take tokens of these sets, whatever else stands on these lines, and so on.
 * If none of them adds order, clocks do not change without them, so leaving them out is safe for
 * these inputs; of several such groups that stand in for each other, one at a time.  Lines that do
 * something else as well, like those of slots, cannot be left out, and flags for which a part of
 * the program waits that did not run are not known. */
#include <stdlib.h>
#include <string.h>

#include "check/internal.h"

enum { FIRST_USES = 64 };

static struct sync_use **find_use(struct sync_use **table, uint32_t slots,
                                  const struct pto_code *code, uint32_t pc)
{
    uint64_t at = ((uint64_t)(uintptr_t)code >> 4) * 31 + pc * 0x9e3779b1u;

    for (;; at++) {
        struct sync_use **slot = &table[at & (slots - 1)];

        if (!*slot || ((*slot)->ready->code == code && (*slot)->pc == pc))
            return slot;
    }
}

/* The table's order is that of addresses of the host. */
static int compare(const void *one, const void *two)
{
    const struct sync_use *a = *(const struct sync_use *const *)one;
    const struct sync_use *b = *(const struct sync_use *const *)two;

    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static int compare_pcs(const void *one, const void *two)
{
    const uint32_t *a = one, *b = two;

    return *a < *b ? -1 : *a > *b;
}

static void list_uses(struct pto_check *check)
{
    uint32_t uses = 0;

    check->listed = pto_xmalloc((check->uses + 1) * sizeof(struct sync_use *));
    for (uint32_t i = 0; i < check->use_slots; i++) {
        struct sync_use *use = check->use[i];

        if (!use)
            continue;
        qsort(use->set, use->sets, sizeof *use->set, compare_pcs);
        use->number = check_code_number(check, use->ready);
        check->listed[uses++] = use;
    }
    qsort(check->listed, uses, sizeof *check->listed, compare);
}

static void grow(struct pto_check *check)
{
    uint32_t slots = check->use_slots ? 2 * check->use_slots : FIRST_USES;
    struct sync_use **table = pto_xcalloc(slots, sizeof(struct sync_use *));

    for (uint32_t i = 0; i < check->use_slots; i++)
        if (check->use[i])
            *find_use(table, slots, check->use[i]->ready->code, check->use[i]->pc) = check->use[i];
    free(check->use);
    check->use = table;
    check->use_slots = slots;
}

struct sync_use *redundant_use(struct pto_check *check, const struct ready_code *code, uint32_t pc)
{
    struct sync_use **slot;

    if (2 * check->uses >= check->use_slots)
        grow(check);
    slot = find_use(check->use, check->use_slots, code->code, pc);
    if (!*slot) {
        *slot = pto_arena_alloc(&check->arena, sizeof **slot);
        **slot = (struct sync_use){.ready = code, .pc = pc};
        check->uses++;
    }
    return *slot;
}

const struct sync_use *redundant_find(const struct pto_check *check, const struct ready_code *code,
                                      uint32_t pc)
{
    return check->use_slots ? *find_use(check->use, check->use_slots, code->code, pc) : NULL;
}

struct sync_use *redundant_note(struct pto_check *check, const struct core *core, uint32_t pc,
                                bool useful)
{
    struct sync_use *use = redundant_use(check, core->ready, pc);

    use->times++;
    use->useful = use->useful || useful;
    return use;
}

void redundant_took(struct sync_use *use, uint32_t pc)
{
    for (uint32_t i = 0; i < use->sets; i++)
        if (use->set[i] == pc)
            return;
    if (use->sets < SETS_KEPT)
        use->set[use->sets++] = pc;
    else
        use->useful = true; /* too many to tell what goes with it */
}

/* ---- what goes together ---- */

/* Lines of texts: programs of several files may have parts in common. */
struct lines {
    struct pto_source_line *line;
    uint32_t lines, capacity;
};

static struct pto_source_line line_at(const struct sync_use *use, uint32_t pc)
{
    const struct pto_module *module = use->ready->module;
    uint32_t pos = use->ready->code->insn[pc].pos;

    if (pos >= module->positions)
        return (struct pto_source_line){NULL, pos};
    return (struct pto_source_line){module->file[module->pos[pos].file], module->pos[pos].line};
}

static bool is_file(const char *one, const char *other)
{
    return one && other ? !strcmp(one, other) : one == other;
}

static bool has_line(const struct lines *lines, struct pto_source_line line)
{
    for (uint32_t i = 0; i < lines->lines; i++)
        if (lines->line[i].line == line.line && is_file(lines->line[i].file, line.file))
            return true;
    return false;
}

static void add_line(struct lines *lines, struct pto_source_line line)
{
    if (has_line(lines, line))
        return;
    PTO_GROW(lines->line, lines->lines, lines->capacity);
    lines->line[lines->lines++] = line;
}

static void add_lines(struct lines *lines, const struct sync_use *use)
{
    add_line(lines, line_at(use, use->pc));
    for (uint32_t i = 0; i < use->sets; i++)
        add_line(lines, line_at(use, use->set[i]));
}

static bool goes_with(const struct lines *lines, const struct sync_use *use)
{
    if (has_line(lines, line_at(use, use->pc)))
        return true;
    for (uint32_t i = 0; i < use->sets; i++)
        if (has_line(lines, line_at(use, use->set[i])))
            return true;
    return false;
}

/* Does a line of the use also give a register of the text its value, as that of slots does? */
static bool does_more(const struct sync_use *use)
{
    const struct pto_code *code = use->ready->code;
    struct lines lines = {0};
    bool more = false;

    add_lines(&lines, use);
    for (uint32_t pc = 0; pc < code->insns && !more; pc++) {
        const struct pto_insn *insn = &code->insn[pc];

        more = pto_op_info(insn->op)->class == PTO_SCALAR && insn->operands > 0 &&
               insn->operand[0].kind == PTO_O_SCALAR &&
               insn->operand[0].scalar.kind == PTO_S_REG &&
               *code->reg[insn->operand[0].scalar.reg].name != '_' &&
               has_line(&lines, line_at(use, pc));
    }
    free(lines.line);
    return more;
}

static bool may_be_one_flag(const struct pto_insn *a, const struct pto_insn *b)
{
    const struct pto_scalar *one = &a->operand[2].scalar, *other = &b->operand[2].scalar;

    return a->op == b->op && a->operand[0].value == b->operand[0].value &&
           a->operand[1].value == b->operand[1].value &&
           (one->kind != PTO_S_INT || other->kind != PTO_S_INT || one->i == other->i);
}

/* Does the program wait for this flag at a place, too, to which the run did not come? */
static bool waits_elsewhere(const struct pto_check *check, const struct sync_use *use)
{
    const struct pto_code *code = use->ready->code;

    if (code->insn[use->pc].op != PTO_OP_WAIT_FLAG)
        return false;
    for (uint32_t pc = 0; pc < code->insns; pc++)
        if (may_be_one_flag(&code->insn[pc], &code->insn[use->pc])) {
            const struct sync_use *other = redundant_find(check, use->ready, pc);

            if (!other || !other->times)
                return true;
        }
    return false;
}

/* Whatever shares a line with something useful is useful. */
static void spread_usefulness(struct pto_check *check)
{
    struct lines lines = {0};

    for (uint32_t i = 0; i < check->uses; i++)
        if (!check->listed[i]->useful)
            check->listed[i]->useful = does_more(check->listed[i]) ||
                                       waits_elsewhere(check, check->listed[i]);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < check->uses; i++)
            if (check->listed[i]->useful)
                add_lines(&lines, check->listed[i]);
        for (uint32_t i = 0; i < check->uses; i++)
            if (!check->listed[i]->useful && goes_with(&lines, check->listed[i]))
                check->listed[i]->useful = more = true;
    }
    free(lines.line);
}

/* All lines that have to go with those of the use, its own first. */
static void find_group(const struct pto_check *check, const struct sync_use *use,
                       struct lines *group)
{
    uint32_t before = 0;

    add_lines(group, use);
    while (group->lines != before) {
        before = group->lines;
        for (uint32_t i = 0; i < check->uses; i++)
            if (goes_with(group, check->listed[i]))
                add_lines(group, check->listed[i]);
    }
}

/* ---- notes ---- */

static const char *line_text(struct pto_check *check, const struct pto_source_line *line)
{
    return line->file ? pto_arena_printf(&check->arena, "%s:%u", line->file, line->line)
                      : "an unknown place";
}

static const char *sentence(struct pto_check *check, const struct sync_use *use,
                            const struct lines *group)
{
    const char *mnemonic = pto_op_info(use->ready->code->insn[use->pc].op)->mnemonic;
    const char *others = "";

    for (uint32_t i = 1; i < group->lines; i++)
        others = pto_arena_printf(&check->arena, "%s%s %s", others,
                                  i == 1 ? "" : i + 1 < group->lines ? "," : " and",
                                  line_text(check, &group->line[i]));
    if (!use->sets)
        return pto_arena_printf(&check->arena, "%s adds no order for these inputs", mnemonic);
    return pto_arena_printf(&check->arena,
                            "%s%s%s add%s no order for these inputs; the pipe waited %llu ns for "
                            "it", mnemonic, *others ? ", together with" : " and its set", others,
                            *others ? "s" : "", (unsigned long long)(use->waited_ps / 1000));
}

static void note_use(struct pto_check *check, const struct sync_use *use)
{
    struct lines group = {0};
    struct pto_source_line *kept;

    find_group(check, use, &group);
    kept = pto_arena_array(&check->arena, group.lines, sizeof *kept);
    memcpy(kept, group.line, group.lines * sizeof *kept);
    note_add(check, &(struct pto_check_note){
        .kind = PTO_NOTE_REDUNDANT,
        .message = sentence(check, use, &group),
        .module = use->ready->module,
        .pos = (int32_t)use->ready->code->insn[use->pc].pos,
        .count = use->times,
        .waited_ps = use->waited_ps,
        .line = kept,
        .lines = group.lines,
    });
    free(group.line);
}

void redundant_finish(struct pto_check *check)
{
    list_uses(check);
    spread_usefulness(check);
    for (uint32_t i = 0; i < check->uses; i++)
        if (check->listed[i]->times && !check->listed[i]->useful)
            note_use(check, check->listed[i]);
}

void redundant_free(struct pto_check *check)
{
    free(check->use);
    free(check->listed);
}
