#include "search/remedy_pool.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "place.h"

enum { TEXT_BYTES = 512, MOST_FRAMES = 64 };

/* ---- texts ---- */

/* Add a text that is not there yet to *count texts, if there is room for one more of `most`. */
__attribute__((format(printf, 5, 0)))
static void add_text(struct pto_arena *arena, const char **item, unsigned *count, unsigned most,
                     const char *format, va_list arguments)
{
    char text[TEXT_BYTES];
    int length = vsnprintf(text, sizeof text, format, arguments);

    if (length < 0 || length >= TEXT_BYTES || *count == most)
        return;
    for (unsigned i = 0; i < *count; i++)
        if (!strcmp(item[i], text))
            return;
    item[(*count)++] = pto_arena_strdup(arena, text);
}

void list_add(const struct remedy_pool *pool, struct remedy_list *list, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_text(pool->arena, list->item, &list->count, LIST_ITEMS, format, arguments);
    va_end(arguments);
}

void pool_text(struct remedy_pool *pool, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_text(pool->arena, pool->text, &pool->texts, POOL_TEXTS, format, arguments);
    va_end(arguments);
}

const char *pool_statement(const struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line)
{
    struct pto_buf text = {0};
    uint32_t behind = cli_sheet_behind(sheet, line);
    const char *copy;

    for (uint32_t i = cli_sheet_first(sheet, line); i < behind; i++) {
        const char *part = sheet->line[i].text;
        size_t length;

        part += strspn(part, " \t");
        length = strcspn(part, ";\\");
        while (length > 0 && strchr(" \t\r", part[length - 1]))
            length--;
        pto_buf_printf(&text, "%s%.*s", text.size ? " " : "", (int)length, part);
    }
    copy = pto_arena_strdup(pool->arena, pto_buf_text(&text));
    pto_buf_free(&text);
    return copy;
}

/* Where the operand that begins at `text` ends: at a comma that stands in no brackets. */
static size_t operand_length(const char *text)
{
    size_t length = 0;
    int depth = 0;

    for (; text[length] && (text[length] != ',' || depth > 0); length++)
        depth += (strchr("([{", text[length]) != NULL) - (strchr(")]}", text[length]) != NULL);
    return length;
}

const char *pool_operand(const struct remedy_pool *pool, const char *statement, unsigned number)
{
    const char *at = statement + strcspn(statement, " \t");
    size_t length;

    if (!strncmp(at, " = ", 3)) /* behind the register that it gives a value to */
        at += 3 + strcspn(at + 3, " \t");
    for (;; number--) {
        at += strspn(at, " \t");
        length = operand_length(at);
        if (number == 0)
            break;
        if (!at[length])
            return "";
        at += length + 1;
    }
    while (length > 0 && strchr(" \t", at[length - 1]))
        length--;
    return pto_arena_strndup(pool->arena, at, length);
}

const char *pool_nth(const struct remedy_pool *pool, const char *word, unsigned n)
{
    size_t length = strlen(word);

    for (unsigned s = 0; s < pool->ailment->sheets; s++) {
        struct cli_sheet *sheet = &pool->ailment->sheet[s];

        for (uint32_t i = 1; i <= sheet->lines; i++) {
            const char *line = sheet->line[i].text + strspn(sheet->line[i].text, " \t");
            const char *result = *line == '%' ? strstr(line, " = ") : NULL;

            line = result ? result + 3 : line;
            if (!strncmp(line, word, length) && line[length] == ' ' && n-- == 0)
                return pool_statement(pool, sheet, i);
        }
    }
    return NULL;
}

void pool_copies(struct remedy_pool *pool, const char *word)
{
    const char *statement;

    for (unsigned n = 0; (statement = pool_nth(pool, word, n)) != NULL; n++)
        pool_text(pool, "%s", statement);
}

/* ---- places ---- */

void pool_spot(struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line)
{
    if (pool->spots == POOL_SPOTS || line < 1 || line > sheet->lines + 1)
        return;
    for (unsigned i = 0; i < pool->spots; i++)
        if (pool->spot[i].sheet == sheet && pool->spot[i].line == line)
            return;
    pool->spot[pool->spots++] = (struct remedy_spot){sheet, line};
}

