#include "diag.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "characters.h"

enum { LONGEST_LINE = 400 }; /* code points of a source line */

static char *format_text(struct pto_arena *arena, const char *format, va_list args)
{
    va_list again;
    char *text;
    int length;

    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    text = pto_arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

bool pto_diags_full(const struct pto_diags *diags)
{
    return diags->max_errors && diags->errors > diags->max_errors;
}

/* Count the diagnostic; false if the limit on errors says that it is not to be stored.  Notes
 * follow the error that they explain. */
static bool count_diag(struct pto_diags *diags, enum pto_severity severity)
{
    if (severity == PTO_ERROR)
        diags->errors++;
    if (severity == PTO_WARNING)
        diags->warnings++;
    return severity == PTO_WARNING || !pto_diags_full(diags);
}

struct pto_diag *pto_diag_add(struct pto_diags *diags, enum pto_severity severity,
                              const char *file, uint32_t line, uint32_t column,
                              const char *format, ...)
{
    struct pto_diag *diag;
    va_list args;

    if (!count_diag(diags, severity)) {
        diags->spare = (struct pto_diag){.severity = severity, .message = ""};
        return &diags->spare;
    }
    diag = pto_arena_alloc(&diags->arena, sizeof *diag);
    diag->severity = severity;
    diag->file = file ? pto_arena_strdup(&diags->arena, file) : NULL;
    diag->line = line;
    diag->column = column;
    diag->length = 1;
    va_start(args, format);
    diag->message = format_text(&diags->arena, format, args);
    va_end(args);
    if (diags->last)
        diags->last->next = diag;
    else
        diags->first = diag;
    diags->last = diag;
    return diag;
}

void pto_diag_hint(struct pto_diags *diags, struct pto_diag *diag, const char *format, ...)
{
    va_list args;

    if (diag == &diags->spare)
        return;
    va_start(args, format);
    diag->hint = format_text(&diags->arena, format, args);
    va_end(args);
}

/* Bytes of the text that go into `room` columns: up to a blank, or a whole word that is longer. */
static size_t fitting(const char *text, size_t length, unsigned room)
{
    size_t fits = 0, i = 0;

    for (unsigned columns = 0; i < length; i++) {
        if (text[i] == ' ' && i > 0)
            fits = i;
        columns += (text[i] & 0xc0) != 0x80;
        if (columns > room && fits)
            return fits;
    }
    return length;
}

void pto_put_wrapped(struct pto_buf *out, const char *text, size_t length, unsigned column,
                     unsigned indent)
{
    struct pto_buf whole = {0};
    const char *rest;

    pto_put_clean(&whole, text, length);
    rest = pto_buf_text(&whole);
    length = whole.size;
    for (;;) {
        size_t part = fitting(rest, length, PTO_MOST_COLUMNS - column);

        pto_buf_append(out, rest, part);
        pto_buf_byte(out, '\n');
        for (; part < length && rest[part] == ' '; part++)
            ;
        rest += part;
        length -= part;
        if (length == 0)
            break;
        column = indent;
        pto_buf_printf(out, "%*s", (int)indent, "");
    }
    pto_buf_free(&whole);
}

static void put_text(const char *text, struct pto_buf *out)
{
    pto_put_clean(out, text, strlen(text));
}

/* The first `count` code points of a text. */
static const char *skip(const char *text, uint32_t count)
{
    for (; *text && count; count--)
        for (text++; (*text & 0xc0) == 0x80;)
            text++;
    return text;
}

/* A part of a source line, one column for each of its characters, so that carets point at them:
 * '?' for what cannot be shown. */
static void put_columns(const char *text, const char *end, struct pto_buf *out)
{
    while (text < end) {
        const char *next = skip(text, 1);
        size_t length = (size_t)(next - text);

        if (pto_utf8_shown(text, length) == length)
            pto_buf_append(out, text, length);
        else
            pto_buf_byte(out, '?');
        text = next;
    }
}

/* A tab above is a tab below, so that both lines advance alike. */
void pto_put_source(struct pto_buf *out, const char *line, uint32_t caret_column, uint32_t length)
{
    bool whole = !*skip(line, LONGEST_LINE);
    uint32_t before = caret_column - 1;
    uint32_t left_out = whole || before < LONGEST_LINE / 2 ? 0 : before - LONGEST_LINE / 2;
    const char *begin = skip(line, left_out);
    const char *end = skip(begin, LONGEST_LINE), *caret = skip(begin, before - left_out);
    uint32_t room = LONGEST_LINE - (before - left_out), column = left_out + 1;

    pto_buf_printf(out, "    %s", left_out ? "..." : "");
    put_columns(begin, end, out);
    pto_buf_printf(out, "%s\n    %s", *end ? "..." : "", left_out ? "   " : "");
    for (; begin < caret; begin = skip(begin, 1), column++)
        pto_buf_byte(out, *begin == '\t' ? '\t' : ' ');
    pto_buf_printf(out, "%s^", column < caret_column ? " " : ""); /* just past the line's end */
    for (uint32_t i = 1; i < length && (whole || i < room); i++)
        pto_buf_byte(out, '~');
    pto_buf_byte(out, '\n');
}

static void put_place(const struct pto_diag *at, struct pto_buf *out)
{
    if (!at->file)
        return;
    put_text(at->file, out);
    if (at->line)
        pto_buf_printf(out, ":%u", at->line);
    if (at->line && at->column)
        pto_buf_printf(out, ":%u", at->column);
    pto_buf_printf(out, ": ");
}

static void put_source_line(const struct pto_diag *at, struct pto_buf *out)
{
    if (at->source_line && at->column)
        pto_put_source(out, at->source_line, at->column, at->length);
}

static void put_message(enum pto_severity severity, const char *message,
                        const struct pto_diag *at, bool colour, struct pto_buf *out)
{
    static const char *const names[] = {"note", "warning", "error"};
    static const char *const colours[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};

    put_place(at, out);
    pto_buf_printf(out, "%s%s:%s ", colour ? colours[severity] : "", names[severity],
                   colour ? "\033[0m" : "");
    put_text(message, out);
    pto_buf_byte(out, '\n');
}

const struct pto_diag *pto_diag_first(const struct pto_diag *diag)
{
    const struct pto_diag *outer = diag;

    while (outer->trail && outer->trail->file && !outer->trail->included)
        outer = outer->trail;
    while (diag != outer && (!diag->file || strcmp(diag->file, outer->file) != 0))
        diag = diag->trail;
    return diag;
}

/* From the program's own line into the library, each place with the macro that it is in. */
static void put_way_in(const struct pto_diag *diag, const struct pto_diag *first, bool colour,
                       struct pto_buf *out)
{
    struct pto_buf message = {0};

    if (diag->trail != first)
        put_way_in(diag->trail, first, colour, out);
    pto_buf_printf(&message, "here");
    if (diag->trail->macro)
        pto_buf_printf(&message, ", in macro '%s'", diag->trail->macro);
    put_message(PTO_NOTE, pto_buf_text(&message), diag, colour, out);
    pto_buf_free(&message);
}

static void put_diag(const struct pto_diag *diag, bool colour, struct pto_buf *out)
{
    const struct pto_diag *first = pto_diag_first(diag);

    put_message(diag->severity, diag->message, first, colour, out);
    put_source_line(first, out);
    if (diag->hint) {
        pto_buf_printf(out, "  hint: ");
        pto_put_wrapped(out, diag->hint, strlen(diag->hint), 8, 8);
    }
    if (first != diag) {
        put_way_in(diag, first, colour, out);
        put_source_line(diag, out);
    }
    for (const struct pto_diag *at = first->trail; at; at = at->trail)
        put_message(at->severity, at->message, at, colour, out);
}

void pto_diags_text(const struct pto_diags *diags, bool colour, struct pto_buf *out)
{
    for (const struct pto_diag *diag = diags->first; diag; diag = diag->next)
        put_diag(diag, colour, out);
    if (diags->max_errors && diags->errors > diags->max_errors)
        pto_buf_printf(out, "%u more error%s not shown\n", diags->errors - diags->max_errors,
                       diags->errors - diags->max_errors == 1 ? " is" : "s are");
}

void pto_diags_print(const struct pto_diags *diags, FILE *stream, bool colour)
{
    struct pto_buf out = {0};

    pto_diags_text(diags, colour, &out);
    if (out.size)
        fwrite(out.data, 1, out.size, stream);
    pto_buf_free(&out);
}

void pto_diags_free(struct pto_diags *diags)
{
    unsigned max_errors = diags->max_errors;

    pto_arena_free(&diags->arena);
    *diags = (struct pto_diags){.max_errors = max_errors};
}

enum { LONGEST_WORD = 63 };

/* Edit distance without regard to case: insertions, deletions, replacements, swapped neighbours. */
static unsigned edit_distance(const char *a, const char *b)
{
    unsigned rows[3][LONGEST_WORD + 1] = {{0}};
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];
    size_t height = strlen(a), width = strlen(b);

    for (size_t j = 0; j <= width; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= height; i++) {
        unsigned *free_row = before;

        now[0] = (unsigned)i;
        for (size_t j = 1; j <= width; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            unsigned best = last[j - 1] + (x != y);

            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]) && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        before = last;
        last = now;
        now = free_row;
    }
    return last[width];
}

const char *pto_nearest(const char *word, const char *const *candidates, unsigned count)
{
    size_t length = strlen(word);
    /* In a word of up to three letters a second difference leaves nothing in common. */
    unsigned limit = length <= 3 ? 1 : length <= 8 ? 2 : (unsigned)length / 3;
    const char *best = NULL;

    if (length > LONGEST_WORD)
        return NULL;
    for (unsigned i = 0; i < count; i++) {
        unsigned distance;

        if (strlen(candidates[i]) > LONGEST_WORD)
            continue;
        distance = edit_distance(word, candidates[i]);
        if (distance > limit || (best && distance == limit))
            continue;
        best = candidates[i];
        limit = distance;
    }
    return best;
}
