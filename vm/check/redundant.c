/* Synchronisation that adds no order: a wait whose token tells its pipe nothing new, a barrier or a
 * dsb with nothing to do, every time that it was executed.
 *
 * What can be left out are lines, and only as a whole: a wait with all sets whose tokens it took,
 * the other waits that take tokens of these sets, whatever else stands on these lines, and so on.
 * If none of them adds order, clocks do not change without them, so leaving them out is safe for
 * these inputs; of several such groups that stand in for each other, one at a time. */
#include <stdlib.h>

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

bool redundant_adds(const struct frame *into, const struct frame *token)
{
    for (int i = 0; i < LANE_TOLD_MTE3; i++)
        if (token->row.lane[i] > into->row.lane[i])
            return true;
    return token->version > into->version;
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

/* A line of a text. */
struct line {
    const struct pto_module *module;
    uint32_t file, number;
};

struct lines {
    struct line *line;
    uint32_t lines, capacity;
};

static struct line line_at(const struct sync_use *use, uint32_t pc)
{
    const struct pto_module *module = use->ready->module;
    uint32_t pos = use->ready->code->insn[pc].pos;

    if (pos >= module->positions)
        return (struct line){module, UINT32_MAX, pos};
    return (struct line){module, module->pos[pos].file, module->pos[pos].line};
}

static bool has_line(const struct lines *lines, struct line line)
{
    for (uint32_t i = 0; i < lines->lines; i++)
        if (lines->line[i].module == line.module && lines->line[i].file == line.file &&
            lines->line[i].number == line.number)
            return true;
    return false;
}

static void add_line(struct lines *lines, struct line line)
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

/* Whatever shares a line with something useful is useful. */
static void spread_usefulness(struct pto_check *check)
{
    struct lines lines = {0};

    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < check->use_slots; i++)
            if (check->use[i] && check->use[i]->useful)
                add_lines(&lines, check->use[i]);
        for (uint32_t i = 0; i < check->use_slots; i++)
            if (check->use[i] && !check->use[i]->useful && goes_with(&lines, check->use[i]))
                check->use[i]->useful = more = true;
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
        for (uint32_t i = 0; i < check->use_slots; i++)
            if (check->use[i] && goes_with(group, check->use[i]))
                add_lines(group, check->use[i]);
    }
}

/* ---- notes ---- */

static const char *line_text(struct pto_check *check, const struct line *line)
{
    return line->file == UINT32_MAX
               ? "an unknown place"
               : pto_arena_printf(&check->arena, "%s:%u", line->module->file[line->file],
                                  line->number);
}

static const char *sentence(struct pto_check *check, const struct sync_use *use)
{
    const char *mnemonic = pto_op_info(use->ready->code->insn[use->pc].op)->mnemonic;
    const char *others = "";
    struct lines group = {0};

    find_group(check, use, &group);
    for (uint32_t i = 1; i < group.lines; i++)
        others = pto_arena_printf(&check->arena, "%s%s %s", others,
                                  i == 1 ? "" : i + 1 < group.lines ? "," : " and",
                                  line_text(check, &group.line[i]));
    free(group.line);
    if (!use->sets)
        return pto_arena_printf(&check->arena, "%s adds no order for these inputs", mnemonic);
    return pto_arena_printf(&check->arena,
                            "%s%s%s add%s no order for these inputs; the pipe waited %llu ns for "
                            "it", mnemonic, *others ? ", together with" : " and its set", others,
                            *others ? "s" : "", (unsigned long long)(use->waited_ps / 1000));
}

void redundant_finish(struct pto_check *check)
{
    spread_usefulness(check);
    for (uint32_t i = 0; i < check->use_slots; i++) {
        const struct sync_use *use = check->use[i];

        if (!use || !use->times || use->useful)
            continue;
        note_add(check, &(struct pto_check_note){
            .kind = PTO_NOTE_REDUNDANT,
            .message = sentence(check, use),
            .module = use->ready->module,
            .pos = (int32_t)use->ready->code->insn[use->pc].pos,
            .count = use->times,
            .waited_ps = use->waited_ps,
        });
    }
}

void redundant_free(struct pto_check *check)
{
    free(check->use);
}
