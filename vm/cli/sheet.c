#include "cli/sheet.h"

#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 3, MOST_DEPTH = 256 };

/* ---- lines and blocks ---- */

/* The word that a line begins with. */
static size_t first_word(const char *text, const char **word)
{
    *word = text + strspn(text, " \t");
    return strcspn(*word, " \t;,{");
}

static bool begins(const char *text, const char *directive)
{
    const char *word;
    size_t length = first_word(text, &word);

    return length == strlen(directive) && !strncmp(word, directive, length);
}

static bool is_one_of(const char *text, const char *const *directive)
{
    for (; *directive; directive++)
        if (begins(text, *directive))
            return true;
    return false;
}

static bool opens(const char *text)
{
    static const char *const OPENERS[] = {".for", ".while", ".if", ".ordered", ".macro", NULL};

    return is_one_of(text, OPENERS);
}

static bool closes(const char *text)
{
    static const char *const CLOSERS[] = {".endfor", ".endwhile", ".endif", ".endordered", ".endm",
                                          NULL};

    return is_one_of(text, CLOSERS);
}

static bool divides(const char *text)
{
    static const char *const DIVIDERS[] = {".else", ".elif", NULL};

    return is_one_of(text, DIVIDERS);
}

static void find_blocks(struct cli_sheet *sheet)
{
    uint32_t open[MOST_DEPTH], depth = 0;

    for (uint32_t i = 1; i <= sheet->lines; i++) {
        struct cli_line *line = &sheet->line[i];

        if ((closes(line->text) || divides(line->text)) && depth > 0)
            sheet->line[open[--depth]].closer = i;
        line->opener = depth > 0 ? open[depth - 1] : 0;
        if ((opens(line->text) || divides(line->text)) && depth < MOST_DEPTH)
            open[depth++] = i;
    }
}

void cli_sheet_init(struct cli_sheet *sheet, const char *path, const char *text, size_t size,
                    struct pto_arena *arena)
{
    const char *end = text + size;

    *sheet = (struct cli_sheet){.path = path};
    for (const char *c = text; c < end; c++)
        sheet->lines += *c == '\n';
    sheet->ends = size == 0 || end[-1] == '\n';
    sheet->lines += !sheet->ends;
    sheet->line = pto_arena_array(arena, sheet->lines + 2, sizeof *sheet->line);
    for (uint32_t i = 1; i <= sheet->lines; i++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));

        stop = stop ? stop : end;
        sheet->line[i].text = pto_arena_strndup(arena, text, (size_t)(stop - text));
        text = stop + 1;
    }
    find_blocks(sheet);
}

/* Does the statement go on in the next line?  A comment hides the sign, except in a string. */
static bool continues(const struct cli_sheet *sheet, uint32_t line)
{
    const char *text = sheet->line[line].text, *end;
    size_t length = strcspn(text, ";");

    if (line >= sheet->lines)
        return false;
    end = text + (strchr(text, '"') ? strlen(text) : length);
    while (end > text && strchr(" \t\r", end[-1]))
        end--;
    return end > text && end[-1] == '\\';
}

uint32_t cli_sheet_first(const struct cli_sheet *sheet, uint32_t line)
{
    while (line > 1 && continues(sheet, line - 1))
        line--;
    return line;
}

uint32_t cli_sheet_behind(const struct cli_sheet *sheet, uint32_t line)
{
    while (line < sheet->lines && continues(sheet, line))
        line++;
    return line + 1;
}

bool cli_sheet_says(const struct cli_sheet *sheet, uint32_t line)
{
    const char *word;

    return first_word(sheet->line[line].text, &word) > 0 && *word != '\r';
}

bool cli_sheet_is_label(const struct cli_sheet *sheet, uint32_t line)
{
    const char *word;
    size_t length = first_word(sheet->line[line].text, &word);

    return length > 0 && word[length - 1] == ':';
}

/* ---- insertions ---- */

/* The indentation of a statement before `line`, with which the text that is returned begins. */
static const char *indent_at(const struct cli_sheet *sheet, uint32_t line,
                             struct pto_arena *arena)
{
    const char *like, *deeper = "";
    uint32_t at = line;

