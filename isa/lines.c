#include "lines.h"

#include <stdlib.h>
#include <string.h>

#include "file.h"

static void load(struct pto_lines *lines, const char *path)
{
    pto_lines_free(lines);
    lines->path = pto_xstrdup(path);
    if (!lines->path || pto_file_read_source(path, &lines->text) != PTO_OK)
        return;
    for (size_t at = 0; at < lines->text.size;) {
        const uint8_t *end = memchr(lines->text.data + at, '\n', lines->text.size - at);

        PTO_GROW(lines->start, lines->lines, lines->capacity);
        lines->start[lines->lines++] = at;
        at = end ? (size_t)(end - lines->text.data) + 1 : lines->text.size;
    }
}

const char *pto_lines_get(struct pto_lines *lines, const char *path, uint32_t number,
                          size_t *length)
{
    const char *line;

    if (!lines->path || strcmp(lines->path, path) != 0)
        load(lines, path);
    if (number == 0 || number > lines->lines)
        return NULL;
    line = pto_buf_text(&lines->text) + lines->start[number - 1];
    *length = strcspn(line, "\r\n");
    return line;
}

void pto_lines_free(struct pto_lines *lines)
{
    free(lines->path);
    free(lines->start);
    pto_buf_free(&lines->text);
    *lines = (struct pto_lines){0};
}

static void add_line(struct pto_diags *diags, struct pto_diag *diag, struct pto_lines *lines)
{
    size_t length;
    const char *line = diag->file && !diag->source_line
                           ? pto_lines_get(lines, diag->file, diag->line, &length)
                           : NULL;

    if (line && length > 0 && length <= PTO_MOST_SHOWN)
        diag->source_line = pto_arena_strndup(&diags->arena, line, length);
}

void pto_diags_add_lines(struct pto_diags *diags)
{
    struct pto_lines lines = {0};

    for (struct pto_diag *diag = diags->first; diag; diag = diag->next) {
        const struct pto_diag *first = pto_diag_first(diag);

        for (struct pto_diag *at = diag; at; at = at->trail)
            if (at == diag || at == first)
                add_line(diags, at, &lines);
    }
    pto_lines_free(&lines);
}
