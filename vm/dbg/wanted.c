#include "dbg/wanted.h"

#include <stdlib.h>
#include <string.h>

#include "cli/data.h"
#include "dbg/agree.h"
#include "dbg/expr.h"

/* ---- where elements lie ---- */

static uint64_t offset_of(const struct wanted_part *part, uint64_t element)
{
    uint64_t offset = part->base;

    if (part->view.tile)
        return part->view.offset + (uint64_t)view_distance(&part->view, element / part->view.cols,
                                                           element % part->view.cols);
    for (unsigned d = part->dims; d-- > 0; element /= part->dim[d])
        offset += (element % part->dim[d]) * (uint64_t)part->step[d];
    return offset;
}

/* The bytes of the place as they are now; NULL: nobody has touched them. */
static const uint8_t *bytes_of(const struct dbg *dbg, const struct wanted_part *part)
{
    struct pto_object_info info;
    uint32_t size;

    if (part->place.core >= 0)
        return pto_vm_space(dbg->launch.vm, part->place.rank, (unsigned)part->place.core,
                            (enum pto_space)part->place.number, &size);
    return pto_vm_object(dbg->launch.vm, part->place.rank, part->place.number, &info) ? info.data
                                                                                      : NULL;
}

/* ---- what is in files ---- */

static bool say_problems(struct dbg *dbg, struct pto_diags *diags)
{
    bool good = diags->errors == 0;

    for (const struct pto_diag *diag = diags->first; diag; diag = diag->next)
        dbg_error(dbg, diag->hint, "%s", diag->message);
    pto_diags_free(diags);
    return good;
}

static bool check_shape(struct dbg *dbg, const struct wanted_part *part, const char *source)
{
    const struct cli_array *array = &part->want;
    struct pto_buf have = {0}, want = {0};
    unsigned last = array->dims > 0 ? array->dims - 1 : 0;

    /* a list stands for a window of one row, and the other way round */
    if (array->count == part->count &&
        (!array->shaped || array->dims < 2 || array->dim[last] == part->dim[part->dims - 1]))
        return true;
    cli_shape_text(array->shaped ? array->dim : &array->count, array->shaped ? array->dims : 1,
                   &have);
    cli_shape_text(part->dim, part->dims, &want);
    dbg_error(dbg, NULL, "'%s' holds %s elements, and they are to be %s", source,
              pto_buf_text(&have), pto_buf_text(&want));
    pto_buf_free(&have);
    pto_buf_free(&want);
    return false;
}

static void generate(struct wanted_part *part, const struct cli_source *source)
{
    struct cli_array *array = &part->want;

    array->dtype = part->dtype;
    array->count = part->count;
    array->owner = pto_xmalloc(part->count * pto_dtype_size(part->dtype) + 1);
    array->data = array->owner;
    cli_generate(&source->generator, (enum pto_dtype)part->dtype, part->place.rank, part->count, 0,
                 part->count, array->owner);
}

/* Takes the part over, whatever comes of it. */
static bool add_part(struct dbg *dbg, struct wanted *wanted, const struct wanted_part *what,
                     const struct cli_source *source)
{
    struct pto_diags diags = {0};
    struct wanted_part *part;

    PTO_GROW(wanted->part, wanted->parts, wanted->capacity);
    part = &wanted->part[wanted->parts++];
    *part = *what;
    if (part->count == 0)
        return dbg_error(dbg, NULL, "it has no elements");
    if (source->generated) {
        generate(part, source);
        return true;
    }
    cli_source_load(source, part->place.rank, (enum pto_dtype)part->dtype,
                    dbg->launch.most_memory, &part->want, &diags);
    if (!say_problems(dbg, &diags))
        return false;
    /* bf16 and fp8 travel as unsigned integers of their size */
    if (pto_dtype_is_float(part->dtype) && !pto_dtype_is_float(part->want.dtype) &&
        part->want.dtype >= PTO_U8 &&
        pto_dtype_size(part->want.dtype) == pto_dtype_size(part->dtype))
        part->want.dtype = part->dtype;
    return check_shape(dbg, part, source->pattern);
}