    while (at <= sheet->lines && (!cli_sheet_says(sheet, at) || cli_sheet_is_label(sheet, at)))
        at++;
    /* Behind the last statement of a block it is that of the statement. */
    if (at > sheet->lines || closes(sheet->line[at].text) || divides(sheet->line[at].text)) {
        for (at = line - 1; at > 1 && !cli_sheet_says(sheet, at);)
            at--;
        if (at >= 1 && (opens(sheet->line[at].text) || divides(sheet->line[at].text)))
            deeper = "    ";
    }
    at = at >= 1 ? cli_sheet_first(sheet, at) : at;
    like = at >= 1 && at <= sheet->lines ? sheet->line[at].text : "";
    return pto_arena_printf(arena, "%.*s%s", (int)strspn(like, " \t"), like, deeper);
}

/* The n-th line of a text; its length, or false. */
static bool line_of(const char *text, unsigned n, const char **line, size_t *length)
{
    for (; n > 0; n--) {
        text = strchr(text, '\n');
        if (!text)
            return false;
        text++;
    }
    *line = text;
    *length = strcspn(text, "\n");
    return true;
}

static void put_lines(const struct cli_sheet *sheet, bool added, struct pto_buf *out)
{
    for (uint32_t i = 1; i <= sheet->lines; i++)
        if (added || !sheet->line[i].added)
            pto_buf_printf(out, "%s%s", sheet->line[i].text,
                           i < sheet->lines || sheet->ends ? "\n" : "");
}

void cli_sheet_text(const struct cli_sheet *sheet, struct pto_buf *out)
{
    put_lines(sheet, true, out);
}

void cli_sheet_original(const struct cli_sheet *sheet, struct pto_buf *out)
{
    put_lines(sheet, false, out);
}

void cli_sheet_insert(struct cli_sheet *sheet, uint32_t line, const char *text,
                      struct pto_arena *arena)
{
    const char *indent = indent_at(sheet, line, arena), *part;
    unsigned more = 0;
    size_t length;
    struct cli_line *lines;

    while (line_of(text, more, &part, &length))
        more++;
    lines = pto_arena_array(arena, sheet->lines + more + 2, sizeof *lines);
    for (uint32_t i = 1; i <= sheet->lines; i++)
        lines[i < line ? i : i + more] = (struct cli_line){sheet->line[i].text,
                                                           sheet->line[i].added, 0, 0};
    for (unsigned n = 0; line_of(text, n, &part, &length); n++)
        lines[line + n] = (struct cli_line){
            pto_arena_printf(arena, "%s%.*s", indent, (int)length, part), true, 0, 0};
    sheet->line = lines;
    sheet->lines += more;
    find_blocks(sheet);
}

/* ---- differences ---- */

bool cli_sheet_changed(const struct cli_sheet *sheet)
{
    for (uint32_t i = 1; i <= sheet->lines; i++)
        if (sheet->line[i].added)
            return true;
    return false;
}

/* The last line of the hunk that begins with the change at `line`. */
static uint32_t hunk_end(const struct cli_sheet *sheet, uint32_t line)
{
    uint32_t last = line;

    for (uint32_t i = line; i <= sheet->lines && i <= last + 2 * CONTEXT + 1; i++)
        if (sheet->line[i].added)
            last = i;
    return last + CONTEXT < sheet->lines ? last + CONTEXT : sheet->lines;
}

static uint32_t put_hunk(const struct cli_sheet *sheet, uint32_t line, uint32_t *before,
                         struct pto_buf *out)
{
    uint32_t from = line > CONTEXT ? line - CONTEXT : 1, to = hunk_end(sheet, line), added = 0;
    uint32_t old;

    for (uint32_t i = from; i <= to; i++)
        added += sheet->line[i].added;
    old = to - from + 1 - added;
    pto_buf_printf(out, "@@ -%u,%u +%u,%u @@\n", old ? from - *before : from - *before - 1, old,
                   from, to - from + 1);
    for (uint32_t i = from; i <= to; i++)
        pto_buf_printf(out, "%c%s\n%s", sheet->line[i].added ? '+' : ' ', sheet->line[i].text,
                       i == sheet->lines && !sheet->ends ? "\\ No newline at end of file\n" : "");
    *before += added;
    return to;
}

void cli_sheet_diff(const struct cli_sheet *sheet, struct pto_buf *out)
{
    uint32_t before = 0; /* lines added so far */

    if (!cli_sheet_changed(sheet))
        return;
    pto_buf_printf(out, "--- %s\n+++ %s\n", sheet->path, sheet->path);
    for (uint32_t i = 1; i <= sheet->lines; i++)
        if (sheet->line[i].added)
            i = put_hunk(sheet, i, &before, out);
}
