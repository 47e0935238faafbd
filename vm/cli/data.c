#include "cli/data.h"

#include <stdlib.h>
#include <string.h>

#include "cli/names.h"
#include "data/host.h"

/* One --in whose contents are written after pto_vm_prepare. */
struct cli_input {
    const char *name;
    int rank; /* PTO_ALL_RANKS: the same on every rank, or generated for each */
    struct cli_source source;
    struct cli_array array; /* raw file contents; data NULL: generated */
};

/* ---- objects ------------------------------------------------------------------------------ */

void cli_object_info(const struct cli_launch *launch, int rank, const char *name,
                     struct pto_object_info *info)
{
    int index = pto_vm_find_object(launch->vm, name);

    memset(info, 0, sizeof *info);
    if (index >= 0)
        pto_vm_object(launch->vm, rank, (unsigned)index, info);
}

bool cli_is_result(uint8_t kind)
{
    return kind == PTO_OBJ_OUT || kind == PTO_OBJ_INOUT;
}

uint64_t cli_object_count(const struct pto_object_info *info)
{
    uint64_t count = 1;

    for (unsigned d = 0; d < info->dims; d++)
        count *= info->dim[d];
    return count;
}

void cli_shape_text(const uint64_t *dim, unsigned dims, struct pto_buf *out)
{
    pto_buf_printf(out, "[");
    for (unsigned d = 0; d < dims; d++)
        pto_buf_printf(out, "%s%llu", d > 0 ? ", " : "", (unsigned long long)dim[d]);
    pto_buf_printf(out, "]");
}

void cli_cursor_start(struct cli_cursor *cursor, const struct pto_object_info *info)
{
    memset(cursor, 0, sizeof *cursor);
    cursor->info = info;
    cursor->size = pto_dtype_size((enum pto_dtype)info->dtype);
    cursor->at = info->data;
    cursor->run = 1;
    cursor->dims = info->dims;
    while (cursor->dims > 0 && info->stride[cursor->dims - 1] == (int64_t)cursor->run)
        cursor->run *= info->dim[--cursor->dims];
}

void cli_cursor_next(struct cli_cursor *cursor)
{
    const struct pto_object_info *info = cursor->info;

    for (unsigned d = cursor->dims; d-- > 0;) {
        int64_t step = info->stride[d] * (int64_t)cursor->size;

        if (++cursor->index[d] < info->dim[d]) {
            cursor->at += step;
            return;
        }
        cursor->at -= step * (int64_t)(info->dim[d] - 1);
        cursor->index[d] = 0;
    }
}

enum pto_status cli_pairs_check(const struct cli_pairs *pairs, const char *option,
                                struct pto_diags *diags)
{
    enum pto_status status = PTO_OK;

    for (unsigned i = 0; i < pairs->count; i++)
        for (unsigned k = 0; k < i; k++)
            if (!strcmp(pairs->item[i].name, pairs->item[k].name)) {
                pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--%s %s=... is given twice", option,
                             pairs->item[i].name);
                status = PTO_ECONFIG;
                break;
            }
    return status;
}

bool cli_pairs_leave(const struct cli_pairs *pairs, const char *option, const char *name,
                     struct pto_diags *diags)
{
    for (unsigned i = 0; i < pairs->count; i++)
        if (!strcmp(pairs->item[i].name, name)) {
            struct pto_diag *diag =
                pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                             "'%s' is given by option '%s' and by the host program", name, option);

            pto_diag_hint(diags, diag, "give it one way or the other");
            return false;
        }
    return true;
}

/* ---- inputs ------------------------------------------------------------------------------- */

static enum pto_status check_kind(const struct pto_object *object, struct pto_diags *diags)
{
    struct pto_diag *diag;

    if (object->kind != PTO_OBJ_OUT)
        return PTO_OK;
    diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--in: '%s' takes no input", object->name);
    pto_diag_hint(diags, diag, "it is an output; --out writes it and --expect compares it");
    return PTO_ECONFIG;
}

