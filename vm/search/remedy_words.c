/* Where texts look as if something had been left out - blocks without a statement, names that
 * nobody uses -, and the names and expressions of which it may have been made. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"
#include "search/remedy_pool.h"

enum { MOST_PARAMS = 8, LINES_BEFORE = 6 };

/* ---- names ---- */

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The next place behind `at` where the name stands as a word of its own; NULL: none, or only in
 * the comment. */
static const char *find_name(const char *text, const char *at, const char *name)
{
    size_t length = strlen(name);
    const char *end = text + strcspn(text, ";");

    while ((at = strstr(at, name)) != NULL && at < end) {
        if ((at == text || (!is_name(at[-1]) && (at[-1] != '%' || *name == '%'))) &&
            (!is_name(name[length - 1]) || !is_name(at[length])))
            return at;
        at += length;
    }
    return NULL;
}

bool words_name_in(const char *text, const char *name)
{
    return find_name(text, text, name) != NULL;
}

long words_literal(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);

    return *text && !*end && number >= 0 ? number : -1;
}

const char *words_replaced(const struct remedy_pool *pool, const char *text, const char *name,
                           const char *with)
{
    struct pto_buf out = {0};
    const char *from = text, *at, *copy;

    while ((at = find_name(text, from, name)) != NULL) {
        pto_buf_printf(&out, "%.*s%s", (int)(at - from), from, with);
        from = at + strlen(name);
    }
    pto_buf_printf(&out, "%s", from);
    copy = pto_arena_strdup(pool->arena, pto_buf_text(&out));
    pto_buf_free(&out);
    return copy;
}

static void add_word(struct remedy_pool *pool, const char *word, size_t length)
{
    if (length > 0 && strspn(word, "0123456789") != length)
        list_add(pool, &pool->word, "%.*s", (int)length, word);
}

/* ---- blocks without a statement ---- */

static bool is_empty_block(const struct cli_sheet *sheet, uint32_t line)
{
    uint32_t closer = sheet->line[line].closer;

    if (!closer)
        return false;
    for (uint32_t i = cli_sheet_behind(sheet, line); i < closer; i++)
        if (cli_sheet_says(sheet, i))
            return false;
    return true;
}

/* The registers of a line. */
static void names_of_line(const struct remedy_pool *pool, const char *text,
                          struct remedy_list *name)
{
    const char *end = text + strcspn(text, ";");

    while ((text = strchr(text, '%')) != NULL && text < end) {
        size_t length = 1;

        while (is_name(text[length]))
            length++;
        if (length > 1)
            list_add(pool, name, "%.*s", (int)length, text);
        text += length;
    }
}

static void words_of_params(struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line,
                            bool unused);

static void words_of_hole(struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line)
{
    uint32_t open = line;

    if (!strncmp(sheet->line[line].text, ".macro", 6))
        words_of_params(pool, sheet, line, false);
    for (unsigned i = 0; i < LINES_BEFORE && line - i > sheet->line[line].opener; i++)
        names_of_line(pool, sheet->line[line - i].text, &pool->word);
    while (sheet->line[open].opener) {
        open = sheet->line[open].opener;
        if (!strncmp(sheet->line[open].text, ".macro", 6))
            words_of_params(pool, sheet, open, false);
        else
            names_of_line(pool, sheet->line[open].text, &pool->word);
    }
}

/* ---- names that nothing uses ---- */

/* The parameters of the macro whose head is at `line`; returns their number. */
static unsigned params_of(const struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line,
                          bool unused, const char **param)
{
    const char *head = pool_statement(pool, sheet, line), *rest = head + strcspn(head, " ");
    uint32_t from = cli_sheet_behind(sheet, line), end = sheet->line[line].closer;
    unsigned count = 0;

    rest += strspn(rest, " ");
    for (unsigned n = 0; count < MOST_PARAMS; n++) {
        const char *name = pool_operand(pool, rest, n);
        bool used = false;

        if (!*name)
            break;
        name = pto_arena_strndup(pool->arena, name, strcspn(name, " ="));
        for (uint32_t i = from; unused && i < end && !used; i++)
            used = words_name_in(sheet->line[i].text, name);
        if (!used)
            param[count++] = name;
    }
    return count;
}