/* ---- objects and windows ---- */

static bool add_object(struct dbg *dbg, struct wanted *wanted, int number, int rank,
                       const struct cli_source *source)
{
    struct wanted_part part = {.place = {rank, -1, (unsigned)number}};
    struct pto_object_info info;

    pto_vm_object(dbg->launch.vm, rank, (unsigned)number, &info);
    part.dtype = info.dtype;
    part.dims = info.dims;
    part.count = cli_object_count(&info);
    for (unsigned d = 0; d < info.dims; d++) {
        part.dim[d] = info.dim[d];
        part.step[d] = info.stride[d] * (int64_t)pto_dtype_size(info.dtype);
    }
    return add_part(dbg, wanted, &part, source);
}

static bool add_ranks(struct dbg *dbg, struct wanted *wanted, int number,
                      const struct cli_source *source)
{
    for (int rank = 0; rank < pto_vm_ranks(dbg->launch.vm); rank++)
        if (!add_object(dbg, wanted, number, rank, source))
            return false;
    return true;
}

static bool add_view(struct dbg *dbg, struct wanted *wanted, struct formula_standalone *s,
                     const struct cli_source *source)
{
    struct wanted_part part = {.dims = 2};
    struct dbg_view *view = &part.view;

    if (!view_find(dbg, s, view))
        return false;
    pto_buf_free(&view->title);
    part.place = view->place;
    part.dtype = view->dtype;
    part.dim[0] = view->rows;
    part.dim[1] = view->cols;
    part.step[0] = view->row_stride;
    part.step[1] = view->col_stride;
    part.base = view->offset + (view->tile ? 0 : (uint64_t)view_distance(view, 0, 0));
    part.count = view->rows * view->cols;
    return add_part(dbg, wanted, &part, source);
}

static bool parse_source(struct dbg *dbg, struct wanted *wanted, const char *name,
                         const char *text, struct cli_source *source)
{
    struct pto_diags diags = {0};

    cli_source_parse("expect", pto_arena_strndup(&wanted->arena, name, strlen(name)),
                     pto_arena_strndup(&wanted->arena, text, strlen(text)), &wanted->arena, source,
                     &diags);
    return say_problems(dbg, &diags);
}

bool wanted_object(struct dbg *dbg, struct wanted *wanted, const char *name, const char *source)
{
    int number = pto_vm_find_object(dbg->launch.vm, name);
    struct cli_source from;

    if (number < 0)
        return dbg_error(dbg, "'info objects' lists them", "there is no object '%s'", name);
    return parse_source(dbg, wanted, name, source, &from) &&
           add_ranks(dbg, wanted, number, &from);
}

bool wanted_window(struct dbg *dbg, struct wanted *wanted, const char *window, const char *source)
{
    struct formula_standalone *s = expr_read(dbg, window, NULL);
    const struct asm_expr *expr = s ? s->expr : NULL;
    struct expr_scope scope = {dbg, dbg->rank, dbg->core, NULL};
    struct cli_source from;
    int64_t rank = dbg->rank;
    int number;
    bool good = expr && parse_source(dbg, wanted, window, source, &from);

    if (good && expr->kind != EX_REF)
        good = dbg_error(dbg, "for instance y, y@1, y[0, 16]{4, 8} or ta[0]", "'%s' is no window",
                         window);
    number = good ? pto_vm_find_object(dbg->launch.vm, expr->token->text) : -1;
    if (good && (number < 0 || expr->index || expr->paren || expr->brace)) {
        good = add_view(dbg, wanted, s, &from);
    } else if (good && !expr->rank && from.per_rank) {
        good = add_ranks(dbg, wanted, number, &from);
    } else if (good) {
        good = !expr->rank || expr_int_or_answer(&scope, s, expr->rank, &rank);
        if (good && (rank < 0 || rank >= pto_vm_ranks(dbg->launch.vm)))
            good = dbg_error(dbg, NULL, "'%lld' is no rank: they are 0 to %d", (long long)rank,
                             pto_vm_ranks(dbg->launch.vm) - 1);
        good = good && add_object(dbg, wanted, number, (int)rank, &from);
    }
    formula_free(s);
    return good;
}

