/* The file: a line that says what it is, then a line for each search, the oldest first:
 *
 *     KEY TIME GIVEN RUNS COMBINATIONS CAUSE... CAUSE... NAME=VALUE...
 *
 * the key in hexadecimal, times in picoseconds, the causes of the best and of the run as given. */
#include "search/tune_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/build.h"
#include "cli/reads.h"
#include "cli/schedule.h"
#include "cli/wires.h"
#include "data/hash.h"
#include "file.h"

static const char HEAD[] = "pto-tuned 1\n", VARIABLE[] = "PTO_TUNED";
enum { HEAD_BYTES = sizeof HEAD - 1, KEY_DIGITS = 16, MOST_SEARCHES = 1000,
       NUMBERS = 4 + 2 * PTO_CAUSES };

/* ---- what a search is ---- */

static void put_pairs(const struct cli_pairs *pairs, struct pto_buf *text)
{
    for (unsigned i = 0; i < pairs->count; i++)
        pto_buf_printf(text, "%s=%s\n", pairs->item[i].name, pairs->item[i].value);
    pto_buf_byte(text, '\n');
}

static void put_axes(const struct tune *tune, struct pto_buf *text)
{
    for (unsigned i = 0; i < tune->axes; i++) {
        pto_buf_printf(text, "%s %d", tune->axis[i].name, tune->axis[i].kind);
        for (unsigned k = 0; k < tune->axis[i].values; k++)
            pto_buf_printf(text, " %" PRId64, tune->axis[i].value[k]);
        pto_buf_byte(text, '\n');
    }
}

/* Texts as they are: what the constants that are tried leave out of a program counts, too. */
static void put_files(const struct cli_launch *launch, struct pto_buf *text)
{
    for (unsigned i = 0; i < launch->files; i++) {
        const struct cli_file *file = &launch->file[i];
        const char *at = file->includes.size ? (const char *)file->includes.data : "";
        const char *end = at + file->includes.size;

        pto_buf_append(text, file->text.data, file->text.size);
        while (at < end) {
            const char *line = memchr(at, '\n', (size_t)(end - at));
            char *path = pto_xcalloc((size_t)(line - at) + 1, 1);
            const char *why;

            memcpy(path, at, (size_t)(line - at));
            pto_file_read(path, PTO_FILE_TEXT, text, &why);
            free(path);
            at = line + 1;
        }
    }
}

/* Standard input, which has no name to be looked at, if data come from there. */
static void put_standard_input(const struct cli_pairs *pairs, struct pto_buf *text)
{
    const char *why;

    for (unsigned i = 0; i < pairs->count; i++) {
        const char *value = pairs->item[i].value + (*pairs->item[i].value == '@');

        if (value[0] == '-' && (value[1] == ':' || !value[1])) {
            pto_file_read("-", PTO_FILE_DATA, text, &why);
            return;
        }
    }
}

static uint64_t key_of(const struct tune *tune)
{
    const struct cli_options *o = &tune->options;
    const uint64_t number[] = {cli_build_hash(), cli_program_hash(o, tune->launch), o->jitter,
                               o->max_time_ps, o->max_insns, o->explore_runs, o->sync,
                               o->limits.memory};
    struct pto_buf text = {0};
    uint64_t key;

    pto_buf_append(&text, number, sizeof number);
    pto_buf_append(&text, &tune->launch->profile, sizeof tune->launch->profile);
    pto_buf_printf(&text, "%s\n", o->topology ? o->topology : "");
    cli_put_wires(o, &text);
    put_pairs(&o->set, &text);
    put_pairs(&o->in, &text);
    put_pairs(&o->define, &text);
    put_axes(tune, &text);
    put_files(tune->launch, &text);
    cli_put_reads(o, &text);
    put_standard_input(&o->in, &text);
    put_standard_input(&o->set, &text);
    key = cli_hash(CLI_HASH_OF_NOTHING, text.data, text.size);
    pto_buf_free(&text);
    return key;
}

