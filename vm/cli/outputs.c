/* The files of --out: one object each, or all results in an archive. */
#include <stdlib.h>
#include <string.h>

#include "cli/data.h"
#include "cli/names.h"
#include "data/npy.h"
#include "data/npz.h"
#include "file.h"
#include "tool/files.h"

/* The file name of an --out without its ":dtype", which has to be the object's own type. */
static enum pto_status out_source(const struct cli_pair *pair, const struct pto_object *object,
                                  struct pto_arena *arena, struct cli_source *source,
                                  struct pto_diags *diags)
{
    const char *own = pto_dtype_name((enum pto_dtype)object->dtype);
    struct pto_diag *diag;

    PTO_TRY(cli_source_parse("out", pair->name, pair->value, arena, source, diags));
    if (source->generated) {
        diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--out %s=%s: a generator is no file",
                            pair->name, pair->value);
        pto_diag_hint(diags, diag, "write ./%s for a file of this name", pair->value);
        return PTO_ECONFIG;
    }
    if (source->dtype >= 0 && source->dtype != object->dtype) {
        diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--out %s=%s: '%s' is %s", pair->name,
                            pair->value, pair->name, own);
        pto_diag_hint(diags, diag, "results are written in their own type; leave out ':%s'",
                      pto_dtype_name((enum pto_dtype)source->dtype));
        return PTO_ECONFIG;
    }
    return PTO_OK;
}

static enum pto_status complain_shared(const struct cli_options *options, const char *given,
                                       const char *stem, const char *suffix,
                                       struct pto_diags *diags)
{
    struct pto_diag *diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                         "--out %s: %d ranks would write the same file", given,
                                         options->ranks);

    pto_diag_hint(diags, diag, "put {rank} into its name, for instance %s_{rank}%s", stem, suffix);
    return PTO_ECONFIG;
}

static enum pto_status check_pair(const struct cli_options *options,
                                  const struct cli_launch *launch, const struct cli_pair *pair,
                                  struct pto_arena *arena, struct pto_diags *diags)
{
    const struct pto_object *object = cli_find_object(launch, "out", pair->name, diags);
    struct cli_source source;

    if (!object)
        return PTO_ECONFIG;
    PTO_TRY(out_source(pair, object, arena, &source, diags));
    if (options->ranks == 1 || source.per_rank)
        return PTO_OK;
    return complain_shared(options, pto_arena_printf(arena, "%s=%s", pair->name, pair->value),
                           pair->name, ".npy", diags);
}

static bool has_results(const struct cli_launch *launch)
{
    for (unsigned k = 0; k < launch->kernels; k++) {
        const struct pto_kernel *kernel = cli_kernel_of(&launch->kernel[k]);

        for (uint32_t i = 0; i < kernel->objects; i++)
            if (cli_is_result(kernel->object[i].kind))
                return true;
    }
    return false;
}

static enum pto_status check_archive(const struct cli_options *options,
                                     const struct cli_launch *launch, struct pto_diags *diags)
{
    const char *path = options->out_archive;

    if (!path)
        return PTO_OK;
    if (!has_results(launch)) {
        pto_diag_hint(diags, pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                          "--out %s: no kernel has an .out or .inout", path),
                      "--out NAME=FILE writes any object");
        return PTO_ECONFIG;
    }
    if (options->ranks > 1 && !strstr(path, "{rank}"))
        return complain_shared(options, path, "results", ".npz", diags);
    return PTO_OK;
}

