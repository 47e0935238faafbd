/* How texts write signals. */
#include <string.h>

#include "place.h"
#include "search/remedy_pool.h"

size_t signal_rank_length(const char *text)
{
    size_t length = 1;
    int depth = 0;

    for (; text[length] && (depth > 0 || !strchr("[{,; \t)", text[length])); length++)
        depth += (text[length] == '(') - (text[length] == ')');
    return length;
}

void signal_parse(const struct remedy_pool *pool, const char *text, struct remedy_signal *signal)
{
    size_t length = strcspn(text, "@[{, \t"), part;

    *signal = (struct remedy_signal){.name = pto_arena_strndup(pool->arena, text, length),
                                     .rank = ""};
    text += length;
    if (*text == '@') {
        length = signal_rank_length(text);
        signal->rank = pto_arena_strndup(pool->arena, text, length);
        text += length;
    }
    while (*text == (signal->indices ? ',' : '[') && signal->indices < SIGNAL_DIMENSIONS) {
        int depth = 0;

        text += 1 + strspn(text + 1, " \t");
        for (part = 0; text[part] && (depth > 0 || !strchr("],", text[part])); part++)
            depth += (strchr("([", text[part]) != NULL) - (strchr(")]", text[part]) != NULL);
        signal->index[signal->indices++] = pto_arena_strndup(pool->arena, text, part);
        text += part;
    }
}

const char *signal_text(const struct remedy_pool *pool, const struct remedy_signal *signal)
{
    const char *text = pto_arena_printf(pool->arena, "%s%s", signal->name, signal->rank);

    for (unsigned i = 0; i < signal->indices; i++)
        text = pto_arena_printf(pool->arena, "%s%s%s%s", text, i ? ", " : "[", signal->index[i],
                                i + 1 < signal->indices ? "" : "]");
    return text;
}

/* Where the operand `name[...]` or `name@rank[...]` stands in a statement; NULL: nowhere. */
static const char *find_operand(const char *statement, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = statement; (at = strstr(at, name)) != NULL; at += length)
        if ((at == statement || strchr(" ,\t", at[-1])) && strchr("@[, ", at[length]))
            return at;
    return NULL;
}

/* The operand behind that of the signal, or behind the comparison that stands there. */
static const char *value_behind(const struct remedy_pool *pool, const char *statement,
                                const char *signal, size_t length)
{
    const char *value;
    unsigned n = 0;

    while (*pool_operand(pool, statement, n) &&
           strncmp(pool_operand(pool, statement, n), signal, length) != 0)
        n++;
    value = pool_operand(pool, statement, n + 1);
    return strlen(value) == 2 && strstr("eq ne lt le gt ge", value)
               ? pool_operand(pool, statement, n + 2)
               : value;
}

bool signal_at(const struct remedy_pool *pool, const struct pto_module *module, int32_t pos,
               const char *name, struct remedy_signal *signal)
{
    for (const struct pto_pos *at = pto_place(module, pos); at;
         at = pto_place(module, at->parent)) {
        struct cli_sheet *sheet = pool_sheet(pool, module->file[at->file]);
        const char *statement, *operand;

        if (!sheet || at->line < 1 || at->line > sheet->lines)
            continue;
        statement = pool_statement(pool, sheet, at->line);
        operand = find_operand(statement, name);
        if (!operand)
            continue;
        signal_parse(pool, operand, signal);
        signal->value = value_behind(pool, statement, operand, strlen(name));
        return true;
    }
    return false;
}

int signal_conditions(const struct pto_insn *insn)
{
    switch (insn->op) {
    case PTO_OP_TWAIT:
    case PTO_OP_TTEST:
        return 1;
    case PTO_OP_TWAIT_ANY2:
        return 2;
    case PTO_OP_TWAIT_ANY3:
        return 3;
    default:
        return 0;
    }
}

uint32_t signal_object(const struct pto_insn *insn, int condition)
{
    return insn->operand[(insn->op != PTO_OP_TWAIT) + 3 * condition].gm.object;
}
