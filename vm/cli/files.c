#include "cli/files.h"

#include <string.h>

#include "data/source.h"
#include "file.h"
#include "tool/files.h"

/* A value that names files, one per rank if it says so. */
static void add_source(const struct cli_options *options, const char *option,
                       const struct cli_pair *pair, const char *value, bool output,
                       struct tool_files *files)
{
    struct pto_diags problems = {0}; /* told by whoever reads or writes the file */
    struct pto_arena arena = {0};
    const char *what = pto_arena_printf(&arena, "--%s %s=%s", option, pair->name, pair->value);
    struct cli_source source;

    if (cli_source_parse(option, pair->name, value, &arena, &source, &problems) == PTO_OK &&
        !source.generated)
        for (int rank = 0; rank < (source.per_rank ? options->ranks : 1); rank++)
            tool_files_add(files, what, cli_source_path(source.pattern, rank, &arena), output);
    pto_diags_free(&problems);
    pto_arena_free(&arena);
}

static void add_option(const char *option, const char *path, bool output, struct tool_files *files)
{
    struct pto_arena arena = {0};

    if (path)
        tool_files_add(files, pto_arena_printf(&arena, "--%s %s", option, path), path, output);
    pto_arena_free(&arena);
}

/* The archive of all results, one per rank if it says so. */
static void add_archive(const struct cli_options *options, struct tool_files *files)
{
    struct pto_arena arena = {0};
    const char *pattern = options->out_archive;
    bool per_rank = pattern && strstr(pattern, "{rank}");

    for (int rank = 0; pattern && rank < (per_rank ? options->ranks : 1); rank++)
        tool_files_add(files, pto_arena_printf(&arena, "--out %s", pattern),
                       cli_source_path(pattern, rank, &arena), true);
    pto_arena_free(&arena);
}

static void add_data(const struct cli_options *options, struct tool_files *files)
{
    for (unsigned i = 0; i < options->out.count; i++)
        add_source(options, "out", &options->out.item[i], options->out.item[i].value, true, files);
    add_archive(options, files);
    for (unsigned i = 0; i < options->in.count; i++)
        add_source(options, "in", &options->in.item[i], options->in.item[i].value, false, files);
    for (unsigned i = 0; i < options->expect.count; i++)
        add_source(options, "expect", &options->expect.item[i], options->expect.item[i].value,
                   false, files);
    for (unsigned i = 0; i < options->set.count; i++)
        if (*options->set.item[i].value == '@')
            add_source(options, "set", &options->set.item[i], options->set.item[i].value + 1,
                       false, files);
}

static void add_options(const struct cli_options *options, struct tool_files *files)
{
    add_option("json", options->json_path, true, files);
    add_option("trace", options->trace_path, true, files);
    add_option("report", options->report_path, true, files);
    add_option("sarif", options->sarif_path, true, files);
    add_option("core", options->core_path, true, files);
    add_option("record", options->record_path, true, files);
    add_option("wait-graph", options->wait_graph_path, true, files);
    add_option("checkpoint", options->checkpoint_path, true, files);
    if (!options->checkpoint_path || !options->resume_path || /* a run may go on to where it was */
        strcmp(options->checkpoint_path, options->resume_path) != 0)
        add_option("resume", options->resume_path, false, files);
    add_option("best", options->best_path, true, files);
    if (options->deal && strcmp(options->deal, "blocks") && strcmp(options->deal, "cyclic"))
        add_option("deal", options->deal, false, files);
    add_option("suppress", options->suppress_path, false, files);
    add_option("schedule", options->schedule_path, false, files);
    add_option("profile", options->profile, false, files);
    add_option("topology", options->topology_path, false, files);
    for (unsigned i = 0; i < options->scripts; i++)
        if (options->script[i].is_file)
            add_option("script", options->script[i].text, false, files);
}

/* The texts and objects, and what the texts include: one path a line. */
static void add_kernels(const struct cli_launch *launch, struct tool_files *files)
{
    struct pto_arena arena = {0};

    for (unsigned i = 0; i < launch->files; i++) {
        const struct cli_file *file = &launch->file[i];
        const char *paths = (const char *)file->includes.data;

        tool_files_add(files, file->path, file->path, false);
        for (size_t at = 0, bytes; at < file->includes.size; at += bytes + 1) {
            const char *newline = memchr(paths + at, '\n', file->includes.size - at);
            const char *include;

            bytes = (size_t)(newline - (paths + at));
            include = pto_arena_strndup(&arena, paths + at, bytes);
            tool_files_add(files, include, include, false);
        }
    }
    pto_arena_free(&arena);
}

static void add_all(const struct cli_options *options, const struct cli_launch *launch,
                    struct tool_files *files)
{
    add_data(options, files);
    add_options(options, files);
    add_kernels(launch, files);
}

/* Schedules of an exploration that are asked for: they come beside the first one. */
static void look_at_schedules(const struct cli_options *options, struct tool_files *files)
{
    const char *first = pto_arena_printf(&files->arena, "%s-1.txt", options->save_prefix);

    if (options->given[CLI_OPT_SAVE] && !files->unwritable &&
        pto_file_writable(first, &files->why) != PTO_OK)
        files->unwritable = first;
}

/* Outputs that cannot be written are told before anything is run for them. */
static void look_at_folders(const struct cli_options *options, struct cli_launch *launch,
                            struct tool_files *files, struct pto_diags *diags)
{
    look_at_schedules(options, files);
    if (launch->unwritable || !files->unwritable)
        return;
    launch->unwritable = pto_arena_strdup(&launch->arena, files->unwritable);
    pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot write '%s': %s", launch->unwritable,
                 files->why);
}

enum pto_status cli_files_check(const struct cli_options *options, struct cli_launch *launch,
                                struct pto_diags *diags)
{
    const struct tool_file_use *output, *other;
    struct tool_files files = {0};
    struct pto_diag *diag;

    add_all(options, launch, &files);
    if (!launch->outputs_clash && tool_files_clash(&files, &output, &other)) {
        launch->outputs_clash = true;
        diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                            other->output ? "%s and %s would write the same file"
                                          : "%s would replace the input %s",
                            output->what, other->what);
        pto_diag_hint(diags, diag, other->output && cli_source_is_npz(output->what)
                                       ? "--out FILE.npz, without a name, writes all results there"
                                       : "give every output a file of its own");
    }
    look_at_folders(options, launch, &files, diags);
    tool_files_free(&files);
    return launch->outputs_clash || launch->unwritable ? PTO_ECONFIG : PTO_OK;
}

char *cli_files_taken(const struct cli_options *options, const struct cli_launch *launch,
                      const char *path)
{
    const struct tool_file_use *output, *other;
    struct tool_files files = {0};
    char *taken = NULL;

    tool_files_add(&files, "", path, true); /* the one that has no name */
    add_all(options, launch, &files);
    if (tool_files_clash(&files, &output, &other))
        taken = pto_xstrdup(*output->what ? output->what : other->what);
    tool_files_free(&files);
    return taken;
}
