/* Core files: a line of a mark, then records, each "KIND BYTES", a newline, the bytes and a
 * newline.  KIND is folder, word, end, time or file; of a file there are its size and a sum of its
 * bytes, and its name. */
#include "cli/core.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reads.h"
#include "cli/tuned.h"
#include "file.h"

static const char MARK[] = "pto core 1\n";

/* ---- writing ---- */

static void put_sources(struct pto_buf *out, const struct cli_launch *launch)
{
    for (unsigned i = 0; i < launch->files; i++) {
        const struct cli_file *file = &launch->file[i];
        const struct pto_module *module = &file->program.module;

        if (file->is_object)
            cli_put_file(out, file->path);
        for (uint32_t f = 0; f < module->files && !file->is_object; f++)
            cli_put_file(out, module->file[f]);
    }
}

/* A value that was searched for is not to be searched for again: NAME=auto becomes NAME=auto:8. */
static void put_word(struct pto_buf *out, const char *word, const struct cli_tuned *tuned)
{
    const char *mark = strstr(word, "=auto");

    for (unsigned i = 0; mark && tuned && i < tuned->values; i++) {
        const struct cli_pair *pair = &tuned->value[i];
        size_t length = strlen(pair->name);
        struct pto_buf known = {0};

        if ((size_t)(mark - word) < length || memcmp(mark - length, pair->name, length) != 0 ||
            ((size_t)(mark - word) > length && mark[-(ptrdiff_t)length - 1] != '='))
            continue;
        pto_buf_printf(&known, "%.*s=auto:%s", (int)(mark - word), word, pair->value);
        cli_put_record(out, "word", pto_buf_text(&known));
        pto_buf_free(&known);
        return;
    }
    cli_put_record(out, "word", word);
}

bool cli_core_write(const char *path, int argc, char **argv, const struct cli_options *options,
                    const struct cli_launch *launch, const char *end, const char **why)
{
    char *folder = pto_file_folder(), time[32];
    struct pto_buf out = {0};
    bool good;

    pto_buf_printf(&out, "%s", MARK);
    cli_put_record(&out, "folder", folder ? folder : ".");
    free(folder);
    cli_put_record(&out, "word", argv[0]);
    if (options->check) /* perhaps by the command */
        cli_put_record(&out, "word", "--check");
    for (int i = 1; i < argc; i++)
        put_word(&out, argv[i], options->tuned);
    snprintf(time, sizeof time, "%llu", (unsigned long long)pto_vm_time(launch->vm));
    cli_put_record(&out, "time", time);
    cli_put_record(&out, "end", end);
    put_sources(&out, launch);
    cli_put_reads(options, &out);
    good = pto_file_write(path, out.data, out.size, why) == PTO_OK;
    pto_buf_free(&out);
    return good;
}

/* ---- reading ---- */

/* The next record of *text, whose end is `end`: its kind, and its bytes in the arena; false: there
 * is none that is whole. */
static bool take(const char **text, const char *end, struct pto_arena *arena, char kind[16],
                 char **value)
{
    size_t length, name = strcspn(*text, " \n");
    const char *number = *text + name + 1;
    char *rest;

    if (name == 0 || name >= 16 || (*text)[name] != ' ' || *number < '0' || *number > '9')
        return false;
    length = strtoull(number, &rest, 10);
    if (*rest != '\n' || length >= (size_t)(end - rest) || rest[1 + length] != '\n')
        return false;
    snprintf(kind, 16, "%.*s", (int)name, *text);
    *value = pto_arena_strndup(arena, rest + 1, length);
    *text = rest + length + 2;
    return true;
}

static void add_word(struct cli_core *core, char *word)
{
    PTO_GROW(core->word, core->words + 1, core->capacity); /* and NULL behind it */
    core->word[core->words++] = word;
    core->word[core->words] = NULL;
}

/* "SIZE SUM NAME": is that what the file holds? */
static bool check_file(const struct cli_core *core, const char *record, struct pto_diags *diags)
{
    const char *blank = strchr(record, ' '), *name = blank ? strchr(blank + 1, ' ') : NULL;
    struct pto_buf path = {0};
    char now[64];
    bool same;

    if (!name)
        return false;
    name++;
    pto_buf_printf(&path, "%s%s%s", *name == '/' ? "" : core->folder, *name == '/' ? "" : "/",
                   name);
    same = cli_file_describe(pto_buf_text(&path), now) &&
           strlen(now) == (size_t)(name - 1 - record) && !strncmp(now, record, strlen(now));
    if (!same)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                     "'%s' is not what it was when the core file was written", pto_buf_text(&path));
    pto_buf_free(&path);
    return true;
}

static bool take_record(struct cli_core *core, const char *kind, char *value,
                        struct pto_diags *diags)
{
    if (!strcmp(kind, "folder"))
        core->folder = value;
    else if (!strcmp(kind, "word"))
        add_word(core, value);
    else if (!strcmp(kind, "end"))
        core->end = value;
    else if (!strcmp(kind, "time"))
        core->time_ps = strtoull(value, NULL, 10);
    else
        return !strcmp(kind, "file") && core->folder && check_file(core, value, diags);
    return true;
}

bool cli_core_is(const char *path)
{
    char first[sizeof MARK] = "";
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : NULL;
    bool is = file && fread(first, 1, sizeof MARK - 1, file) == sizeof MARK - 1 &&
              !strcmp(first, MARK);

    if (file)
        fclose(file);
    return is;
}

enum pto_status cli_core_read(const char *path, struct cli_core *core, struct pto_diags *diags)
{
    struct pto_buf bytes = {0};
    const char *why = "", *text, *end;
    char kind[16], *value;
    bool good = pto_file_read(path, PTO_FILE_SETTINGS, &bytes, &why) == PTO_OK;

    if (!good)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot read '%s': %s", path, why);
    text = pto_buf_text(&bytes);
    end = text + bytes.size;
    if (good) {
        good = !strncmp(text, MARK, sizeof MARK - 1);
        text += good ? sizeof MARK - 1 : 0;
        while (good && text < end)
            good = take(&text, end, &core->arena, kind, &value) &&
                   take_record(core, kind, value, diags);
        good = good && core->words > 0 && core->folder && core->end;
        if (!good)
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "'%s' is no core file of ptovm", path);
    }
    pto_buf_free(&bytes);
    return diags->errors == 0 ? PTO_OK : PTO_ECONFIG;
}

void cli_core_free(struct cli_core *core)
{
    free(core->word);
    pto_arena_free(&core->arena);
    *core = (struct cli_core){0};
}
