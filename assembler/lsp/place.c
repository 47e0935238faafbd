#include <string.h>

#include "server.h"

/* Bytes and units of the protocol of the character at `text`. */
static unsigned units_of(const struct lsp_server *server, const char *text)
{
    return !server->utf32 && (*text & 0xf8) == 0xf0 ? 2 : 1;
}

static const char *next_character(const char *text)
{
    do
        text++;
    while ((*text & 0xc0) == 0x80);
    return text;
}

static const char *line_of(const struct asm_source *source, uint32_t line)
{
    return source && line >= 1 && line <= source->lines ? source->line[line - 1] : NULL;
}

json_t *lsp_position(const struct lsp_server *server, const struct asm_source *source,
                     uint32_t line, uint32_t column)
{
    const char *text = line_of(source, line);
    uint32_t units = column ? column - 1 : 0;

    if (text) {
        units = 0;
        for (uint32_t i = 1; i < column && *text; i++, text = next_character(text))
            units += units_of(server, text);
    }
    return json_pack("{s:i, s:i}", "line", line ? (int)line - 1 : 0, "character", (int)units);
}

json_t *lsp_range(const struct lsp_server *server, const struct asm_source *source, uint32_t line,
                  uint32_t column, uint32_t end_line, uint32_t end_column)
{
    return json_pack("{s:o, s:o}", "start", lsp_position(server, source, line, column), "end",
                     lsp_position(server, source, end_line, end_column));
}

json_t *lsp_token_range(const struct lsp_server *server, const struct asm_source *source,
                        const struct asm_token *token)
{
    return lsp_range(server, source, token->line, token->column, token->line,
                     token->column + token->length);
}

/* Line and unit of a position; false: it is none. */
static bool read_numbers(const json_t *position, json_int_t *line, json_int_t *units)
{
    const json_t *row = json_object_get(position, "line");
    const json_t *unit = json_object_get(position, "character");

    *line = json_integer_value(row);
    *units = json_integer_value(unit);
    return json_is_integer(row) && json_is_integer(unit) && *line >= 0 && *units >= 0;
}

bool lsp_read_position(const struct lsp_server *server, const struct asm_source *source,
                       const json_t *position, uint32_t *line, uint32_t *column)
{
    json_int_t row, units;
    const char *text;

    if (!read_numbers(position, &row, &units))
        return false;
    if (row >= (json_int_t)source->lines) {
        row = (json_int_t)source->lines - 1;
        units = UINT32_MAX;
    }
    *line = (uint32_t)row + 1;
    *column = 1;
    for (text = line_of(source, *line); *text && units > 0; text = next_character(text)) {
        units -= units_of(server, text);
        ++*column;
    }
    return true;
}

size_t lsp_byte_at(const struct lsp_server *server, struct pto_buf *text, const json_t *position)
{
    const char *begin = pto_buf_text(text), *at = begin, *end = begin + text->size;
    json_int_t line, units;

    if (!read_numbers(position, &line, &units))
        return SIZE_MAX;
    for (; line > 0 && at < end; line--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));

        at = newline ? newline + 1 : end;
    }
    for (; units > 0 && at < end && *at != '\n' && strncmp(at, "\r\n", 2) != 0;
         at = next_character(at))
        units -= units_of(server, at);
    return (size_t)(at - begin);
}

json_t *lsp_text(const char *text)
{
    json_t *result = json_string(text);
    struct pto_buf clean = {0};

    if (result)
        return result;
    for (; *text; text++)
        pto_buf_byte(&clean, *text & 0x80 ? '?' : (uint8_t)*text);
    result = json_string(pto_buf_text(&clean));
    pto_buf_free(&clean);
    return result;
}
