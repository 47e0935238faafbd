#include "text/expected.h"

#include <stdbool.h>
#include <string.h>

static const char *const expression_starts[] = {"a name", "a register", "an integer", "a number",
                                                "a string", "'('", "'~'", "'!'"};
static const char *const operators[] = {"'+'", "'*'", "'/'", "'&'", "'|'", "'^'", "'<<'", "'>>'",
                                        "'<'", "'<='", "'>'", "'>='", "'=='", "'!='", "'&&'",
                                        "'||'", "'->'", "'?'"};

static bool among(const char *name, const char *const *names, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}
#define AMONG(name, names) among((name), (names), sizeof (names) / sizeof *(names))

/* What the set of expected tokens is about: groups get one word instead of a list. */
struct expected {
    bool expression, operator, directive;
};

static struct expected groups(const char *const *name, unsigned count)
{
    struct expected found = {0};

    for (unsigned i = 0; i < count; i++) {
        found.expression |= !strcmp(name[i], "'('") && count > 5;
        found.operator |= !strcmp(name[i], "'*'");
        found.directive |= *name[i] == '.';
    }
    if (found.operator)
        found.expression = false;
    return found;
}

static void append_expected(struct pto_buf *text, const char *word)
{
    pto_buf_printf(text, "%s%s", text->size ? ", " : "expected ", word);
}

void text_expected(struct pto_buf *text, const char *const *name, unsigned count)
{
    struct expected found = groups(name, count);

    if (found.expression && !found.directive)
        append_expected(text, "an expression");
    if (found.operator)
        append_expected(text, "an operator");
    for (unsigned i = 0; i < count; i++) {
        if (found.expression && (AMONG(name[i], expression_starts) || !strcmp(name[i], "'-'")))
            continue;
        if (found.operator && (AMONG(name[i], operators) || !strcmp(name[i], "'-'")))
            continue;
        if (found.directive && *name[i] == '.')
            continue;
        append_expected(text, name[i]);
    }
    if (found.directive)
        append_expected(text, "a directive");
}
