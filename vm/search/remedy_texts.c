/* What can be missing of the synchronisation of a text. */
#include <stdlib.h>
#include <string.h>

#include "place.h"
#include "search/remedy_pool.h"

enum { EVENTS_OFFERED = 4 };

/* An instruction with the program that it belongs to. */
struct located {
    const struct pto_module *module;
    const struct pto_core_code *core;
    const struct pto_insn *insn;
};

/* Instructions that compute its operands stand at the same position. */
static bool locate(const struct pto_module *module, int32_t pos, struct located *found)
{
    *found = (struct located){0};
    for (uint32_t k = 0; module && k < module->kernels; k++)
        for (int c = 0; c < PTO_CORE_KINDS; c++) {
            const struct pto_core_code *core = &module->kernel[k].core[c];

            for (uint32_t pc = 0; core->present && pc < core->code.insns; pc++) {
                const struct pto_insn *insn = &core->code.insn[pc];
                bool computes = pto_op_info(insn->op)->class == PTO_SCALAR;

                if ((int32_t)insn->pos == pos && (!found->insn || !computes))
                    *found = (struct located){module, core, insn};
                if ((int32_t)insn->pos == pos && !computes)
                    return true;
            }
        }
    return found->insn != NULL;
}

const struct pto_insn *remedy_insn(const struct pto_module *module, int32_t pos)
{
    struct located found;

    return locate(module, pos, &found) ? found.insn : NULL;
}

static const char *pipe_of(const struct pto_operand *operand)
{
    return pto_enum_keyword(PTO_ENUM_PIPE, (int)operand->value);
}

/* ---- how the text writes it ---- */

/* The statement at a position, "" if its text is not there. */
static const char *statement_at(const struct remedy_pool *pool, const struct pto_module *module,
                                int32_t pos)
{
    const struct pto_pos *at = pto_place(module, pos);
    struct cli_sheet *sheet = at ? pool_sheet(pool, module->file[at->file]) : NULL;

    return sheet && at->line >= 1 && at->line <= sheet->lines
               ? pool_statement(pool, sheet, at->line)
               : "";
}

static const char *scalar_text(const struct remedy_pool *pool, const struct located *at,
                               const struct pto_scalar *scalar)
{
    if (scalar->kind == PTO_S_REG)
        return pto_arena_printf(pool->arena, "%%%s", at->core->code.reg[scalar->reg].name);
    return pto_arena_printf(pool->arena, "%lld",
                            (long long)(scalar->kind == PTO_S_INT ? scalar->i : 0));
}

/* The event of a flag instruction as its own line writes it: a macro has names of its own. */
static const char *event_text(const struct remedy_pool *pool, const struct located *at)
{
    const char *says = statement_at(pool, at->module, (int32_t)at->insn->pos), *text = "";

    if (!strncmp(says, "set_flag", 8) || !strncmp(says, "wait_flag", 9))
        text = pool_operand(pool, says, 2);
    else if (!strncmp(says, "handoff", 7))
        text = pool_operand(pool, says, 1);
    return *text ? text : scalar_text(pool, at, &at->insn->operand[2].scalar);
}

/* What stands in the first brackets of the line: the slot of a tile. */
static void slot_texts(struct remedy_pool *pool, const struct pto_finding_access *access,
                       const char *from, const char *to)
{
    const char *says = statement_at(pool, access->module, access->pos);
    const char *word = says;

    while ((word = strchr(word, '[')) != NULL) {
        size_t length = strcspn(++word, "],");

        if (word[length] == ']' && length > 0)
            pool_text(pool, "handoff %s -> %s, %.*s", from, to, (int)length, word);
    }
}

/* ---- flags ---- */

static bool is_flag(const struct pto_insn *insn, bool *set)
{
    *set = insn->op == PTO_OP_SET_FLAG;
    return *set || insn->op == PTO_OP_WAIT_FLAG;
}

static bool same_flag(const struct pto_insn *a, const struct pto_insn *b)
{
    return a->operand[0].value == b->operand[0].value &&
           a->operand[1].value == b->operand[1].value &&
           pto_scalar_same(&a->operand[2].scalar, &b->operand[2].scalar);
}

/* Sets less waits of this flag in the program. */
static int balance(const struct pto_code *code, const struct pto_insn *flag)
{
    int sum = 0;

    for (uint32_t pc = 0; pc < code->insns; pc++) {
        bool set;

        if (is_flag(&code->insn[pc], &set) && same_flag(&code->insn[pc], flag))
            sum += set ? 1 : -1;
    }
    return sum;
}

