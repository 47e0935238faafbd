/* What can be missing of TNOTIFY and TWAIT: the other side of what the texts say. */
#include <string.h>

#include "cli/remedy_pool.h"
#include "place.h"

/* ---- waits ---- */

/* A signal on this rank: without its "@rank". */
static const char *own_signal(const struct remedy_pool *pool, const char *signal)
{
    size_t name = strcspn(signal, "@["), skip = name;

    if (signal[name] == '@')
        skip = name + strcspn(signal + name, "[");
    return pto_arena_printf(pool->arena, "%.*s%s", (int)name, signal, signal + skip);
}

/* For values that the texts wait for elsewhere, and for what counters of the program hold. */
static void wait_for_values(struct remedy_pool *pool, const struct pto_module *module,
                            const char *signal)
{
    const char *wait;

    for (unsigned n = 0; (wait = pool_nth(pool, "TWAIT", n)) != NULL; n++)
        pool_text(pool, "TWAIT %s, %s, %s", signal, pool_operand(pool, wait, 1),
                  pool_operand(pool, wait, 2));
    for (uint32_t k = 0; k < module->kernels; k++) {
        const struct pto_code *code = &module->kernel[k].core[PTO_AIV].code;

        for (uint32_t pc = 0; pc < code->insns; pc++) {
            const struct pto_operand *o = code->insn[pc].operand;

            if (code->insn[pc].op == PTO_OP_IADD && o[1].scalar.kind == PTO_S_REG &&
                o[1].scalar.reg == o[0].scalar.reg)
                pool_text(pool, "TWAIT %s, ge, %%%s", signal, code->reg[o[0].scalar.reg].name);
        }
    }
}

static bool waits_for(const struct pto_code *code, uint32_t object)
{
    for (uint32_t pc = 0; pc < code->insns; pc++)
        if ((code->insn[pc].op == PTO_OP_TWAIT || code->insn[pc].op == PTO_OP_TTEST) &&
            code->insn[pc].operand[code->insn[pc].op == PTO_OP_TTEST].gm.object == object)
            return true;
    return false;
}

static bool is_awaited(const struct pto_kernel *kernel, uint32_t object)
{
    return waits_for(&kernel->core[PTO_AIC].code, object) ||
           waits_for(&kernel->core[PTO_AIV].code, object);
}

/* The operand `name[...]` or `name@rank[...]` in a statement; NULL: it is not there. */
static const char *operand_named(const struct remedy_pool *pool, const char *statement,
                                 const char *name)
{
    size_t length = strlen(name);

    for (const char *at = statement; (at = strstr(at, name)) != NULL; at += length)
        if ((at == statement || strchr(" ,\t", at[-1])) && strchr("@[", at[length]) && at[length]) {
            const char *end = strchr(at + length, ']');

            return end ? pto_arena_strndup(pool->arena, at, (size_t)(end + 1 - at)) : NULL;
        }
    return NULL;
}

/* As the notify, or the use of the macro that it stands in, writes the signal. */
static const char *signal_at(const struct remedy_pool *pool, const struct pto_module *module,
                             int32_t pos, const char *name)
{
    for (const struct pto_pos *at = pto_place(module, pos); at;
         at = pto_place(module, at->parent)) {
        struct cli_sheet *sheet = pool_sheet(pool, module->file[at->file]);
        const char *signal = sheet && at->line >= 1 && at->line <= sheet->lines
                                 ? operand_named(pool, pool_statement(pool, sheet, at->line), name)
                                 : NULL;

        if (signal)
            return own_signal(pool, signal);
    }
    return NULL;
}

/* As the texts wait for other signals. */
static void wait_as_for_others(struct remedy_pool *pool, const char *name)
{
    const char *wait;

    for (unsigned n = 0; (wait = pool_nth(pool, "TWAIT", n)) != NULL; n++) {
        const char *other = pool_operand(pool, wait, 0);

        pool_text(pool, "TWAIT %s%s, %s, %s", name, other + strcspn(other, "["),
                  pool_operand(pool, wait, 1), pool_operand(pool, wait, 2));
    }
}

