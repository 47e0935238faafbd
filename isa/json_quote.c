#include "json_quote.h"

#include <string.h>

#include "characters.h"

/* Bytes that stand for themselves. */
static size_t plain_length(const unsigned char *text)
{
    size_t length = 0;

    while (text[length] >= 0x20 && text[length] < 0x7f && text[length] != '"' &&
           text[length] != '\\')
        length++;
    return length;
}

/* A character that may not; returns its length. */
static size_t quote_one(struct pto_buf *out, const unsigned char *c)
{
    size_t length = pto_utf8_length((const char *)c, strnlen((const char *)c, 4));

    if (*c == '"' || *c == '\\')
        pto_buf_printf(out, "\\%c", *c);
    else if (*c < 0x20 || *c == 0x7f)
        pto_buf_printf(out, "\\u%04x", *c);
    else if (length == 0)
        pto_buf_printf(out, "\\ufffd");
    else
        pto_buf_append(out, c, length);
    return length > 0 ? length : 1;
}

void pto_json_quote(struct pto_buf *out, const char *text)
{
    const unsigned char *c = (const unsigned char *)text;

    pto_buf_byte(out, '"');
    while (*c) {
        size_t plain = plain_length(c);

        pto_buf_append(out, c, plain);
        c += plain;
        if (*c)
            c += quote_one(out, c);
    }
    pto_buf_byte(out, '"');
}
