#include "cli/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/names.h"

/* ---- before the run ----------------------------------------------------------------------- */

static enum pto_status check_array(const struct cli_array *array, const char *path,
                                   const struct pto_object_info *info, struct pto_diags *diags)
{
    struct pto_buf have = {0}, want = {0};
    bool shaped = array->shaped && !info->flat;
    bool same = shaped ? array->dims == info->dims : array->count == cli_object_count(info);
    struct pto_diag *diag;

    for (unsigned d = 0; same && shaped && d < info->dims; d++)
        same = array->dim[d] == info->dim[d];
    if (same && array->dtype == info->dtype)
        return PTO_OK;

    if (array->shaped)
        cli_shape_text(array->dim, array->dims, &have);
    else
        cli_shape_text(&array->count, 1, &have);
    cli_shape_text(info->dim, info->dims, &want);
    diag = pto_diag_add(
        diags, PTO_ERROR, NULL, 0, 0, "--expect %s=%s: it holds %s%s, but '%s' is %s%s",
        info->name, path, pto_dtype_name((enum pto_dtype)array->dtype), pto_buf_text(&have),
        info->name, pto_dtype_name((enum pto_dtype)info->dtype), pto_buf_text(&want));
    pto_diag_hint(diags, diag, "the expectation has the type and shape of the object");
    pto_buf_free(&have);
    pto_buf_free(&want);
    return PTO_ECONFIG;
}

static enum pto_status load_one(const struct cli_options *options, struct cli_launch *launch,
                                const struct cli_pair *pair, struct cli_expectation *item,
                                struct pto_diags *diags)
{
    const struct pto_object *object = cli_find_object(launch, "expect", pair->name, diags);
    unsigned wanted;

    if (!object)
        return PTO_ECONFIG;
    item->result.name = object->name;
    PTO_TRY(cli_source_parse("expect", pair->name, pair->value, &launch->arena, &item->source,
                             diags));
    if (item->source.generated)
        return PTO_OK;
    wanted = item->source.per_rank ? (unsigned)options->ranks : 1;
    item->array = pto_xcalloc(wanted, sizeof *item->array);
    for (unsigned rank = 0; rank < wanted; rank++) {
        struct pto_object_info info;

        cli_object_info(launch, (int)rank, object->name, &info);
        item->arrays++;
        PTO_TRY(cli_source_load(&item->source, (int)rank, (enum pto_dtype)object->dtype,
                                launch->most_memory, &item->array[rank], diags));
        PTO_TRY(check_array(&item->array[rank],
                            cli_source_path(item->source.pattern, (int)rank, &launch->arena), &info,
                            diags));
    }
    return PTO_OK;
}

enum pto_status cli_expect_load(const struct cli_options *options, struct cli_launch *launch,
                                struct cli_expectations *expectations, struct pto_diags *diags)
{
    enum pto_status result = cli_pairs_check(&options->expect, "expect", diags);

    expectations->count = options->expect.count;
    expectations->item = pto_xcalloc(options->expect.count + 1, sizeof *expectations->item);
    for (unsigned i = 0; i < options->expect.count; i++) {
        enum pto_status status =
            load_one(options, launch, &options->expect.item[i], &expectations->item[i], diags);

        if (result == PTO_OK)
            result = status;
    }
    return result;
}

void cli_expect_free(struct cli_expectations *expectations)
{
    for (unsigned i = 0; i < expectations->count; i++) {
        for (unsigned k = 0; k < expectations->item[i].arrays; k++)
            free(expectations->item[i].array[k].owner);
        free(expectations->item[i].array);
    }
    free(expectations->item);
    memset(expectations, 0, sizeof *expectations);
}

/* ---- after the run ------------------------------------------------------------------------ */

/* Two elements: are they equal, and how far apart are they?  The distance is infinite if one of
 * them is not finite. */
struct distance {
    bool equal;
    double abs, want;
};

static struct distance measure(const void *got, const void *want, enum pto_dtype dtype)
{
    struct distance d = {.want = pto_load_f64(want, dtype)};

    if (pto_dtype_is_float(dtype)) {
        double value = pto_load_f64(got, dtype);

        d.equal = value == d.want || (isnan(value) && isnan(d.want));
        d.abs = isfinite(value) && isfinite(d.want) ? fabs(value - d.want) : INFINITY;
    } else {
        int64_t a = pto_load_int(got, dtype), b = pto_load_int(want, dtype);
        bool wide = dtype == PTO_U64;
        __int128 difference = wide ? (__int128)(uint64_t)a - (__int128)(uint64_t)b
                                   : (__int128)a - (__int128)b;

        d.equal = a == b;
        d.abs = (double)(difference < 0 ? -difference : difference);
    }
    return d;
}

static void value_text(const void *element, enum pto_dtype dtype, char *text)
{
    if (pto_dtype_is_float(dtype))
        snprintf(text, CLI_VALUE_BYTES, "%.9g", pto_load_f64(element, dtype));
    else if (dtype == PTO_U64)
        snprintf(text, CLI_VALUE_BYTES, "%llu",
                 (unsigned long long)pto_load_int(element, dtype));
    else
        snprintf(text, CLI_VALUE_BYTES, "%lld", (long long)pto_load_int(element, dtype));
}

