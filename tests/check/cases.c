#include "cases.h"

#include <string.h>

int case_split(char *line, const char *const *first, const char *inputs, struct pto_arena *arena,
               char **word)
{
    int words = 1, before;
    char *rest;

    word[0] = pto_arena_strdup(arena, "ptovm");
    while (*first)
        word[words++] = pto_arena_strdup(arena, *first++);
    before = words;
    line[strcspn(line, "#\n")] = '\0';
    for (char *at = strtok_r(line, " \t", &rest); at && words < CASE_WORDS;
         at = strtok_r(NULL, " \t", &rest)) {
        char *variable = strstr(at, "$INPUTS");

        word[words++] = variable
                            ? pto_arena_printf(arena, "%.*s%s%s", (int)(variable - at), at, inputs,
                                               variable + strlen("$INPUTS"))
                            : pto_arena_strdup(arena, at);
    }
    return words > before ? words : 0;
}
