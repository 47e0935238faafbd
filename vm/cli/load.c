#include "cli/load.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assembler.h"
#include "cli/costs.h"
#include "cli/files.h"
#include "file.h"
#include "profile_load.h"

/* Split FILE:KERNEL; a name that exists as a file is taken as it is. */
static const char *split_operand(const char *operand, struct pto_arena *arena,
                                 const char **kernel)
{
    const char *colon = strrchr(operand, ':');

    *kernel = NULL;
    if (!colon || colon == operand || access(operand, F_OK) == 0)
        return operand;
    for (const char *c = colon + 1; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return operand;
    *kernel = colon + 1;
    return pto_arena_strndup(arena, operand, (size_t)(colon - operand));
}

static const char OTHER_PROFILE[] = "--profile names the file of another one";

static struct cli_file *find_file(struct cli_launch *launch, const char *path)
{
    for (unsigned i = 0; i < launch->files; i++)
        if (!strcmp(launch->file[i].path, path))
            return &launch->file[i];
    return NULL;
}

/* The bytes of a file, or what the host program gives under its name. */
static enum pto_status read_bytes(const struct cli_options *options, const char *path,
                                  struct pto_buf *bytes, const char **why)
{
    const struct cli_given *host = options->host;

    for (unsigned i = 0; host && i < host->texts; i++) {
        if (strcmp(host->text[i].name, path) != 0)
            continue;
        pto_buf_append(bytes, host->text[i].bytes, host->text[i].size);
        return PTO_OK;
    }
    return pto_file_read(path, PTO_FILE_KERNEL, bytes, why);
}

/* --json takes the name of its file behind "=" only: a name that stands alone would be a kernel. */
static bool is_meant_for_json(const struct cli_options *options, const char *path)
{
    size_t length = strlen(path);

    return options->json && !options->json_path && length > 5 &&
           !strcmp(path + length - 5, ".json");
}

/* Read a file; an object is decoded at once, because it may name the profile. */
static enum pto_status open_file(const struct cli_options *options, struct cli_file *file,
                                 struct pto_diags *diags)
{
    struct pto_buf bytes = {0};
    const char *why = "", *path = file->path;
    enum pto_status status;

    if (is_meant_for_json(options, path)) {
        pto_diag_hint(diags, pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "'%s' is no kernel", path),
                      "--json=%s writes the report there", path);
        return PTO_ECONFIG;
    }
    if (read_bytes(options, path, &bytes, &why) != PTO_OK) {
        struct pto_diag *diag;

        pto_buf_free(&bytes);
        diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot read '%s': %s", path, why);
        pto_diag_hint(diags, diag, "give a kernel as text (.pto) or as object (.ptob)");
        return PTO_ECONFIG;
    }
    file->is_object = pto_is_object(bytes.data, bytes.size);
    if (!file->is_object) {
        file->text = bytes;
        return PTO_OK;
    }
    status = pto_object_read(bytes.data, bytes.size, path, &file->module, diags);
    pto_buf_free(&bytes);
    return status;
}

static enum pto_status find_profile(const struct cli_options *options,
                                    struct cli_launch *launch, struct pto_diags *diags)
{
    const struct cli_file *first = launch->file;

    if (options->profile)
        return pto_profile_load(options->profile, &launch->profile, diags);
    for (unsigned i = 0; i < launch->files; i++)
        if (launch->file[i].is_object)
            return pto_profile_load_of(launch->file[i].path, launch->file[i].module.profile,
                                       OTHER_PROFILE, &launch->profile, diags);
    return pto_assemble_profile(first->path, (const char *)first->text.data, first->text.size,
                                OTHER_PROFILE, &launch->profile, diags);
}

static enum pto_status choose_profile(const struct cli_options *options,
                                      struct cli_launch *launch, struct pto_diags *diags)
{
    PTO_TRY(find_profile(options, launch, diags));
    PTO_TRY(pto_profile_change(options->profile_set, options->profile_sets, "--profile-set",
                               &launch->profile, diags));
    return cli_costs_set(&options->set_cost, &launch->profile, diags);
}