struct cli_sheet *pool_sheet(const struct remedy_pool *pool, const char *path)
{
    for (unsigned i = 0; path && i < pool->ailment->sheets; i++)
        if (!strcmp(pool->ailment->sheet[i].path, path))
            return &pool->ailment->sheet[i];
    return NULL;
}

static bool is_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    text += strspn(text, " \t");
    return !strncmp(text, word, length) &&
           !strchr("abcdefghijklmnopqrstuvwxyz_", text[length] | 32);
}

bool pool_is_border(const struct cli_sheet *sheet, uint32_t line)
{
    static const char *const BORDER[] = {".macro", ".endm", ".core", ".kernel"};

    for (unsigned i = 0; i < sizeof BORDER / sizeof *BORDER; i++)
        if (is_word(sheet->line[line].text, BORDER[i]))
            return true;
    return false;
}

/* Before the labels that stand before the line: outside of what comes back to them. */
static uint32_t before_labels(const struct cli_sheet *sheet, uint32_t line)
{
    for (uint32_t i = line - 1; i > 0; i--) {
        if (cli_sheet_is_label(sheet, i))
            line = i;
        else if (cli_sheet_says(sheet, i))
            break;
    }
    return line;
}

static void spots_of_frame(struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line)
{
    uint32_t first = cli_sheet_first(sheet, line);

    pool_spot(pool, sheet, before_labels(sheet, first));
    pool_spot(pool, sheet, first);
    pool_spot(pool, sheet, cli_sheet_behind(sheet, line));
    for (uint32_t open = sheet->line[first].opener; open && !pool_is_border(sheet, open);
         open = sheet->line[open].opener) {
        pool_spot(pool, sheet, cli_sheet_first(sheet, open));
        pool_spot(pool, sheet, sheet->line[open].closer);
        pool_spot(pool, sheet, sheet->line[open].closer + 1);
        pool_spot(pool, sheet, cli_sheet_behind(sheet, open));
    }
}

void pool_for_frames(struct remedy_pool *pool, const struct pto_module *module, int32_t pos,
                     void (*each)(struct remedy_pool *pool, struct cli_sheet *sheet,
                                  uint32_t line))
{
    const struct pto_pos *at = pto_place(module, pos);

    for (int i = 0; at && i < MOST_FRAMES; i++, at = pto_place(module, at->parent)) {
        struct cli_sheet *sheet = pool_sheet(pool, module->file[at->file]);

        if (sheet && at->line >= 1 && at->line <= sheet->lines)
            each(pool, sheet, at->line);
    }
}

void pool_spots_near(struct remedy_pool *pool, const struct pto_module *module, int32_t pos)
{
    pool_for_frames(pool, module, pos, spots_of_frame);
}

static void spot_behind(struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line)
{
    pool_spot(pool, sheet, cli_sheet_behind(sheet, line));
}

void pool_spot_behind(struct remedy_pool *pool, const struct pto_module *module, int32_t pos)
{
    pool_for_frames(pool, module, pos, spot_behind);
}

static void spots_of_section(struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line)
{
    uint32_t first = line, last = line;

    while (first > 1 && !pool_is_border(sheet, first - 1))
        first--;
    while (last < sheet->lines && !pool_is_border(sheet, last + 1))
        last++;
    for (uint32_t away = 1; line - first >= away || last - line >= away; away++) {
        if (line - first >= away && cli_sheet_says(sheet, line - away) &&
            cli_sheet_first(sheet, line - away) == line - away)
            pool_spot(pool, sheet, line - away);
        if (last - line >= away && cli_sheet_says(sheet, line + away) &&
            cli_sheet_first(sheet, line + away) == line + away)
            pool_spot(pool, sheet, line + away);
    }
    pool_spot(pool, sheet, last + 1);
}

void pool_spots_all(struct remedy_pool *pool, const struct pto_module *module, int32_t pos)
{
    pool_for_frames(pool, module, pos, spots_of_section);
}

void pool_spots_naming(struct remedy_pool *pool, const char *name)
{
    for (unsigned s = 0; s < pool->ailment->sheets; s++) {
        struct cli_sheet *sheet = &pool->ailment->sheet[s];

        for (uint32_t i = 1; i <= sheet->lines; i++)
            if (words_name_in(sheet->line[i].text, name) && !is_word(sheet->line[i].text, ".sym") &&
                !is_word(sheet->line[i].text, ".signal") && cli_sheet_says(sheet, i) &&
                !words_name_in(sheet->line[i].text, "TNOTIFY"))
                pool_spot(pool, sheet, cli_sheet_first(sheet, i));
    }
}

