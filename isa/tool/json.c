#include "tool/json.h"

#include <math.h>
#include <string.h>

#include "json_quote.h"

/* What comes before a value: separator, line, key. */
static void lead(struct cli_json *json, const char *key)
{
    if (json->depth > 0)
        pto_buf_printf(json->out, "%s\n%*s", json->empty ? "" : ",", (int)(2 * json->depth), "");
    json->empty = false;
    if (key) {
        pto_json_quote(json->out, key);
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
    if (!text)
        pto_buf_printf(json->out, "null");
    else
        pto_json_quote(json->out, text);
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
