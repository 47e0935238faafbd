#include "json_quote.h"

#include <stdbool.h>

/* Length of the UTF-8 sequence at `text`, or 0 if there is none. */
static unsigned utf8_length(const unsigned char *text)
{
    unsigned length = text[0] >= 0xf0 && text[0] < 0xf5   ? 4
                      : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
                      : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                                                          : 0;
    for (unsigned i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    bool surrogate = text[0] == 0xed && text[1] >= 0xa0;
    return overlong || surrogate || (text[0] == 0xf4 && text[1] >= 0x90) ? 0 : length;
}

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
static unsigned quote_one(struct pto_buf *out, const unsigned char *c)
{
    unsigned length = *c < 0x80 ? 1 : utf8_length(c);

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