/* ---- where it lies ---- */

/* The folders on the way, as far as they are not there. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

/* Where its user says, else beside what other programs keep that can be made again; NULL: nowhere.
 */
static char *place(struct pto_arena *arena, bool *named)
{
    const char *path = getenv(VARIABLE), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    *named = path != NULL;
    if (path)
        return *path ? pto_arena_strdup(arena, path) : NULL;
    if (cache && *cache == '/')
        return pto_arena_printf(arena, "%s/pto/tuned", cache);
    return home && *home == '/' ? pto_arena_printf(arena, "%s/.cache/pto/tuned", home) : NULL;
}

static enum pto_status complain(const char *path, uint32_t line, const char *what,
                                struct pto_diags *diags)
{
    pto_diag_hint(diags, pto_diag_add(diags, PTO_ERROR, path, line, 0, "%s", what),
                  "have %s name another file; if it is empty, nothing is remembered", VARIABLE);
    return PTO_ECONFIG;
}

/* What the file holds behind its first line; of a file that is not there nothing. */
static enum pto_status read_lines(const char *path, struct pto_buf *lines, struct pto_diags *diags)
{
    struct pto_buf text = {0};
    struct stat info;
    const char *why = "";
    enum pto_status status = PTO_OK;

    if (stat(path, &info) != 0)
        return PTO_OK;
    if (pto_file_read(path, PTO_FILE_SETTINGS, &text, &why) != PTO_OK)
        status = complain(path, 0, why, diags);
    else if (text.size < HEAD_BYTES || memcmp(text.data, HEAD, HEAD_BYTES) != 0 ||
             text.data[text.size - 1] != '\n' || memchr(text.data, 0, text.size))
        status = complain(path, 1, "this is no file of values that were searched for", diags);
    else
        pto_buf_append(lines, text.data + HEAD_BYTES, text.size - HEAD_BYTES);
    pto_buf_free(&text);
    return status;
}

/* ---- a line ---- */

static void put_line(const struct tune *tune, uint64_t key, struct pto_buf *out)
{
    const struct tune_found *found = &tune->found;
    const unsigned *choice = tune->trial[tune->rank[0]].choice;

    pto_buf_printf(out, "%016" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, key,
                   found->time_ps, found->given_ps, found->runs, found->combinations);
    for (unsigned i = 0; i < PTO_CAUSES; i++)
        pto_buf_printf(out, " %" PRIu64, found->best_cause_ps[i]);
    for (unsigned i = 0; i < PTO_CAUSES; i++)
        pto_buf_printf(out, " %" PRIu64, found->given_cause_ps[i]);
    for (unsigned i = 0; i < tune->axes; i++)
        pto_buf_printf(out, " %s=%" PRId64, tune->axis[i].name,
                       tune->axis[i].value[choice[i]]);
    pto_buf_byte(out, '\n');
}

/* Behind a blank: a number; NULL: there is none. */
static const char *take_number(const char *at, uint64_t *number)
{
    char *end;

    if (*at != ' ' || at[1] < '0' || at[1] > '9')
        return NULL;
    *number = strtoull(at + 1, &end, 10);
    return end;
}

/* Behind a blank: NAME=VALUE, one of the values that are tried. */
static const char *take_value(const char *at, const struct tune_axis *axis, unsigned *choice)
{
    size_t length = strlen(axis->name);
    long long value;
    char *end;

    if (*at != ' ' || strncmp(at + 1, axis->name, length) != 0 || at[1 + length] != '=')
        return NULL;
    value = strtoll(at + 2 + length, &end, 10);
    for (*choice = 0; *choice < axis->values; (*choice)++)
        if (axis->value[*choice] == value)
            return end;
    return NULL;
}