static enum pto_status complain_type(const struct cli_source *source,
                                     const struct cli_array *array,
                                     const struct pto_object *object, struct pto_diags *diags)
{
    const char *member = source->member;
    struct pto_buf retyped = {0};
    const char *have = pto_dtype_name((enum pto_dtype)array->dtype);
    const char *want = pto_dtype_name((enum pto_dtype)object->dtype);
    struct pto_diag *diag =
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "%s%s%s holds %s, but '%s' is %s",
                     source->pattern, member ? ":" : "", member ? member : "", have,
                     object->name, want);
    bool same_size = pto_dtype_size((enum pto_dtype)array->dtype) ==
                     pto_dtype_size((enum pto_dtype)object->dtype);

    cli_source_retyped(source, (enum pto_dtype)object->dtype, &retyped);
    if (same_size && !pto_dtype_is_float((enum pto_dtype)array->dtype))
        pto_diag_hint(diags, diag, "if these are the bits of %s, write %s=%s", want,
                      object->name, pto_buf_text(&retyped));
    else
        pto_diag_hint(diags, diag, "convert the array to %s", want);
    pto_buf_free(&retyped);
    return PTO_ECONFIG;
}

/* Are the bytes of an input used here?  Those of rank 0 are what others are compared with. */
static bool is_used_here(const struct cli_launch *launch, int rank)
{
    return rank == PTO_ALL_RANKS || rank == 0 || pto_vm_has_rank(launch->vm, rank);
}

/* Bind an array now if its shape is known, else take it over for cli_inputs_fill.  The launch keeps
 * what is bound: an object that nobody writes is these bytes. */
static enum pto_status bind_array(struct cli_launch *launch, struct cli_inputs *inputs,
                                  const struct pto_object *object, const struct cli_source *source,
                                  int rank, struct cli_array *array, struct pto_diags *diags)
{
    enum pto_dtype dtype = (enum pto_dtype)array->dtype;
    bool here = is_used_here(launch, rank);

    if (array->dtype != object->dtype)
        return complain_type(source, array, object, diags);
    /* A raw file without bytes tells no size: most often something has failed to write it. */
    if (!array->shaped && object->dims == 1 && array->count > 0) {
        array->shaped = true;
        array->dims = 1;
        array->dim[0] = array->count;
    }
    if (array->shaped) {
        if (here)
            cli_launch_keep(launch, array->owner);
        array->owner = here ? NULL : array->owner;
        return pto_vm_lend(launch->vm, rank, object->name, dtype, array->dim, array->dims,
                           here ? array->data : NULL,
                           cli_source_path(source->pattern, rank, &launch->arena), diags);
    }
    if (here) {
        PTO_GROW(inputs->item, inputs->count, inputs->capacity);
        inputs->item[inputs->count++] = (struct cli_input){object->name, rank, *source, *array};
        array->owner = NULL;
    }
    return pto_vm_bind(launch->vm, rank, object->name, dtype, NULL, 0, NULL, NULL, diags);
}

static enum pto_status bind_files(struct cli_launch *launch, struct cli_inputs *inputs,
                                  const struct pto_object *object, const struct cli_source *source,
                                  struct pto_diags *diags)
{
    int ranks = pto_vm_ranks(launch->vm);

    for (int rank = 0; rank < (source->per_rank ? ranks : 1); rank++) {
        struct cli_array array;
        enum pto_status status =
            cli_source_load(source, rank, (enum pto_dtype)object->dtype, launch->most_memory,
                            &array, diags);

        if (status == PTO_OK)
            status = bind_array(launch, inputs, object, source,
                                source->per_rank ? rank : PTO_ALL_RANKS, &array, diags);
        free(array.owner);
        PTO_TRY(status);
    }
    return PTO_OK;
}