/* Elements of an object that touch, and what is expected of them. */
struct stretch {
    const struct pto_object_info *info;
    int rank;
    uint64_t first, number; /* row-major numbers */
    const uint8_t *got, *want;
};

static void note_mismatch(struct cli_comparison *result, const struct stretch *s, uint64_t element)
{
    enum pto_dtype dtype = (enum pto_dtype)s->info->dtype;
    unsigned size = pto_dtype_size(dtype);
    uint64_t number = s->first + element;

    if (result->mismatches++ > 0)
        return;
    result->rank = s->rank;
    result->dims = s->info->dims;
    for (unsigned d = s->info->dims; d-- > 0; number /= s->info->dim[d])
        result->index[d] = number % s->info->dim[d];
    value_text(s->got + element * size, dtype, result->got);
    value_text(s->want + element * size, dtype, result->want);
}

static void compare_stretch(const struct cli_options *options, struct cli_comparison *result,
                            const struct stretch *s)
{
    enum pto_dtype dtype = (enum pto_dtype)s->info->dtype;
    unsigned size = pto_dtype_size(dtype);

    if (!memcmp(s->got, s->want, s->number * size))
        return; /* equal bits are equal numbers, or both no number */
    for (uint64_t i = 0; i < s->number; i++) {
        struct distance d = measure(s->got + i * size, s->want + i * size, dtype);

        if (d.equal)
            continue;
        if (isfinite(d.abs)) {
            result->max_abs = fmax(result->max_abs, d.abs);
            if (d.want != 0)
                result->max_rel = fmax(result->max_rel, d.abs / fabs(d.want));
        }
        if (!(isfinite(d.abs) && d.abs <= options->atol + options->rtol * fabs(d.want)))
            note_mismatch(result, s, i);
    }
}

static void compare_piece(const struct cli_options *options, struct cli_expectation *item,
                          const struct cli_array *array, const struct stretch *piece)
{
    enum { SHORT = 1024 };
    enum pto_dtype dtype = (enum pto_dtype)piece->info->dtype;
    uint64_t generated[SHORT], count = cli_object_count(piece->info);

    for (uint64_t i = 0; i < piece->number; i += SHORT) {
        struct stretch s = *piece;

        s.first += i;
        s.number = piece->number - i < SHORT ? piece->number - i : SHORT;
        s.got += i * pto_dtype_size(dtype);
        if (item->source.generated)
            cli_generate(&item->source.generator, dtype, s.rank, count, s.first, s.number,
                         generated);
        s.want = item->source.generated ? (const uint8_t *)generated
                                        : array->data + s.first * pto_dtype_size(dtype);
        compare_stretch(options, &item->result, &s);
    }
}

static void compare_rank(const struct cli_options *options, struct cli_expectation *item, int rank,
                         const struct pto_object_info *info)
{
    uint64_t count = cli_object_count(info);
    const struct cli_array *array = item->array + (item->source.per_rank ? rank : 0);
    struct cli_cursor cursor;

    cli_cursor_start(&cursor, info);
    for (uint64_t i = 0; i < count; i += cursor.run, cli_cursor_next(&cursor)) {
        const struct stretch piece = {
            .info = info, .rank = rank, .first = i, .number = cursor.run, .got = cursor.at};

        compare_piece(options, item, array, &piece);
    }
    item->result.elements += count;
}

bool cli_expect_compare(const struct cli_options *options, const struct cli_launch *launch,
                        struct cli_expectations *expectations)
{
    bool good = true;

    for (unsigned i = 0; i < expectations->count; i++) {
        struct cli_expectation *item = &expectations->item[i];

        for (int rank = 0; rank < options->ranks; rank++) {
            struct pto_object_info info;

            cli_object_info(launch, rank, item->result.name, &info);
            compare_rank(options, item, rank, &info);
        }
        good = good && item->result.mismatches == 0;
    }
    return good;
}

void cli_comparison_text(const struct cli_comparison *result, struct pto_buf *out)
{
    unsigned long long elements = result->elements;

    pto_buf_printf(out, "expect %s: ", result->name);
    if (result->mismatches == 0 && result->max_abs == 0) {
        pto_buf_printf(out, "%llu elements equal\n", elements);
        return;
    }
    if (result->mismatches == 0)
        pto_buf_printf(out, "%llu elements within tolerance", elements);
    else {
        pto_buf_printf(out, "%llu of %llu elements differ, first at rank %d ",
                       (unsigned long long)result->mismatches, elements, result->rank);
        cli_shape_text(result->index, result->dims, out);
        pto_buf_printf(out, ": got %s, want %s", result->got, result->want);
    }
    pto_buf_printf(out, "; largest error %.3g absolute, %.3g relative\n", result->max_abs,
                   result->max_rel);
}