/* -D for all texts: `used` says which of them any text has used. */
struct defines {
    struct pto_asm_define *define;
    bool *used;
    bool function_used; /* by a text: --function */
};

static struct defines collect_defines(const struct cli_options *options, struct pto_arena *arena)
{
    struct defines all = {pto_arena_array(arena, options->define.count + 1, sizeof *all.define),
                          pto_arena_array(arena, options->define.count + 1, sizeof *all.used),
                          false};

    for (unsigned i = 0; i < options->define.count; i++)
        all.define[i] = (struct pto_asm_define){options->define.item[i].name,
                                                options->define.item[i].value};
    return all;
}

static enum pto_status check_defines(const struct cli_options *options, const struct defines *all,
                                     struct pto_diags *diags)
{
    enum pto_status status = PTO_OK;

    for (unsigned i = 0; i < options->define.count; i++) {
        struct pto_diag *diag;

        if (all->used[i])
            continue;
        diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                            "-D %s=%s: no text of this run uses '%s'", all->define[i].name,
                            all->define[i].value, all->define[i].name);
        pto_diag_hint(diags, diag, "a text says .define %s = value for a value that can be chosen; "
                      "objects are assembled already", all->define[i].name);
        status = PTO_EPROGRAM;
    }
    return status;
}

/* Options about texts, of which at least one has to be there. */
static enum pto_status check_texts(const struct cli_options *options,
                                   const struct cli_launch *launch, const struct defines *all,
                                   struct pto_diags *diags)
{
    struct pto_diag *diag;
    bool text = false;

    for (unsigned i = 0; i < launch->files; i++)
        text = text || !launch->file[i].is_object;
    if (options->sync != PTO_ASM_SYNC_DEFAULT && !text)
        diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                            "--sync changes texts, and this run has objects only");
    else if (options->function && !all->function_used)
        diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                            "--function %s: no file of this run is upstream text",
                            options->function);
    else
        return PTO_OK;
    pto_diag_hint(diags, diag, "FILE:KERNEL chooses a kernel; objects are assembled already");
    return PTO_ECONFIG;
}

static enum pto_status assemble(const struct cli_options *options, struct defines *all,
                                struct cli_launch *launch, struct cli_file *file,
                                struct pto_diags *diags)
{
    struct pto_asm_options settings = {
        .profile = &launch->profile,
        .include_dir = options->include_dir,
        .include_dirs = options->include_dirs,
        .include_remedy = "-I DIR adds a folder",
        .define = all->define,
        .defines = options->define.count,
        .define_used = all->used,
        .dependencies = &file->includes,
        .instead = options->instead,
        .instead_context = options->instead_context,
        .function = options->function,
        .function_used = &all->function_used,
        .sync = options->sync,
    };
    const char *name = !strcmp(file->path, "-") ? "<stdin>" : file->path;

    const char *text = file->text.data ? (const char *)file->text.data : "";
    size_t size = file->text.size;

    if (options->instead)
        options->instead(options->instead_context, name, &text, &size);
    return pto_assemble_text(name, text, size, &settings, &file->module, diags);
}

static enum pto_status verify(struct cli_launch *launch, struct cli_file *file,
                              struct pto_diags *diags)
{
    PTO_TRY(pto_verify(&file->module, &launch->profile, &file->program, diags));
    memset(&file->module, 0, sizeof file->module);
    file->verified = true;
    return PTO_OK;
}

static enum pto_status complain_kernel(const struct cli_file *file, const char *wanted,
                                       struct pto_diags *diags)
{
    const struct pto_module *module = &file->program.module;
    struct pto_buf list = {0};
    const char **names = pto_xcalloc(module->kernels + 1, sizeof *names);
    struct pto_diag *diag;

