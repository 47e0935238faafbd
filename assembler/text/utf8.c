/* Texts in objects are UTF-8; what reaches the module from files and file names is checked here. */
#include "utf8.h"

#include <string.h>

#include "characters.h"

bool text_is_utf8(const char *text)
{
    while (*text) {
        size_t length = pto_utf8_length(text, strnlen(text, 4));

        if (!length)
            return false;
        text += length;
    }
    return true;
}

char *text_to_utf8(struct pto_arena *arena, const char *text)
{
    char *copy = pto_arena_strdup(arena, text);

    for (char *c = copy; *c;) {
        size_t length = pto_utf8_length(c, strnlen(c, 4));

        if (!length)
            *c = '?';
        c += length ? length : 1;
    }
    return copy;
}
