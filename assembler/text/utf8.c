/* Texts in objects are UTF-8; what reaches the module from files and file names is checked here. */
#include "utf8.h"

#include <string.h>

/* Length of the UTF-8 sequence at `text` (NUL-terminated), 0 if it is none. */
static size_t sequence(const char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* no overlong forms */
    uint8_t first = (uint8_t)*text;
    size_t length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    uint32_t code = length == 1 ? first : first & (0x7fu >> length);

    if ((first & 0xc0) == 0x80 || first >= 0xf8)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (uint32_t)(text[i] & 0x3f);
    }
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    return length;
}

bool text_is_utf8(const char *text)
{
    while (*text) {
        size_t length = sequence(text);

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
        size_t length = sequence(c);

        if (!length)
            *c = '?';
        c += length ? length : 1;
    }
    return copy;
}