static void words_of_params(struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line,
                            bool unused)
{
    const char *param[MOST_PARAMS];
    unsigned count = params_of(pool, sheet, line, unused, param);

    for (unsigned i = 0; i < count; i++)
        add_word(pool, param[i], strlen(param[i]));
}

static bool is_named(const struct cli_sheet *sheet, uint32_t from, uint32_t to, uint32_t but,
                     const char *name)
{
    for (uint32_t i = from; i < to; i++)
        if (i != but && words_name_in(sheet->line[i].text, name))
            return true;
    return false;
}

/* Registers that a single line names: a value that nobody uses. */
static void words_unused(struct remedy_pool *pool, const struct cli_sheet *sheet, uint32_t from,
                         uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        struct remedy_list name = {0};

        names_of_line(pool, sheet->line[i].text, &name);
        for (unsigned n = 0; n < name.count; n++)
            if (!is_named(sheet, from, to, i, name.item[n]))
                add_word(pool, name.item[n], strlen(name.item[n]));
    }
}

/* What a macro may have been for that does nothing with its parameters. */
static void look_at_macro(struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line)
{
    const char *param[MOST_PARAMS], *all[MOST_PARAMS], *statement;
    uint32_t closer = sheet->line[line].closer;
    unsigned count = params_of(pool, sheet, line, true, param);
    bool nothing = count > 0 && count == params_of(pool, sheet, line, false, all) &&
                   pool_nth(pool, ".signal", 0), hollow = false;

    if (nothing && count == 3)
        pool_text(pool, "TNOTIFY %s, %s, %s", param[0], param[1], param[2]);
    if (nothing && count == 2)
        pool_text(pool, "TWAIT %s, ge, %s", param[0], param[1]);
    if (nothing)
        pool_spot(pool, sheet, closer);
    for (uint32_t i = line; i < closer; i++)
        hollow = hollow || is_empty_block(sheet, i);
    for (unsigned n = 0; hollow && count > 0 &&
         (statement = pool_nth(pool, "wait_flag_dev", n)) != NULL; n++)
        pool_text(pool, "set_flag_dev %s, 2, %s", param[0], pool_operand(pool, statement, 0));
}

/* The register that a condition begins with. */
static void tested_at(struct remedy_pool *pool, const char *text)
{
    size_t length = 1;

    text += strcspn(text, "%;");
    while (*text == '%' && is_name(text[length]))
        length++;
    if (length > 1)
        list_add(pool, &pool->tested, "%.*s", (int)length, text);
}

void words_find(struct remedy_pool *pool)
{
    for (unsigned s = 0; s < pool->ailment->sheets; s++) {
        struct cli_sheet *sheet = &pool->ailment->sheet[s];

        for (uint32_t from = 1, to; from <= sheet->lines; from = to) {
            for (to = from + 1; to <= sheet->lines && !pool_is_border(sheet, to);)
                to++;
            words_unused(pool, sheet, from, to);
        }
        for (uint32_t i = 1; i <= sheet->lines; i++) {
            if (!strncmp(sheet->line[i].text, ".macro ", 7) && sheet->line[i].closer)
                look_at_macro(pool, sheet, i);
            if (!strncmp(sheet->line[i].text + strspn(sheet->line[i].text, " \t"), ".if ", 4) &&
                strstr(sheet->line[i].text, " == "))
                tested_at(pool, sheet->line[i].text);
            if (!is_empty_block(sheet, i))
                continue;
            words_of_hole(pool, sheet, i);
            pool_spot(pool, sheet, sheet->line[i].closer);
        }
    }
    pool->holes = pool->spots;
}

/* ---- what a statement names ---- */

/* The parts of brackets, and ranks. */
static void words_of_statement(struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line)
{
    const char *text = pool_statement(pool, sheet, line);

    for (; (text = strpbrk(text, "@[")) != NULL; text++)
        if (*text == '@') {
            size_t length = signal_rank_length(text);
            size_t bracket = text[1] == '(';

            if (length > 2)
                add_word(pool, text + 1 + bracket, length - 1 - 2 * bracket);
        } else {
            struct remedy_signal signal;

            signal_parse(pool, text, &signal);
            for (unsigned i = 0; i < signal.indices; i++)
                add_word(pool, signal.index[i], strlen(signal.index[i]));
        }
}

void words_at(struct remedy_pool *pool, const struct pto_module *module, int32_t pos)
{
    pool_for_frames(pool, module, pos, words_of_statement);
}
