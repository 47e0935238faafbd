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

bool lsp_read_position(const struct lsp_server *server, const struct asm_source *source,
                       const json_t *position, uint32_t *line, uint32_t *column)
{
    const json_t *row = json_object_get(position, "line");
    const json_t *unit = json_object_get(position, "character");
    json_int_t units = json_integer_value(unit);
    const char *text;

    if (!json_is_integer(row) || !json_is_integer(unit) || json_integer_value(row) < 0 ||
        units < 0 || json_integer_value(row) >= (json_int_t)source->lines)
        return false;
    *line = (uint32_t)json_integer_value(row) + 1;
    *column = 1;
    for (text = line_of(source, *line); *text && units > 0; text = next_character(text)) {
        units -= units_of(server, text);
        ++*column;
    }
    return true;
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