/* Signals that are notified and that nobody waits for. */
static void unused_signals(struct remedy_pool *pool, const struct pto_module *module)
{
    for (uint32_t k = 0; k < module->kernels; k++)
        for (int c = 0; c < PTO_CORE_KINDS; c++) {
            const struct pto_kernel *kernel = &module->kernel[k];
            const struct pto_code *code = &kernel->core[c].code;

            for (uint32_t pc = 0; pc < code->insns; pc++) {
                uint32_t object = code->insn[pc].op == PTO_OP_TNOTIFY
                                      ? code->insn[pc].operand[0].gm.object
                                      : UINT32_MAX;
                const char *signal;

                if (object == UINT32_MAX || is_awaited(kernel, object))
                    continue;
                signal = signal_at(pool, module, (int32_t)code->insn[pc].pos,
                                   kernel->object[object].name);
                if (signal)
                    wait_for_values(pool, module, signal);
                wait_as_for_others(pool, kernel->object[object].name);
            }
        }
}

void texts_of_waits(struct remedy_pool *pool, const struct pto_module *module)
{
    const char *notify;

    unused_signals(pool, module);
    pool_copies(pool, "TWAIT");
    for (unsigned n = 0; (notify = pool_nth(pool, "TNOTIFY", n)) != NULL; n++) {
        const char *signal = own_signal(pool, pool_operand(pool, notify, 0));

        pool_text(pool, "TWAIT %s, ge, %s", signal, pool_operand(pool, notify, 1));
        pool_text(pool, "TWAIT %s, ge, 1", signal);
        pool_text(pool, "TWAIT %s, ge, nranks() - 1", signal);
    }
}

/* ---- notifies ---- */

/* As the texts notify other signals, or with plain guesses at the rank. */
static void notify_for_wait(struct remedy_pool *pool, const char *wait)
{
    const char *signal = pool_operand(pool, wait, 0), *value = pool_operand(pool, wait, 2);
    const char *notify;
    int name = (int)strcspn(signal, "[");

    for (unsigned n = 0; (notify = pool_nth(pool, "TNOTIFY", n)) != NULL; n++) {
        const char *other = pool_operand(pool, notify, 0);
        size_t skip = strcspn(other, "@["), rank = other[skip] == '@' ? strcspn(other + skip, "[")
                                                                      : 0;

        pool_text(pool, "TNOTIFY %.*s%.*s%s, %s, %s", name, signal, (int)rank, other + skip,
                  signal + name, pool_operand(pool, notify, 1), pool_operand(pool, notify, 2));
    }
    pool_text(pool, "TNOTIFY %s, 1, add", signal);
    pool_text(pool, "TNOTIFY %s, %s, set", signal, value);
    pool_text(pool, "TNOTIFY %.*s@(1 - rank())%s, 1, add", name, signal, signal + name);
    pool_text(pool, "TNOTIFY %.*s@(mod(rank() + 1, nranks()))%s, 1, add", name, signal,
              signal + name);
}

/* Is the name among the words of these lines? */
static bool is_used(const struct cli_sheet *sheet, uint32_t from, uint32_t to, const char *name)
{
    size_t length = strlen(name);

    for (uint32_t i = from; i < to; i++)
        for (const char *at = sheet->line[i].text; (at = strstr(at, name)) != NULL; at += length)
            if (!strpbrk((char[]){at[length], '\0'}, "abcdefghijklmnopqrstuvwxyz_0123456789"))
                return true;
    return false;
}

/* A macro that does nothing with its parameters, the three of a notify: it was to notify. */
static void notify_of_macro(struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line)
{
    const char *head = pool_statement(pool, sheet, line), *name = head + strcspn(head, " ");
    uint32_t behind = cli_sheet_behind(sheet, line), end = sheet->line[line].closer;
    const char *operand[3];

    name += strspn(name, " ");
    for (unsigned i = 0; i < 3; i++) {
        operand[i] = pool_operand(pool, name, i);
        if (!*operand[i] || is_used(sheet, behind, end, operand[i]))
            return;
    }
    pool_text(pool, "TNOTIFY %s, %s, %s", operand[0], operand[1], operand[2]);
    pool_spot(pool, sheet, end);
}

