#include "characters.h"

#include <stdbool.h>

static size_t decode(const uint8_t *text, size_t size, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* no overlong forms */
    size_t length;

    if (size == 0)
        return 0;
    length = *text < 0x80 ? 1 : *text < 0xc2 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : 4;
    if (length == 0 || length > size || *text > 0xf4)
        return 0;
    *code = length == 1 ? *text : *text & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3fu);
    }
    if (*code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
        return 0;
    return length;
}

size_t pto_utf8_length(const char *text, size_t size)
{
    uint32_t code;

    return decode((const uint8_t *)text, size, &code);
}

/* Marks without width or with an effect on what follows (Unicode 15, General_Category Cf, Zl and
 * Zp, as far as they steer lines). */
static bool steers(uint32_t code)
{
    return (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || code == 0x61c;
}

size_t pto_utf8_shown(const char *text, size_t size)
{
    uint32_t code;
    size_t length = decode((const uint8_t *)text, size, &code);

    if (length == 0 || (code < 0x20 && code != '\t') || (code >= 0x7f && code < 0xa0) ||
        steers(code))
        return 0;
    return length;
}

void pto_put_clean(struct pto_buf *out, const char *text, size_t length)
{
    while (length > 0) {
        size_t shown = pto_utf8_shown(text, length), step = shown;

        if (shown)
            pto_buf_append(out, text, shown);
        else
            step = pto_utf8_length(text, length);
        step = step ? step : 1;
        for (size_t i = shown; i < step; i++)
            pto_buf_printf(out, "\\x%02x", (uint8_t)text[i]);
        text += step;
        length -= step;
    }
}