static enum pto_status bind_generated(struct cli_launch *launch, struct cli_inputs *inputs,
                                      const struct pto_object *object,
                                      const struct cli_source *source, struct pto_diags *diags)
{
    enum pto_dtype dtype = (enum pto_dtype)object->dtype;

    if (!cli_generator_fits(&source->generator, dtype)) {
        struct pto_diag *diag =
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--in %s: const:%g is not a value of %s",
                         object->name, source->generator.value, pto_dtype_name(dtype));

        pto_diag_hint(diags, diag, "choose a value within the range of the type");
        return PTO_ECONFIG;
    }
    PTO_GROW(inputs->item, inputs->count, inputs->capacity);
    inputs->item[inputs->count++] =
        (struct cli_input){.name = object->name, .rank = PTO_ALL_RANKS, .source = *source};
    return pto_vm_bind(launch->vm, PTO_ALL_RANKS, object->name, dtype, NULL, 0, NULL, NULL, diags);
}

/* The arrays that a host program lends. */
static enum pto_status bind_given(const struct cli_options *options, struct cli_launch *launch,
                                  struct pto_diags *diags)
{
    for (unsigned i = 0; options->host && i < options->host->arrays; i++) {
        const struct cli_given_array *array = &options->host->array[i];
        const struct pto_object *object = cli_find_object(launch, "in", array->name, diags);

        if (!object || check_kind(object, diags) != PTO_OK ||
            !cli_pairs_leave(&options->in, "in", array->name, diags))
            return PTO_ECONFIG;
        PTO_TRY(pto_vm_lend(launch->vm, array->rank, array->name, array->dtype, array->dim,
                            array->dims, array->data, NULL, diags));
    }
    return PTO_OK;
}

enum pto_status cli_inputs_bind(const struct cli_options *options, struct cli_launch *launch,
                                struct cli_inputs *inputs, struct pto_diags *diags)
{
    enum pto_status result = cli_pairs_check(&options->in, "in", diags);
    enum pto_status given = bind_given(options, launch, diags);

    result = result == PTO_OK ? given : result;
    for (unsigned i = 0; i < options->in.count; i++) {
        const struct cli_pair *pair = &options->in.item[i];
        struct cli_source source;
        const struct pto_object *object = cli_find_object(launch, "in", pair->name, diags);
        enum pto_status status = !object ? PTO_ECONFIG : check_kind(object, diags);

        if (status == PTO_OK)
            status = cli_source_parse("in", pair->name, pair->value, &launch->arena, &source,
                                      diags);
        if (status == PTO_OK)
            status = source.generated ? bind_generated(launch, inputs, object, &source, diags)
                                      : bind_files(launch, inputs, object, &source, diags);
        if (result == PTO_OK)
            result = status;
    }
    return result;
}

enum { PIECE = 1 << 20, SILENT_SECONDS = 2, TOLD_A_SECOND = 4 };

/* How far the making of inputs is. */
struct progress {
    const struct cli_filling *filling;
    double begun, told; /* seconds of the host */
    uint64_t all, done; /* elements */
};

static void tell(struct progress *progress, const struct cli_input *input, int rank,
                 uint64_t number)
{
    double now;

    progress->done += number;
    if (!progress->filling)
        return;
    now = cli_host_seconds();
    if (now - progress->begun < SILENT_SECONDS || now - progress->told < 1.0 / TOLD_A_SECOND)
        return;
    progress->told = now;
    progress->filling->tell(progress->filling->context, input->name, rank, now - progress->begun,
                            (double)progress->done / (double)progress->all);
}

/* Objects with inputs begin as zeros, of which the host gives pages when somebody writes there. */
static bool is_there_already(const struct cli_input *input, const struct pto_object_info *info)
{
    uint64_t one = 0;

    if (input->source.generator.kind != CLI_CONST)
        return false;
    cli_generate(&input->source.generator, (enum pto_dtype)info->dtype, 0, 1, 0, 1, &one);
    return one == 0;
}