void wanted_free(struct wanted *wanted)
{
    for (unsigned i = 0; i < wanted->parts; i++) {
        free(wanted->part[i].want.owner);
        free(wanted->part[i].miss);
    }
    free(wanted->part);
    pto_arena_free(&wanted->arena);
    *wanted = (struct wanted){0};
}

/* ---- what is wrong ---- */

static int by_offset(const void *a, const void *b)
{
    const struct wanted_miss *x = a, *y = b;

    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static const uint8_t *want_of(const struct wanted_part *part, uint64_t element)
{
    return part->want.data + element * pto_dtype_size(part->want.dtype);
}

static bool compare_part(struct dbg *dbg, const struct wanted *wanted, struct wanted_part *part)
{
    const uint8_t *bytes = bytes_of(dbg, part);
    double distance;

    if (!bytes)
        return dbg_error(dbg, part->place.core >= 0 ? NULL : "leave out --timing-only",
                         "nobody has written to that memory");
    for (uint64_t i = 0; i < part->count; i++) {
        uint64_t offset = offset_of(part, i);
        struct agree_pair pair = {bytes + offset, want_of(part, i), (enum pto_dtype)part->dtype,
                                  (enum pto_dtype)part->want.dtype};

        if (agree(&pair, wanted->rtol, wanted->atol, &distance))
            continue;
        PTO_GROW(part->miss, part->misses, part->capacity);
        part->miss[part->misses++] = (struct wanted_miss){i, offset, 0};
    }
    if (part->misses > 0)
        qsort(part->miss, part->misses, sizeof *part->miss, by_offset);
    return true;
}

bool wanted_compare(struct dbg *dbg, struct wanted *wanted)
{
    for (unsigned i = 0; i < wanted->parts; i++)
        if (!compare_part(dbg, wanted, &wanted->part[i]))
            return false;
    return true;
}

void wanted_say(struct dbg *dbg, const struct wanted_part *part, const struct wanted_miss *miss)
{
    char is[32], want[32];

    view_cell(bytes_of(dbg, part) + miss->offset, (enum pto_dtype)part->dtype, false, is);
    view_cell(want_of(part, miss->element), (enum pto_dtype)part->want.dtype, false, want);
    dbg_say(dbg, "%s, not %s", is, want);
}

/* ---- who wrote it ---- */

bool wanted_has_place(const struct wanted *wanted, const struct pto_place *place)
{
    for (unsigned i = 0; i < wanted->parts; i++)
        if (wanted->part[i].misses > 0 && pto_same_place(&wanted->part[i].place, place))
            return true;
    return false;
}

/* Index of the first that ends behind the byte. */
static uint64_t first_behind(const struct wanted_part *part, uint64_t byte)
{
    uint64_t low = 0, high = part->misses, size = pto_dtype_size(part->dtype);

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (part->miss[middle].offset + size > byte)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void wanted_touched(struct wanted *wanted, const struct pto_stretch *bytes, uint64_t event)
{
    for (unsigned i = 0; i < wanted->parts; i++) {
        struct wanted_part *part = &wanted->part[i];

        for (uint64_t p = 0; p < bytes->count && pto_same_place(&part->place, &bytes->place);
             p++) {
            uint64_t from = bytes->offset + p * bytes->step;

            for (uint64_t m = first_behind(part, from);
                 m < part->misses && part->miss[m].offset < from + bytes->length; m++)
                part->miss[m].event = event;
        }
    }
}
