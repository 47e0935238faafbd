#include "fix.h"

#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "lines.h"
#include "output.h"
#include "tool/suggestion.h"

enum { AROUND = 3 }; /* lines of context in a diff */

/* A word to be replaced by another one.  Columns are bytes here: see tool/suggestion.h. */
struct change {
    const char *file;
    uint32_t line, column, length;
    const char *word;
};

struct changes {
    struct pto_arena arena;
    struct change *change; /* by file, line and column, each place once */
    unsigned count, capacity;
};

/* ---- what is suggested ---- */

static int by_place(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    int file = strcmp(x->file, y->file);

    if (file)
        return file;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static void collect(struct changes *changes, const struct pto_diags *diags)
{
    unsigned kept = 0;

    for (const struct pto_diag *diag = diags->first; diag; diag = diag->next) {
        const char *word = tool_suggestion(diag, &changes->arena);

        if (!word)
            continue;
        PTO_GROW(changes->change, changes->count, changes->capacity);
        changes->change[changes->count++] = (struct change){diag->file, diag->line, diag->column,
                                                            diag->length, word};
    }
    if (changes->count)
        qsort(changes->change, changes->count, sizeof *changes->change, by_place);
    for (unsigned i = 0; i < changes->count; i++) /* uses of one macro name one place */
        if (kept == 0 || by_place(&changes->change[kept - 1], &changes->change[i]) != 0)
            changes->change[kept++] = changes->change[i];
    changes->count = kept;
}

/* ---- one file ---- */

struct text {
    const struct change *change; /* of this file */
    unsigned changes;
    struct pto_buf bytes;
    const char **line; /* where each begins, and behind them the end */
    uint32_t lines;
};

static bool read_text(struct text *text, struct pto_arena *arena, const char **why)
{
    const char *c, *end;
    uint32_t count = 1;

    if (pto_file_read(text->change->file, PTO_FILE_TEXT, &text->bytes, why) != PTO_OK)
        return false;
    c = pto_buf_text(&text->bytes);
    end = c + text->bytes.size;
    for (const char *p = c; p < end; p++)
        count += *p == '\n';
    text->line = pto_arena_array(arena, count + 1u, sizeof *text->line);
    while (c < end) {
        const char *next = memchr(c, '\n', (size_t)(end - c));

        text->line[text->lines++] = c;
        c = next ? next + 1 : end;
    }
    text->line[text->lines] = end;
    return true;
}

/* The changes of a line, from 1: the first of them and their number. */
static const struct change *changes_of(const struct text *text, uint32_t line, unsigned *count)
{
    unsigned first = 0;

    while (first < text->changes && text->change[first].line < line)
        first++;
    *count = 0;
    while (first + *count < text->changes && text->change[first + *count].line == line)
        ++*count;
    return &text->change[first];
}

/* A line as it was, or with its changes. */
static void put_line(const struct text *text, uint32_t line, bool changed, struct pto_buf *out)
{
    const char *c = text->line[line - 1], *begin = c, *end = text->line[line];
    unsigned count;
    const struct change *change = changes_of(text, line, &count);

    for (unsigned i = 0; changed && i < count; i++) {
        const char *word = begin + change[i].column - 1;

        if (word < c || word + change[i].length > end)
            continue; /* the file is no longer what was read */
        pto_buf_append(out, c, (size_t)(word - c));
        pto_buf_printf(out, "%s", change[i].word);
        c = word + change[i].length;
    }
    pto_buf_append(out, c, (size_t)(end - c));
}

static void put_diff_line(const struct text *text, uint32_t line, char sign, struct pto_buf *out)
{
    pto_buf_byte(out, (uint8_t)sign);
    put_line(text, line, sign == '+', out);
    if (out->data[out->size - 1] != '\n')
        pto_buf_printf(out, "\n\\ No newline at end of file\n");
}

/* The last line that belongs to the hunk of a changed line, which is followed by no other change
 * within twice the context. */
static uint32_t hunk_end(const struct text *text, uint32_t line)
{
    uint32_t last = line;

    for (unsigned i = 0; i < text->changes; i++)
        if (text->change[i].line > last && text->change[i].line <= last + 2 * AROUND)
            last = text->change[i].line;
    return last + AROUND < text->lines ? last + AROUND : text->lines;
}

static void put_diff(const struct text *text, struct pto_buf *out)
{
    uint32_t done = 0;
    unsigned count;

    pto_buf_printf(out, "--- %s\n+++ %s\n", text->change->file, text->change->file);
    for (unsigned i = 0; i < text->changes; i++) {
        uint32_t line = text->change[i].line, first, last;

        if (line <= done)
            continue;
        first = line > AROUND ? line - AROUND : 1;
        last = hunk_end(text, line);
        pto_buf_printf(out, "@@ -%u,%u +%u,%u @@\n", first, last - first + 1, first,
                       last - first + 1);
        for (; first <= last; first++) {
            changes_of(text, first, &count);
            put_diff_line(text, first, count ? '-' : ' ', out);
            if (count)
                put_diff_line(text, first, '+', out);
        }
        done = last;
    }
}

static bool fix_file(const struct ptoas_options *o, struct text *text, struct pto_buf *diff,
                     struct pto_arena *arena, struct pto_diags *diags)
{
    struct pto_buf whole = {0};
    const char *why;
    bool good = true;

    if (!read_text(text, arena, &why)) {
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--fix: cannot read '%s': %s",
                     text->change->file, why);
        return false;
    }
    if (o->fix_in_place) {
        for (uint32_t line = 1; line <= text->lines; line++)
            put_line(text, line, true, &whole);
        good = ptoas_write(text->change->file, &whole, diags);
    } else {
        put_diff(text, diff);
    }
    pto_buf_free(&whole);
    return good;
}

bool ptoas_fix(const struct ptoas_options *o, struct pto_diags *diags)
{
    struct changes changes = {0};
    struct pto_buf diff = {0};
    bool good = true;

    pto_diags_add_lines(diags);
    collect(&changes, diags);
    for (unsigned i = 0; i < changes.count;) {
        struct text text = {.change = &changes.change[i]};

        while (i < changes.count && !strcmp(changes.change[i].file, text.change->file)) {
            text.changes++;
            i++;
        }
        good &= fix_file(o, &text, &diff, &changes.arena, diags);
        pto_buf_free(&text.bytes);
    }
    if (diff.size)
        good &= ptoas_write("-", &diff, diags);
    pto_buf_free(&diff);
    free(changes.change);
    pto_arena_free(&changes.arena);
    return good;
}