static void half_text(struct remedy_pool *pool, const struct located *at, bool set)
{
    pool_text(pool, "%s %s, %s, %s", set ? "set_flag" : "wait_flag",
              pipe_of(&at->insn->operand[0]), pipe_of(&at->insn->operand[1]),
              event_text(pool, at));
}

/* Directly behind the set, or before the wait, that is alone. */
static void spot_of_half(struct remedy_pool *pool, const struct located *at, bool set)
{
    const struct pto_pos *pos = pto_place(at->module, (int32_t)at->insn->pos);
    struct cli_sheet *sheet = pos ? pool_sheet(pool, at->module->file[pos->file]) : NULL;

    if (sheet && pos->line >= 1 && pos->line <= sheet->lines)
        pool_spot(pool, sheet, set ? cli_sheet_behind(sheet, pos->line)
                                   : cli_sheet_first(sheet, pos->line));
}

void texts_of_strays(struct remedy_pool *pool, const struct pto_module *module)
{
    for (uint32_t k = 0; module && k < module->kernels; k++)
        for (int c = 0; c < PTO_CORE_KINDS; c++) {
            const struct pto_core_code *core = &module->kernel[k].core[c];

            for (uint32_t pc = 0; core->present && pc < core->code.insns; pc++) {
                struct located at = {module, core, &core->code.insn[pc]};
                bool set;

                if (!is_flag(at.insn, &set) || balance(&core->code, at.insn) * (set ? 1 : -1) <= 0)
                    continue;
                half_text(pool, &at, !set);
                spot_of_half(pool, &at, set);
            }
        }
}

/* Events that no flag of these pipes uses come first. */
static void literal_events(struct remedy_pool *pool, const struct pto_module *module,
                           const char *from, const char *to)
{
    bool used[EVENTS_OFFERED] = {0};

    for (uint32_t k = 0; module && k < module->kernels; k++)
        for (int c = 0; c < PTO_CORE_KINDS; c++) {
            const struct pto_code *code = &module->kernel[k].core[c].code;

            for (uint32_t pc = 0; pc < code->insns; pc++) {
                const struct pto_insn *insn = &code->insn[pc];
                bool set;

                if (is_flag(insn, &set) && !strcmp(pipe_of(&insn->operand[0]), from) &&
                    !strcmp(pipe_of(&insn->operand[1]), to) &&
                    insn->operand[2].scalar.kind == PTO_S_INT &&
                    insn->operand[2].scalar.i < EVENTS_OFFERED)
                    used[insn->operand[2].scalar.i] = true;
            }
        }
    for (int again = 0; again < 2; again++)
        for (int id = 0; id < EVENTS_OFFERED; id++)
            if (used[id] == again)
                pool_text(pool, "handoff %s -> %s, %d", from, to, id);
}

/* Slots that the text itself declares for these pipes. */
static void take_texts(struct remedy_pool *pool, const char *from, const char *to)
{
    const char *way = pto_arena_printf(pool->arena, " free %s -> %s", from, to);

    for (unsigned s = 0; s < pool->ailment->sheets; s++) {
        struct cli_sheet *sheet = &pool->ailment->sheet[s];

        for (uint32_t i = 1; i <= sheet->lines; i++) {
            const char *says = sheet->line[i].text + strspn(sheet->line[i].text, " \t");

            if (!strncmp(says, ".slots ", 7) && strstr(says, way)) {
                says += 7 + strspn(says + 7, " ");
                pool_text(pool, ".take %.*s", (int)strcspn(says, " :"), says);
            }
        }
    }
}

static void engine_texts(struct remedy_pool *pool, const struct pto_finding_access *access)
{
    struct located at;

    if (access->pipe && !strcmp(access->pipe, "DMA") && locate(access->module, access->pos, &at) &&
        pto_op_info(at.insn->op)->class == PTO_ASYNC && at.insn->operands > 0 &&
        at.insn->operand[0].kind == PTO_O_SCALAR)
        pool_text(pool, "async_wait %s", scalar_text(pool, &at, &at.insn->operand[0].scalar));
}