/* ---- signals that nobody notifies ---- */

static bool notifies(const struct pto_code *code, uint32_t object)
{
    for (uint32_t pc = 0; pc < code->insns; pc++)
        if (code->insn[pc].op == PTO_OP_TNOTIFY && code->insn[pc].operand[0].gm.object == object)
            return true;
    return false;
}

/* Of "@rank" and "@(rank)". */
static size_t rank_length(const char *text)
{
    size_t length = 1;
    int depth = 0;

    for (; text[length] && (depth > 0 || !strchr("[,; \t", text[length])); length++)
        depth += (text[length] == '(') - (text[length] == ')');
    return length;
}

/* Call `each` for every "@rank" that the texts have before a bracket, its length with it. */
static void for_ranks(struct remedy_pool *pool, const char *wait, const char *signal,
                      void (*each)(struct remedy_pool *pool, const char *wait, const char *signal,
                                   const char *rank, int length))
{
    for (unsigned s = 0; s < pool->ailment->sheets; s++)
        for (uint32_t i = 1; i <= pool->ailment->sheet[s].lines; i++) {
            const char *at = pool->ailment->sheet[s].line[i].text;
            const char *end = at + strcspn(at, ";");

            while ((at = strchr(at, '@')) != NULL && at < end) {
                size_t length = rank_length(at);

                if (at[length] == '[')
                    each(pool, wait, signal, at, (int)length);
                at += length;
            }
        }
}

/* With the index of the wait, or that of the sender. */
static void notify_rank(struct remedy_pool *pool, const char *wait, const char *signal,
                        const char *rank, int length)
{
    int name = (int)strcspn(signal, "[");

    pool_text(pool, "TNOTIFY %.*s%.*s%.*s, 1, add", name, signal, length, rank,
              (int)strcspn(signal + name, "{"), signal + name);
    pool_text(pool, "TNOTIFY %.*s%.*s[rank()], 1, add", name, signal, length, rank);
    pool_text(pool, "TNOTIFY %.*s%.*s%.*s, %s, set", name, signal, length, rank,
              (int)strcspn(signal + name, "{"), signal + name, pool_operand(pool, wait, 2));
}

bool texts_of_missing_notify(struct remedy_pool *pool, const struct pto_module *module,
                             int32_t pos, uint32_t object)
{
    const struct pto_pos *at = pto_place(module, pos);
    struct cli_sheet *sheet = at ? pool_sheet(pool, module->file[at->file]) : NULL;
    const char *wait, *signal = NULL;

    for (uint32_t k = 0; k < module->kernels; k++)
        for (int c = 0; c < PTO_CORE_KINDS; c++)
            if (object < module->kernel[k].objects &&
                notifies(&module->kernel[k].core[c].code, object))
                return false;
    for (uint32_t k = 0; k < module->kernels && !signal; k++)
        if (object < module->kernel[k].objects)
            signal = signal_at(pool, module, pos, module->kernel[k].object[object].name);
    if (!signal || !sheet || at->line < 1 || at->line > sheet->lines)
        return false;
    wait = pool_statement(pool, sheet, at->line);
    for_ranks(pool, wait, signal, notify_rank);
    pool_text(pool, "TNOTIFY %s, 1, add", signal);
    return true;
}

void texts_of_notifies(struct remedy_pool *pool)
{
    const char *wait;

    for (unsigned s = 0; s < pool->ailment->sheets; s++)
        for (uint32_t i = 1; i <= pool->ailment->sheet[s].lines; i++)
            if (!strncmp(pool->ailment->sheet[s].line[i].text, ".macro ", 7) &&
                pool->ailment->sheet[s].line[i].closer)
                notify_of_macro(pool, &pool->ailment->sheet[s], i);
    pool_copies(pool, "TNOTIFY");
    for (unsigned n = 0; (wait = pool_nth(pool, "TWAIT", n)) != NULL; n++)
        notify_for_wait(pool, wait);
}
