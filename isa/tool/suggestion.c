#include "tool/suggestion.h"

#include <ctype.h>
#include <string.h>

/* Names of all kinds are ASCII; so columns are bytes where the line before the word is. */
static bool is_word(const char *line, uint32_t column, uint32_t length)
{
    size_t size = strlen(line);

    if (column == 0 || length == 0 || column - 1 + length > size)
        return false;
    for (uint32_t i = 0; i < column - 1 + length; i++) {
        char c = line[i];

        if (c & 0x80)
            return false;
        if (i >= column - 1 && !isalnum((unsigned char)c) && !strchr("._%", c))
            return false;
    }
    return true;
}

const char *tool_suggestion(const struct pto_diag *diag, struct pto_arena *arena)
{
    static const char begin[] = "did you mean '", end[] = "'?";
    const char *word = diag->hint;
    size_t length = word ? strlen(word) : 0;

    if (length <= sizeof begin + sizeof end - 2 || strncmp(word, begin, sizeof begin - 1) != 0 ||
        strcmp(word + length - (sizeof end - 1), end) != 0)
        return NULL;
    if (!diag->file || !diag->source_line ||
        !is_word(diag->source_line, diag->column, diag->length))
        return NULL;
    word += sizeof begin - 1;
    return pto_arena_strndup(arena, word, length - (sizeof begin - 1) - (sizeof end - 1));
}