void texts_between_pipes(struct remedy_pool *pool, const struct pto_finding_access *a,
                         const struct pto_finding_access *b)
{
    engine_texts(pool, a);
    if (!strcmp(a->pipe, b->pipe)) {
        if (strcmp(a->pipe, "S"))
            pool_text(pool, "pipe_barrier %s", a->pipe);
    } else {
        texts_of_strays(pool, b->module);
        take_texts(pool, a->pipe, b->pipe);
        slot_texts(pool, b, a->pipe, b->pipe);
        slot_texts(pool, a, a->pipe, b->pipe);
        literal_events(pool, b->module, a->pipe, b->pipe);
    }
    if (!strcmp(a->pipe, "S")) {
        pool_text(pool, "dcci\ndsb");
        pool_text(pool, "dsb");
        pool_text(pool, "dcci");
    }
    pool_text(pool, "pipe_barrier ALL");
}

/* ---- between sub-cores ---- */

static void barrier_texts(struct remedy_pool *pool)
{
    pool_copies(pool, "sync_all");
    pool_text(pool, "sync_all aiv");
    pool_text(pool, "sync_all all");
    pool_text(pool, "sync_all aic");
}

void texts_between_cores(struct remedy_pool *pool, const struct pto_finding_access *a,
                         const struct pto_finding_access *b)
{
    bool scalar = !strcmp(a->pipe, "S") || !strcmp(b->pipe, "S");

    engine_texts(pool, a);
    engine_texts(pool, b);
    texts_of_unawaited(pool, b->module);
    if (a->rank == b->rank)
        texts_of_stray_cross_flags(pool);
    if (scalar)
        pool_text(pool, "dcci");
    pool_text(pool, "dsb");
    pool_text(pool, "pipe_barrier ALL");
    if (scalar)
        pool_text(pool, "dcci\ndsb");
    pool_text(pool, "pipe_barrier ALL\ndsb");
    if (a->rank == b->rank)
        barrier_texts(pool);
    else
        pool_copies(pool, "sync_all");
    texts_of_cross_waits(pool);
    texts_of_waits(pool, b->module);
    texts_of_cross_sets(pool);
}

/* ---- halves ---- */

/* With events as numbers: one of them, or those of two or three slots, as they stand before a loop
 * and behind it. */
static void literal_halves(struct remedy_pool *pool, const struct located *at, bool set)
{
    const char *half = pto_arena_printf(pool->arena, "%s %s, %s,", set ? "set_flag" : "wait_flag",
                                        pipe_of(&at->insn->operand[0]),
                                        pipe_of(&at->insn->operand[1]));

    pool_text(pool, "%s 0", half);
    pool_text(pool, "%s 0\n%s 1", half, half);
    pool_text(pool, "%s 1", half);
    pool_text(pool, "%s 0\n%s 1\n%s 2", half, half, half);
    for (int id = 2; id < EVENTS_OFFERED; id++)
        pool_text(pool, "%s %d", half, id);
}

void texts_for_half(struct remedy_pool *pool, const struct pto_module *module, int32_t pos)
{
    struct located at;
    bool set;

    if (!locate(module, pos, &at))
        return;
    if (is_flag(at.insn, &set)) {
        texts_of_strays(pool, module);
        half_text(pool, &at, !set);
        literal_halves(pool, &at, !set);
        take_texts(pool, pipe_of(&at.insn->operand[0]), pipe_of(&at.insn->operand[1]));
        if (set) /* a set that came too early: nothing made it wait for the wait before */
            literal_events(pool, module, pipe_of(&at.insn->operand[1]),
                           pipe_of(&at.insn->operand[0]));
        return;
    }
    engine_texts(pool, &(struct pto_finding_access){.pipe = "DMA", .module = module, .pos = pos});
    switch (at.insn->op) {
    case PTO_OP_SYNC_ALL:
        barrier_texts(pool);
        break;
    case PTO_OP_SET_FLAG_DEV:
    case PTO_OP_WAIT_FLAG_DEV:
    case PTO_OP_SET_INTRA_BLOCK:
    case PTO_OP_WAIT_INTRA_BLOCK:
        texts_of_stray_cross_flags(pool);
        texts_for_cross_flag(pool, at.insn->op);
        break;
    case PTO_OP_TWAIT:
    case PTO_OP_TTEST:
    case PTO_OP_TWAIT_ANY2:
    case PTO_OP_TWAIT_ANY3:
        texts_of_notifies(pool, module, pos, true);
        texts_of_notifies(pool, module, pos, false);
        pool_copies(pool, "TNOTIFY");
        break;
    case PTO_OP_TNOTIFY:
        texts_of_waits(pool, module);
        break;
    default:
        break;
    }
}
