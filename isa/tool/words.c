#include "words.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "file.h"

struct words {
    struct pto_arena *arena;
    struct pto_diags *diags;
    char **word; /* in the arena */
    int count, capacity;
};

static void add(struct words *words, char *word)
{
    if (words->count + 1 >= words->capacity) { /* one more for the NULL */
        int capacity = 2 * words->capacity + 16;
        char **more = pto_arena_array(words->arena, (size_t)capacity, sizeof *more);

        if (words->count)
            memcpy(more, words->word, (size_t)words->count * sizeof *more);
        words->word = more;
        words->capacity = capacity;
    }
    words->word[words->count++] = word;
}

/* Take the word that begins at *at, in place and without its quotes; false: a quote stays open. */
static bool take_word(char **at, const char **word)
{
    char *from = *at, *to = *at;
    char quote = '\0';

    *word = to;
    for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
        if (quote ? *from == quote : *from == '"' || *from == '\'')
            quote = quote ? '\0' : *from;
        else
            *to++ = *from;
    }
    *at = *from ? from + 1 : from;
    *to = '\0';
    return !quote;
}

static void add_text(struct words *words, const char *path, char *text)
{
    const char *word;

    for (char *at = text; *at;) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (*at == '#') {
            at += strcspn(at, "\n");
        } else if (!take_word(&at, &word)) {
            pto_diag_add(words->diags, PTO_ERROR, NULL, 0, 0, "@%s: a quote is not closed", path);
        } else if (*word == '@') {
            pto_diag_add(words->diags, PTO_ERROR, NULL, 0, 0,
                         "@%s: '%s': a file of arguments names no other", path, word);
        } else {
            add(words, pto_arena_strdup(words->arena, word));
        }
    }
}

/* Words end where a byte 0 is; what comes behind it would be lost. */
static bool is_text(struct words *words, const char *path, struct pto_buf *text)
{
    const char *from = pto_buf_text(text), *zero = memchr(from, '\0', text->size);
    unsigned line = 1;

    if (!zero)
        return true;
    for (; from < zero; from++)
        line += *from == '\n';
    pto_diag_add(words->diags, PTO_ERROR, NULL, 0, 0, "@%s: a byte 0 on line %u: not a text", path,
                 line);
    return false;
}

static void add_file(struct words *words, const char *path)
{
    struct pto_buf text = {0};
    const char *why = "";

    if (pto_file_read(path, PTO_FILE_SETTINGS, &text, &why) == PTO_OK) {
        if (is_text(words, path, &text))
            add_text(words, path, pto_arena_strdup(words->arena, pto_buf_text(&text)));
    } else {
        pto_diag_hint(words->diags,
                      pto_diag_add(words->diags, PTO_ERROR, NULL, 0, 0, "cannot read '%s': %s",
                                   path, why),
                      "@FILE stands for the words in FILE; a file of this name is ./@%s", path);
    }
    pto_buf_free(&text);
}

char **tool_words(int argc, char **argv, struct pto_arena *arena, int *count,
                  struct pto_diags *diags)
{
    struct words words = {.arena = arena, .diags = diags};
    bool options = true;

    for (int i = 0; i < argc; i++) {
        options = options && strcmp(argv[i], "--") != 0;
        if (options && i > 0 && argv[i][0] == '@' && argv[i][1])
            add_file(&words, argv[i] + 1);
        else
            add(&words, argv[i]);
    }
    *count = words.count;
    if (!words.word)
        words.word = pto_arena_array(arena, 1, sizeof *words.word);
    words.word[words.count] = NULL;
    return words.word;
}