enum pto_status cli_outputs_check(const struct cli_options *options,
                                  const struct cli_launch *launch, struct pto_diags *diags)
{
    struct pto_arena arena = {0};
    enum pto_status result = cli_pairs_check(&options->out, "out", diags);
    enum pto_status status = check_archive(options, launch, diags);

    result = result == PTO_OK ? status : result;
    for (unsigned i = 0; i < options->out.count; i++) {
        status = check_pair(options, launch, &options->out.item[i], &arena, diags);
        result = result == PTO_OK ? status : result;
    }
    pto_arena_free(&arena);
    return result;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Append the object's elements, row-major, perhaps behind a header. */
static void put_object(const struct pto_object_info *info, bool npy, struct pto_buf *out)
{
    struct cli_cursor cursor;
    uint64_t count = cli_object_count(info);

    if (npy)
        cli_npy_header((enum pto_dtype)info->dtype, info->dim, info->dims, out);
    cli_cursor_start(&cursor, info);
    for (uint64_t i = 0; i < count; i += cursor.run, cli_cursor_next(&cursor))
        pto_buf_append(out, cursor.at, cursor.run * cursor.size);
}

static enum pto_status write_file(const char *path, const struct pto_file_part *part,
                                  unsigned parts, struct pto_diags *diags)
{
    const char *why = "";
    enum pto_status status = pto_file_write_parts(path, part, parts, &why);

    if (status != PTO_OK)
        tool_cannot_write(path, why, diags);
    return status;
}

static enum pto_status write_members(struct cli_npz_member *member, unsigned count,
                                     const char *path, struct pto_diags *diags)
{
    struct pto_buf out = {0};
    enum pto_status status = cli_npz_write(member, count, path, &out, diags);

    for (unsigned i = 0; i < count; i++)
        pto_buf_free(&member[i].npy);
    if (status == PTO_OK)
        status = write_file(path, &(struct pto_file_part){out.data, out.size}, 1, diags);
    pto_buf_free(&out);
    return status;
}

/* An object whose elements lie one behind the other is written from where they are. */
static enum pto_status write_elements(const struct pto_object_info *info, bool npy,
                                      const char *path, struct pto_diags *diags)
{
    struct pto_buf out = {0};
    struct pto_file_part part[2] = {0};
    struct cli_cursor cursor;
    enum pto_status status;

    cli_cursor_start(&cursor, info);
    if (cursor.dims)
        put_object(info, npy, &out);
    else if (npy)
        cli_npy_header((enum pto_dtype)info->dtype, info->dim, info->dims, &out);
    part[0] = (struct pto_file_part){out.data, out.size};
    if (!cursor.dims)
        part[1] = (struct pto_file_part){info->data, cursor.run * cursor.size};
    status = write_file(path, part, 2, diags);
    pto_buf_free(&out);
    return status;
}

static enum pto_status write_object(const struct pto_object_info *info,
                                    const struct cli_source *source, const char *path,
                                    struct pto_diags *diags)
{
    struct cli_npz_member member = {source->member ? source->member : info->name, {0}};

    if (!cli_source_is_npz(path))
        return write_elements(info, cli_source_is_npy(path), path, diags);
    put_object(info, true, &member.npy);
    return write_members(&member, 1, path, diags);
}

static enum pto_status write_pair(const struct cli_options *options,
                                  const struct cli_launch *launch, const struct cli_pair *pair,
                                  struct pto_arena *arena, struct pto_diags *diags)
{
    struct cli_source source;

    PTO_TRY(cli_source_parse("out", pair->name, pair->value, arena, &source, diags));
    for (int rank = 0; rank < options->ranks; rank++) {
        struct pto_object_info info;

        cli_object_info(launch, rank, pair->name, &info);
        PTO_TRY(write_object(&info, &source, cli_source_path(source.pattern, rank, arena), diags));
    }
    return PTO_OK;
}

/* All results of a rank. */
static enum pto_status write_archive(const struct cli_launch *launch, int rank, const char *path,
                                     struct pto_diags *diags)
{
    struct cli_npz_member *member = NULL;
    unsigned count = 0, capacity = 0;
    struct pto_object_info info;
    enum pto_status status;

    for (unsigned i = 0; pto_vm_object(launch->vm, rank, i, &info); i++) {
        if (!cli_is_result(info.kind))
            continue;
        PTO_GROW(member, count, capacity);
        member[count] = (struct cli_npz_member){.name = info.name};
        put_object(&info, true, &member[count++].npy);
    }
    status = write_members(member, count, path, diags);
    free(member);
    return status;
}

enum pto_status cli_outputs_write(const struct cli_options *options,
                                  const struct cli_launch *launch, struct pto_diags *diags)
{
    enum pto_status result = PTO_OK;
    struct pto_arena arena = {0};

    for (unsigned i = 0; i < options->out.count && result == PTO_OK; i++)
        result = write_pair(options, launch, &options->out.item[i], &arena, diags);
    for (int rank = 0; rank < options->ranks && options->out_archive && result == PTO_OK; rank++)
        result = write_archive(launch, rank, cli_source_path(options->out_archive, rank, &arena),
                               diags);
    pto_arena_free(&arena);
    return result;
}