static void fill_generated(const struct cli_input *input, int rank,
                           const struct pto_object_info *info, struct progress *progress)
{
    struct cli_cursor cursor;
    uint64_t count = info->data ? cli_object_count(info) : 0;

    if (is_there_already(input, info))
        return;
    cli_cursor_start(&cursor, info);
    for (uint64_t i = 0; i < count; i += cursor.run, cli_cursor_next(&cursor))
        for (uint64_t k = 0; k < cursor.run; k += PIECE) {
            uint64_t number = cursor.run - k < PIECE ? cursor.run - k : PIECE;

            cli_generate(&input->source.generator, (enum pto_dtype)info->dtype, rank, count,
                         i + k, number, cursor.at + k * cursor.size);
            tell(progress, input, rank, number);
        }
}

static enum pto_status fill_raw(const struct cli_input *input, const struct pto_object_info *info,
                                struct pto_diags *diags)
{
    struct cli_cursor cursor;
    uint64_t count = cli_object_count(info);

    if (input->array.count != count) {
        struct pto_buf shape = {0};
        struct pto_diag *diag;

        cli_shape_text(info->dim, info->dims, &shape);
        diag = pto_diag_add(
            diags, PTO_ERROR, NULL, 0, 0, "%s holds %llu elements, but '%s' is %s%s, which is %llu",
            input->source.pattern, (unsigned long long)input->array.count, info->name,
            pto_dtype_name((enum pto_dtype)info->dtype), pto_buf_text(&shape),
            (unsigned long long)count);
        pto_diag_hint(diags, diag, "a raw file holds exactly the elements of the object");
        pto_buf_free(&shape);
        return PTO_ECONFIG;
    }
    if (!info->data)
        return PTO_OK;
    cli_cursor_start(&cursor, info);
    for (uint64_t i = 0; i < count; i += cursor.run, cli_cursor_next(&cursor))
        memcpy(cursor.at, input->array.data + i * cursor.size, cursor.run * cursor.size);
    return PTO_OK;
}

/* The first of an input's ranks, and the one behind the last. */
static int ranks_of(const struct cli_launch *launch, const struct cli_input *input, int *end)
{
    bool all = input->rank == PTO_ALL_RANKS;

    *end = all ? pto_vm_ranks(launch->vm) : input->rank + 1;
    return all ? 0 : input->rank;
}

static uint64_t elements_to_make(struct cli_launch *launch, const struct cli_inputs *inputs)
{
    struct pto_object_info info;
    uint64_t all = 0;
    int end;

    for (unsigned i = 0; i < inputs->count; i++)
        for (int rank = ranks_of(launch, &inputs->item[i], &end);
             !inputs->item[i].array.data && rank < end; rank++) {
            cli_object_info(launch, rank, inputs->item[i].name, &info);
            all += info.skipped ? 0 : cli_object_count(&info);
        }
    return all;
}

enum pto_status cli_inputs_fill(struct cli_launch *launch, const struct cli_inputs *inputs,
                                const struct cli_filling *filling, struct pto_diags *diags)
{
    struct progress progress = {.filling = filling, .begun = cli_host_seconds(),
                                .all = filling ? elements_to_make(launch, inputs) : 0};
    int end;

    for (unsigned i = 0; i < inputs->count; i++) {
        const struct cli_input *input = &inputs->item[i];

        for (int rank = ranks_of(launch, input, &end); rank < end; rank++) {
            struct pto_object_info info;

            cli_object_info(launch, rank, input->name, &info);
            if (!input->array.data)
                fill_generated(input, rank, &info, &progress);
            else
                PTO_TRY(fill_raw(input, &info, diags));
        }
    }
    return PTO_OK;
}

void cli_inputs_free(struct cli_inputs *inputs)
{
    for (unsigned i = 0; i < inputs->count; i++)
        free(inputs->item[i].array.owner);
    free(inputs->item);
    memset(inputs, 0, sizeof *inputs);
}
