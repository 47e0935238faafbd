#include "cli/json.h"

#include <math.h>
#include <string.h>

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

void cli_json_quote(struct pto_buf *out, const char *text)
{
    pto_buf_byte(out, '"');
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        unsigned length = *c < 0x80 ? 1 : utf8_length(c);
        if (*c == '"' || *c == '\\')
            pto_buf_printf(out, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7f)
            pto_buf_printf(out, "\\u%04x", *c);
        else if (length == 0)
            pto_buf_printf(out, "\\ufffd");
        else
            pto_buf_append(out, c, length);
        c += length > 0 ? length : 1;
    }
    pto_buf_byte(out, '"');
}

/* What comes before a value: separator, line, key. */
static void lead(struct cli_json *json, const char *key)
{
    if (json->depth > 0)
        pto_buf_printf(json->out, "%s\n%*s", json->empty ? "" : ",", (int)(2 * json->depth), "");
    json->empty = false;
    if (key != NULL) {
        cli_json_quote(json->out, key);
        pto_buf_printf(json->out, ": ");
    }
}

void cli_json_open(struct cli_json *json, const char *key, char bracket)
{
    lead(json, key);
    pto_buf_byte(json->out, (uint8_t)bracket);
    json->depth++;
    json->empty = true;
}

void cli_json_close(struct cli_json *json, char bracket)
{
    json->depth--;
    if (!json->empty)
        pto_buf_printf(json->out, "\n%*s", (int)(2 * json->depth), "");
    pto_buf_byte(json->out, (uint8_t)bracket);
    json->empty = false;
    if (json->depth == 0)
        pto_buf_byte(json->out, '\n');
}

void cli_json_text(struct cli_json *json, const char *key, const char *text)
{
    lead(json, key);
    if (text == NULL)
        pto_buf_printf(json->out, "null");
    else
        cli_json_quote(json->out, text);
}

void cli_json_uint(struct cli_json *json, const char *key, uint64_t value)
{
    lead(json, key);
    pto_buf_printf(json->out, "%llu", (unsigned long long)value);
}

void cli_json_int(struct cli_json *json, const char *key, int64_t value)
{
    lead(json, key);
    pto_buf_printf(json->out, "%lld", (long long)value);
}

void cli_json_number(struct cli_json *json, const char *key, double value)
{
    lead(json, key);
    if (isfinite(value))
        pto_buf_printf(json->out, "%.17g", value);
    else
        pto_buf_printf(json->out, "null");
}

void cli_json_bool(struct cli_json *json, const char *key, bool value)
{
    lead(json, key);
    pto_buf_printf(json->out, value ? "true" : "false");
}
