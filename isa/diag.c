#include "diag.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

/* Count the diagnostic; false if the limit on errors says that it is not to be stored.  Notes
 * follow the error that they explain. */
static bool count_diag(struct pto_diags *diags, enum pto_severity severity)
{
    if (severity == PTO_ERROR)
        diags->errors++;
    if (severity == PTO_WARNING)
        diags->warnings++;
    return severity == PTO_WARNING || !diags->max_errors || diags->errors <= diags->max_errors;
}

struct pto_diag *pto_diag_add(struct pto_diags *diags, enum pto_severity severity,
                              const char *file, uint32_t line, uint32_t column,
                              const char *format, ...)
{
    struct pto_diag *diag = pto_arena_alloc(&diags->arena, sizeof *diag);
    va_list args;

    diag->severity = severity;
    diag->file = file ? pto_arena_strdup(&diags->arena, file) : NULL;
    diag->line = line;
    diag->column = column;
    diag->length = 1;
    va_start(args, format);
    diag->message = format_text(&diags->arena, format, args);
    va_end(args);
    if (!count_diag(diags, severity))
        return diag;
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

    va_start(args, format);
    diag->hint = format_text(&diags->arena, format, args);
    va_end(args);
}

/* Texts quote the input, which may hold terminal escapes; those must not reach a terminal. */
static void print_clean(const char *text, FILE *stream)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        fputc(c == '\t' || (c >= 0x20 && c != 0x7f) ? c : '?', stream);
    }
}

/* The source line, and below it a caret under `column` with tildes up to `length`.  Columns count
 * code points; a tab above is a tab below, so that both lines advance alike. */
static void print_source(const struct pto_diag *diag, FILE *stream)
{
    const char *at = diag->source_line;
    uint32_t column = 1, length = diag->length;

    fputs("    ", stream);
    print_clean(diag->source_line, stream);
    fputs("\n    ", stream);
    for (; *at && column < diag->column; at++) {
        if ((*at & 0xc0) == 0x80)
            continue;
        fputc(*at == '\t' ? '\t' : ' ', stream);
        column++;
    }
    if (column < diag->column) /* just past the end of the line */
        fputc(' ', stream);
    fputc('^', stream);
    while (length-- > 1)
        fputc('~', stream);
    fputc('\n', stream);
}

static void print_diag(const struct pto_diag *diag, FILE *stream, bool colour)
{
    static const char *const names[] = {"note", "warning", "error"};
    static const char *const colours[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};

    if (diag->file) {
        print_clean(diag->file, stream);
        if (diag->line)
            fprintf(stream, ":%u", diag->line);
        if (diag->line && diag->column)
            fprintf(stream, ":%u", diag->column);
        fputs(": ", stream);
    }
    fprintf(stream, "%s%s:%s ", colour ? colours[diag->severity] : "", names[diag->severity],
            colour ? "\033[0m" : "");
    print_clean(diag->message, stream);
    fputc('\n', stream);
    if (diag->source_line && diag->column)
        print_source(diag, stream);
    if (diag->hint) {
        fputs("  hint: ", stream);
        print_clean(diag->hint, stream);
        fputc('\n', stream);
    }
}

void pto_diags_print(const struct pto_diags *diags, FILE *stream, bool colour)
{
    for (const struct pto_diag *diag = diags->first; diag; diag = diag->next) {
        print_diag(diag, stream, colour);
        for (const struct pto_diag *trail = diag->trail; trail; trail = trail->trail)
            print_diag(trail, stream, colour);
    }
    if (diags->max_errors && diags->errors > diags->max_errors)
        fprintf(stream, "%u more error%s not shown\n", diags->errors - diags->max_errors,
                diags->errors - diags->max_errors == 1 ? " is" : "s are");
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
