#include "cli/reads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "data/hash.h"
#include "data/source.h"
#include "file.h"

bool cli_file_describe(const char *path, char text[64])
{
    struct pto_buf bytes = {0};
    const char *why;
    bool good = strcmp(path, "-") != 0 &&
                pto_file_read(path, PTO_FILE_DATA, &bytes, &why) == PTO_OK;

    if (good)
        snprintf(text, 64, "%zu %016" PRIx64, bytes.size,
                 cli_hash(CLI_HASH_OF_NOTHING, bytes.data, bytes.size));
    pto_buf_free(&bytes);
    return good;
}

void cli_put_record(struct pto_buf *out, const char *kind, const char *text)
{
    pto_buf_printf(out, "%s %zu\n", kind, strlen(text));
    pto_buf_append(out, text, strlen(text));
    pto_buf_byte(out, '\n');
}

void cli_put_file(struct pto_buf *out, const char *path)
{
    struct pto_buf record = {0};
    char text[64];

    if (!cli_file_describe(path, text)) /* standard input, or a text that an object names */
        return;
    pto_buf_printf(&record, "%s %s", text, path);
    cli_put_record(out, "file", pto_buf_text(&record));
    pto_buf_free(&record);
}

static void put_source(struct pto_buf *out, const char *option, const struct cli_pair *pair,
                       const char *value, int ranks)
{
    struct pto_arena arena = {0};
    struct pto_diags diags = {0};
    struct cli_source source = {0};

    if (cli_source_parse(option, pair->name, value, &arena, &source, &diags) == PTO_OK &&
        !source.generated)
        for (int rank = 0; rank < (source.per_rank ? ranks : 1); rank++)
            cli_put_file(out, cli_source_path(source.pattern, rank, &arena));
    pto_diags_free(&diags);
    pto_arena_free(&arena);
}

static void put_inputs(struct pto_buf *out, const struct cli_options *options)
{
    for (unsigned i = 0; i < options->in.count; i++)
        put_source(out, "in", &options->in.item[i], options->in.item[i].value, options->ranks);
    for (unsigned i = 0; i < options->set.count; i++)
        if (*options->set.item[i].value == '@')
            put_source(out, "set", &options->set.item[i], options->set.item[i].value + 1, 1);
}

/* Files of options; what is no file, such as the name of a built-in profile, is passed over. */
static void put_settings(struct pto_buf *out, const struct cli_options *options)
{
    const char *const path[] = {options->profile, options->topology_path, options->schedule_path,
                                options->suppress_path};

    for (size_t i = 0; i < sizeof path / sizeof *path; i++)
        if (path[i])
            cli_put_file(out, path[i]);
}

void cli_put_reads(const struct cli_options *options, struct pto_buf *out)
{
    put_inputs(out, options);
    put_settings(out, options);
}