/* Call `each` for every line of the texts that begins with the word. */
static void for_lines(struct remedy_pool *pool, const char *word,
                      void (*each)(struct remedy_pool *pool, struct cli_sheet *sheet,
                                   uint32_t line))
{
    for (unsigned s = 0; s < pool->ailment->sheets; s++) {
        struct cli_sheet *sheet = &pool->ailment->sheet[s];

        for (uint32_t i = 1; i <= sheet->lines; i++)
            if (is_word(sheet->line[i].text, word))
                each(pool, sheet, i);
    }
}

void pool_spots_near_words(struct remedy_pool *pool, const char *word)
{
    for_lines(pool, word, spots_of_frame);
}

void pool_spots_sending(struct remedy_pool *pool)
{
    for (unsigned s = 0; s < pool->ailment->sheets; s++) {
        struct cli_sheet *sheet = &pool->ailment->sheet[s];

        for (uint32_t i = 1; i <= sheet->lines; i++) {
            const char *text = sheet->line[i].text, *at = strpbrk(text, "@;");

            if (!at || *at != '@' || strchr(".", text[strspn(text, " \t")]))
                continue;
            for (uint32_t open = sheet->line[i].opener; open && !pool_is_border(sheet, open);
                 open = sheet->line[open].opener)
                if (is_word(sheet->line[open].text, ".for") ||
                    is_word(sheet->line[open].text, ".while"))
                    pool_spot(pool, sheet, sheet->line[open].closer + 1);
            pool_spot(pool, sheet, cli_sheet_behind(sheet, i));
        }
    }
}

/* Of a branch: the line with the condition. */
static uint32_t question_of(const struct cli_sheet *sheet, uint32_t line)
{
    while (is_word(sheet->line[line].text, ".else")) {
        uint32_t before = line - 1;

        while (before > 0 && sheet->line[before].closer != line)
            before--;
        if (!before)
            break;
        line = before;
    }
    return line;
}

bool pool_is_for_some(const struct remedy_pool *pool, const struct pto_module *module,
                      int32_t pos)
{
    const struct pto_pos *at = pto_place(module, pos);

    for (int i = 0; at && i < MOST_FRAMES; i++, at = pto_place(module, at->parent)) {
        struct cli_sheet *sheet = pool_sheet(pool, module->file[at->file]);
        uint32_t line = sheet && at->line >= 1 && at->line <= sheet->lines ? at->line : 0;

        for (; line && !pool_is_border(sheet, line); line = sheet->line[line].opener) {
            const char *text = sheet->line[question_of(sheet, line)].text;

            if (is_word(text, ".if") && words_name_in(text, "rank()"))
                return true;
        }
    }
    return false;
}

/* What many notifies of a loop need is rather missing once, before the loop. */
static void spots_of_telling(struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line)
{
    uint32_t inner = sheet->line[line].opener;

    if (inner && !pool_is_border(sheet, inner))
        pool_spot(pool, sheet, cli_sheet_first(sheet, inner));
    pool_spot(pool, sheet, line);
    pool_spot(pool, sheet, cli_sheet_behind(sheet, line));
    for (uint32_t open = sheet->line[line].opener; open && !pool_is_border(sheet, open);
         open = sheet->line[open].opener) {
        pool_spot(pool, sheet, cli_sheet_first(sheet, open));
        pool_spot(pool, sheet, sheet->line[open].closer + 1);
    }
}

void pool_spots_telling(struct remedy_pool *pool, bool one_rank)
{
    static const char *const TELL[] = {"TNOTIFY", "TWAIT", "sync_all", "set_intra_block",
                                       "wait_intra_block", "set_flag_dev", "wait_flag_dev", "dsb",
                                       "dcci", "pipe_barrier"};
    static const char *const IN_RANK[] = {"set_intra_block", "wait_intra_block", "set_flag_dev",
                                          "wait_flag_dev", "sync_all", "TNOTIFY", "TWAIT", "dsb",
                                          "dcci", "pipe_barrier"};

    for (unsigned w = 0; w < sizeof TELL / sizeof *TELL; w++)
        for_lines(pool, one_rank ? IN_RANK[w] : TELL[w], spots_of_telling);
}