static bool take_line(const char *at, const struct tune *tune, struct tune_found *found,
                      unsigned *choice)
{
    uint64_t number[NUMBERS];

    for (unsigned i = 0; i < NUMBERS && at; i++)
        at = take_number(at, &number[i]);
    for (unsigned i = 0; i < tune->axes && at; i++)
        at = take_value(at, &tune->axis[i], &choice[i]);
    if (!at || *at != '\n')
        return false;
    *found = (struct tune_found){number[0], number[1], number[2], number[3], {0}, {0}};
    memcpy(found->best_cause_ps, number + 4, sizeof found->best_cause_ps);
    memcpy(found->given_cause_ps, number + 4 + PTO_CAUSES, sizeof found->given_cause_ps);
    return found->time_ps > 0;
}

/* The line of a search; NULL: there is none.  *count: lines in all, or up to it. */
static const char *find_line(const struct pto_buf *lines, uint64_t key, uint32_t *count)
{
    const char *at = lines->size ? (const char *)lines->data : "", *end = at + lines->size;
    char begin[KEY_DIGITS + 2];

    snprintf(begin, sizeof begin, "%016" PRIx64 " ", key);
    for (*count = 0; at < end; at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1) {
        ++*count;
        if ((size_t)(end - at) > KEY_DIGITS && !memcmp(at, begin, KEY_DIGITS + 1))
            return at;
    }
    return NULL;
}

/* ---- both ways ---- */

enum pto_status tune_recall(const struct tune *tune, struct tune_found *found, unsigned *choice,
                            bool *known, struct pto_diags *diags)
{
    struct pto_arena arena = {0};
    struct pto_buf lines = {0};
    bool named;
    const char *path = place(&arena, &named), *line = NULL;
    enum pto_status status = path ? read_lines(path, &lines, diags) : PTO_OK;
    uint32_t number;

    if (status == PTO_OK && path)
        line = find_line(&lines, key_of(tune), &number);
    *known = line && take_line(line + KEY_DIGITS, tune, found, choice);
    if (line && !*known)
        status = complain(path, number + 1, "this line is damaged", diags);
    pto_buf_free(&lines);
    pto_arena_free(&arena);
    return status;
}

/* The head, the younger ones of the lines that stay, and the new one. */
static void put_file(const struct tune *tune, struct pto_buf *lines, struct pto_buf *out)
{
    const uint64_t key = key_of(tune);
    uint32_t count, rest;
    const char *old = find_line(lines, key, &count), *at, *end;

    if (old) {
        const char *behind = strchr(old, '\n') + 1;
        size_t before = (size_t)(old - (const char *)lines->data);
        size_t after = lines->size - before - (size_t)(behind - old);

        memmove(lines->data + before, behind, after);
        lines->size = before + after;
    }
    find_line(lines, key, &rest);
    at = lines->size ? (const char *)lines->data : "";
    end = at + lines->size;
    for (; rest >= MOST_SEARCHES; rest--)
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    pto_buf_append(out, HEAD, HEAD_BYTES);
    pto_buf_append(out, at, (size_t)(end - at));
    put_line(tune, key, out);
}

bool tune_remember(const struct tune *tune, struct pto_diags *diags)
{
    struct pto_arena arena = {0};
    struct pto_diags ignored = {0};
    struct pto_buf lines = {0}, out = {0};
    const char *why = "another program's";
    bool named, good;
    char *path = place(&arena, &named);

    good = path && tune->complete && tune->ranked &&
           read_lines(path, &lines, &ignored) == PTO_OK;
    if (good) {
        put_file(tune, &lines, &out);
        if (!named)
            make_folders(path);
        good = pto_file_write(path, out.data, out.size, &why) == PTO_OK;
    }
    if (path && named && tune->complete && tune->ranked && !good)
        pto_diag_add(diags, PTO_WARNING, NULL, 0, 0, "%s is not written, so the next search is as "
                     "long as this one: %s", path, ignored.first ? ignored.first->message : why);
    pto_buf_free(&lines);
    pto_buf_free(&out);
    pto_diags_free(&ignored);
    pto_arena_free(&arena);
    return good;
}