    for (uint32_t i = 0; i < module->kernels; i++) {
        names[i] = module->kernel[i].name;
        pto_buf_printf(&list, "%s%s:%s", i > 0 ? ", " : "", file->path, names[i]);
    }
    if (wanted) {
        const char *best = pto_nearest(wanted, names, module->kernels);

        diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "%s has no kernel '%s'", file->path,
                            wanted);
        if (best)
            pto_diag_hint(diags, diag, "did you mean '%s:%s'?", file->path, best);
        else
            pto_diag_hint(diags, diag, "it has %s", pto_buf_text(&list));
    } else if (module->kernels == 0) {
        diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "%s holds no kernel", file->path);
        pto_diag_hint(diags, diag, "a kernel starts with '.kernel NAME'");
    } else {
        diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "%s holds %u kernels", file->path,
                            module->kernels);
        pto_diag_hint(diags, diag, "choose one: %s", pto_buf_text(&list));
    }
    free(names);
    pto_buf_free(&list);
    return module->kernels == 0 ? PTO_EPROGRAM : PTO_ECONFIG;
}

/* Append the kernels that an operand means. */
static enum pto_status select_kernels(struct cli_launch *launch, unsigned capacity,
                                      const struct cli_file *file, const char *wanted, bool all,
                                      struct pto_diags *diags)
{
    const struct pto_module *module = &file->program.module;
    unsigned before = launch->kernels;

    for (uint32_t i = 0; i < module->kernels && launch->kernels < capacity; i++)
        if (wanted ? !strcmp(module->kernel[i].name, wanted) : all || module->kernels == 1)
            launch->kernel[launch->kernels++] = (struct cli_kernel){file, i};
    return launch->kernels > before ? PTO_OK : complain_kernel(file, wanted, diags);
}

/* Every problem of every file is worth showing, so the loop goes on after a failure. */
static enum pto_status build_programs(const struct cli_options *options,
                                      struct cli_launch *launch, struct pto_diags *diags)
{
    struct defines all = collect_defines(options, &launch->arena);
    enum pto_status result = PTO_OK;

    launch->define_used = all.used;
    for (unsigned i = 0; i < launch->files; i++) {
        struct cli_file *file = &launch->file[i];
        enum pto_status status = file->is_object ? PTO_OK
                                                 : assemble(options, &all, launch, file, diags);

        if (status == PTO_OK)
            status = verify(launch, file, diags);
        if (result == PTO_OK)
            result = status;
    }
    if (cli_files_check(options, launch, diags) != PTO_OK && result == PTO_OK)
        result = PTO_ECONFIG;
    if (result == PTO_OK)
        result = check_texts(options, launch, &all, diags);
    return result == PTO_OK ? check_defines(options, &all, diags) : result;
}

enum pto_status cli_load(const struct cli_options *options, unsigned first, bool all_kernels,
                         struct cli_launch *launch, struct pto_diags *diags)
{
    unsigned operands = options->operands - first, capacity = operands;
    const char **path, **wanted;

    memset(launch, 0, sizeof *launch);
    launch->most_memory = options->limits.memory;
    launch->file = pto_arena_array(&launch->arena, operands + 1, sizeof *launch->file);
    path = pto_arena_array(&launch->arena, operands + 1, sizeof *path);
    wanted = pto_arena_array(&launch->arena, operands + 1, sizeof *wanted);
    for (unsigned i = 0; i < operands; i++) {
        path[i] = split_operand(options->operand[first + i], &launch->arena, &wanted[i]);
        if (!find_file(launch, path[i]))
            launch->file[launch->files++].path = path[i];
    }
    PTO_TRY(cli_files_check(options, launch, diags));
    for (unsigned i = 0; i < launch->files; i++)
        PTO_TRY(open_file(options, &launch->file[i], diags));
    PTO_TRY(choose_profile(options, launch, diags));
    PTO_TRY(build_programs(options, launch, diags));
    for (unsigned i = 0; i < launch->files && all_kernels; i++)
        capacity += operands * launch->file[i].program.module.kernels;
    launch->kernel = pto_arena_array(&launch->arena, capacity + 1, sizeof *launch->kernel);
    for (unsigned i = 0; i < operands; i++)
        PTO_TRY(select_kernels(launch, capacity, find_file(launch, path[i]), wanted[i],
                               all_kernels, diags));
    return PTO_OK;
}
