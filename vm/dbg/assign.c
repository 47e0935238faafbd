#include "dbg/assign.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/expr.h"
#include "dbg/variable.h"

/* ---- the text ---- */

const char *assign_value(const char *text)
{
    for (const char *at = text; (at = strchr(at, '=')); at++)
        if (at[1] == '=')
            at++;
        else if (at > text && !strchr("<>!", at[-1]))
            return at + 1;
    return NULL;
}

static char *target_of(const char *text, const char *value)
{
    size_t length = (size_t)(value - 1 - text);

    while (length > 0 && strchr(" \t", text[length - 1]))
        length--;
    return pto_xstrndup(text, length);
}

static bool evaluate(struct dbg *dbg, const char *text, struct asm_value *value)
{
    struct expr_scope scope = {dbg, dbg->rank, dbg->core, NULL};
    struct formula_standalone *s = expr_read(dbg, text, NULL);
    bool good = s && expr_value_or_answer(&scope, s, s->expr, value);

    formula_free(s);
    return good;
}

/* ---- targets ---- */

static bool is_variable(const char *text)
{
    return *text == '$' && text[1] != '\0' &&
           strspn(text + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
               strlen(text + 1) &&
           !strchr("0123456789", text[1]);
}

bool assign(struct dbg *dbg, const char *text, const char *value)
{
    char *target = target_of(text, value);
    struct asm_value result;
    bool good = evaluate(dbg, value, &result);

    if (good && is_variable(target))
        good = variable_set(dbg, target, &result);
    else if (good)
        good = dbg_error(dbg, "a variable is $ and a name: set $x = 5",
                         "'%s' cannot be set", target);
    free(target);
    return good;
}
