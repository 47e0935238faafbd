#include "source.h"

#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "lex.h"
#include "report.h"

static const char *real_path(struct asm_text *t, const char *path)
{
    char real[PATH_MAX];

    return realpath(path, real) ? pto_arena_strdup(t->arena, real) : NULL;
}

/* Write the path without ".", "//" and "folder/.." to `out`, which has room for it. */
static void drop_detours(const char *path, char *out)
{
    char *first = out + (*path == '/'), *kept; /* what lies before `kept` no ".." ends */
    size_t length;

    *out = '/';
    out = kept = first;
    for (path += strspn(path, "/"); *path; path += length, path += strspn(path, "/")) {
        bool up = !strncmp(path, "../", 3) || !strcmp(path, "..");

        length = strcspn(path, "/");
        if (length == 1 && *path == '.')
            continue;
        if (up && out > kept) {
            do
                out--;
            while (out > kept && out[-1] != '/');
            continue;
        }
        memcpy(out, path, length);
        out += length;
        *out++ = '/';
        kept = up ? out : kept;
    }
    out[out > first ? -1 : 0] = '\0';
}

/* The path as messages name it: without detours, unless links make that another file. */
static const char *tidy_path(struct asm_text *t, const char *path)
{
    char *tidy = pto_arena_alloc(t->arena, strlen(path) + 2);
    const char *real = real_path(t, path), *other;

    drop_detours(path, tidy);
    other = real ? real_path(t, tidy) : NULL;
    return other && !strcmp(other, real) ? tidy : path;
}

static void split_lines(struct asm_text *t, struct asm_source *source, const char *text,
                        size_t size)
{
    char *copy = pto_arena_strndup(t->arena, text, size), *end = copy + size;
    uint32_t count = 1;

    for (const char *c = copy; (c = memchr(c, '\n', (size_t)(end - c))); c++)
        count++;
    source->line = pto_arena_array(t->arena, count, sizeof *source->line);
    source->lines = count;
    for (uint32_t i = 0; i < count; i++) {
        char *newline = memchr(copy, '\n', (size_t)(end - copy));
        char *stop = newline ? newline : end;

        source->line[i] = copy;
        copy = newline ? newline + 1 : end;
        *stop = '\0';
        if (stop > source->line[i] && stop[-1] == '\r')
            stop[-1] = '\0';
    }
}

struct asm_source *text_source_add(struct asm_text *t, const char *name, const char *text,
                                   size_t size, bool is_file)
{
    struct asm_source *source = pto_arena_alloc(t->arena, sizeof *source);

    source->name = pto_arena_strdup(t->arena, name);
    source->module_file = PTO_NONE;
    source->is_file = is_file;
    source->real = is_file ? real_path(t, name) : NULL;
    if (t->last_source)
        t->last_source->next = source;
    else
        t->source = source;
    t->last_source = source;
    split_lines(t, source, text, size);
    text_lex(t, source, text, size);
    return source;
}

/* Read one candidate; NULL with *why set. */
static struct asm_source *open_file(struct asm_text *t, const char *path, const char **why)
{
    struct pto_buf text = {0};
    struct asm_source *source = NULL;
    const char *real, *other;
    size_t size;

    path = tidy_path(t, path);
    real = real_path(t, path);
    for (source = t->source; source; source = source->next)
        if (source->is_file && (!strcmp(source->name, path) ||
                                (source->library && real && source->real &&
                                 !strcmp(source->real, real))))
            return source;
    if (t->instead && t->instead(t->instead_context, path, &other, &size))
        return text_source_add(t, path, other, size, true);
    if (pto_file_read(path, PTO_FILE_TEXT, &text, why) == PTO_OK)
        source = text_source_add(t, path, (const char *)text.data, text.size, true);
    pto_buf_free(&text);
    return source;
}

struct asm_source *text_source_include(struct asm_text *t, const struct asm_token *name)
{
    const char *from = name->origin->source->name, *slash = strrchr(from, '/');
    const char *why = NULL, *first_why;
    struct asm_source *source;
    struct pto_buf tried = {0};

    if (*name->text == '/' || !slash)
        source = open_file(t, name->text, &why);
    else
        source = open_file(t, pto_arena_printf(t->arena, "%.*s/%s", (int)(slash - from), from,
                                               name->text), &why);
    first_why = why;
    for (unsigned i = 0; !source && *name->text != '/' && i < t->include_dirs; i++) {
        source = open_file(t, pto_arena_printf(t->arena, "%s/%s", t->include_dir[i],
                                               name->text), &why);
        pto_buf_printf(&tried, " %s", t->include_dir[i]);
    }
    if (!source) {
        struct pto_diag *diag = text_error(t, name, "cannot read '%s': %s", name->text, first_why);

        text_hint(t, diag, "looked beside the including file%s%s%s%s",
                  tried.size ? " and in" : "", pto_buf_text(&tried),
                  t->include_remedy ? "; " : "", t->include_remedy ? t->include_remedy : "");
    }
    pto_buf_free(&tried);
    return source;
}
