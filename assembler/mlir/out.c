#include "mlir/out.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { QUOTED = 90 }; /* characters of a line of the imported file in a comment */

static void end_line(struct mlir_out *out, struct mlir_place place)
{
    pto_buf_byte(&out->text, '\n');
    PTO_GROW(out->place, out->lines, out->capacity);
    out->place[out->lines++] = place;
}

/* The line of the imported file, when the first line comes from it. */
static void quote(struct mlir_out *out, const struct mlir_node *node, struct mlir_place place)
{
    const struct mlir_text *source = out->source;
    size_t length;
    const char *line;

    if (!source || node->line <= out->quoted)
        return;
    out->quoted = node->line;
    line = mlir_source_line(source, node->line, &length);
    while (length && (*line == ' ' || *line == '\t')) {
        line++;
        length--;
    }
    pto_buf_printf(&out->text, "%*s; %u: %.*s%s", (int)(4 * out->indent), "", node->line,
                   (int)(length < QUOTED ? length : QUOTED), line, length < QUOTED ? "" : "...");
    end_line(out, place);
}

void mlir_line(struct mlir_out *out, const struct mlir_node *node, const char *format, ...)
{
    struct mlir_place place = {node->line, node->column, node->length};
    char line[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    quote(out, node, place);
    pto_buf_printf(&out->text, "%*s%s", (int)(4 * out->indent), "", line);
    end_line(out, place);
}

void mlir_out_append(struct mlir_out *out, const struct mlir_out *more)
{
    pto_buf_append(&out->text, more->text.data, more->text.size);
    for (uint32_t i = 0; i < more->lines; i++) {
        PTO_GROW(out->place, out->lines, out->capacity);
        out->place[out->lines++] = more->place[i];
    }
}

void mlir_out_free(struct mlir_out *out)
{
    pto_buf_free(&out->text);
    free(out->place);
    *out = (struct mlir_out){0};
}
