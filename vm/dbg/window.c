/* Parsing the windows that print shows, see view.h. */
#include <string.h>

#include "cli/data.h"
#include "dbg/expr.h"
#include "dbg/view.h"

struct reader {
    struct dbg *dbg;
    const char *at;
};

/* ---- names ---- */

/* A tile of the focused sub-core's program. */
static const struct pto_tile *find_tile(const struct dbg *dbg, const char *name, size_t length)
{
    struct pto_core_info info;

    const struct pto_tile *only = NULL;
    unsigned copies = 0;

    dbg_focused(dbg, &info);
    for (uint32_t i = 0; info.module && i < info.code->tiles; i++) {
        const struct pto_tile *tile = &info.code->tile[i];

        if (dbg_is_name(tile->name, name, length))
            return tile;
        if (dbg_is_copy(tile->name, name, length)) {
            only = tile;
            copies++;
        }
    }
    return copies == 1 ? only : NULL;
}

static bool find_object(const struct dbg *dbg, int rank, const char *name, size_t length,
                        struct pto_object_info *info)
{
    for (unsigned i = 0; pto_vm_object(dbg->launch.vm, rank, i, info); i++)
        if (dbg_is_name(info->name, name, length))
            return true;
    return false;
}

bool view_is_name(struct dbg *dbg, const char *name, size_t length)
{
    struct pto_object_info info;

    return find_tile(dbg, name, length) || find_object(dbg, dbg->rank, name, length, &info);
}

/* Nothing is called so: a register, a view of an object, a tile of another program, a slip of the
 * fingers? */
static bool complain_name(struct dbg *dbg, const char *name, size_t length)
{
    struct pto_buf text = {0}, error = {0};
    bool is_register;

    pto_buf_printf(&text, "%%%.*s", (int)length, name);
    is_register = length > 0 && expr_check(dbg, pto_buf_text(&text), &error);
    pto_buf_free(&text);
    pto_buf_free(&error);
    if (is_register)
        return dbg_error(dbg, NULL, "a register is written '%%%.*s'", (int)length, name);
    for (unsigned k = 0; k < dbg->launch.kernels; k++) {
        const struct pto_kernel *kernel = cli_kernel_of(&dbg->launch.kernel[k]);

        for (uint32_t i = 0; i < kernel->objects; i++)
            if (kernel->object[i].base >= 0 && dbg_is_name(kernel->object[i].name, name, length)) {
                dbg_error(dbg, NULL, "'%.*s' is a view: print the object '%s' that it shows",
                          (int)length, name,
                          kernel->object[kernel->object[i].base].name);
                return false;
            }
        for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
            for (uint32_t i = 0; i < kernel->core[kind].tiles; i++)
                if (dbg_is_copy(kernel->core[kind].tile[i].name, name, length))
                    return dbg_error(dbg, "'info tiles' lists them",
                                     "'%.*s' is the tile of several macro uses: write the number "
                                     "of one, as in %s", (int)length, name,
                                     kernel->core[kind].tile[i].name);
                else if (dbg_is_name(kernel->core[kind].tile[i].name, name, length))
                    return dbg_error(dbg, "focus on one that runs it",
                                     "tile '%.*s' belongs to the %s sub-cores of %s", (int)length,
                                     name, kind == PTO_AIC ? "aic" : "aiv", kernel->name);
    }
    return dbg_error(dbg, "'info tiles' and 'info objects' list them",
                     "no tile or object '%.*s'", (int)length, name);
}

/* ---- pieces ---- */

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t");
}

static bool take(struct reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static bool read_int(struct reader *r, int64_t *value)
{
    struct expr_scope scope = {r->dbg, r->dbg->rank, r->dbg->core};
    struct expr_value result;
    struct pto_buf error = {0};
    bool good = expr_prefix(&scope, &r->at, &result, &error);

    if (!good)
        dbg_error(r->dbg, NULL, "%s", pto_buf_text(&error));
    else if (result.is_float)
        good = dbg_error(r->dbg, NULL, "an integer is expected, not a number with a fraction");
    pto_buf_free(&error);
    *value = result.i;
    return good;
}

/* A list of integers up to `close`; at most `limit`. */
static bool read_list(struct reader *r, char close, int64_t *value, unsigned limit,
                      unsigned *count)
{
    *count = 0;
    for (;;) {
        if (*count == limit)
            return dbg_error(r->dbg, NULL, "more than %u numbers before '%c'", limit, close);
        if (!read_int(r, &value[*count]))
            return false;
        ++*count;
        if (take(r, close))
            return true;
        if (!take(r, ','))
            return dbg_error(r->dbg, NULL, "',' or '%c' is expected at '%s'", close, r->at);
    }
}

/* {rows, cols}, or {cols} for one row; absent: count 0. */
static bool read_extent(struct reader *r, int64_t *rows, int64_t *cols, bool *given)
{
    int64_t value[2];
    unsigned count;

    *given = take(r, '{');
    if (!*given)
        return true;
    if (!read_list(r, '}', value, 2, &count))
        return false;
    *rows = count == 2 ? value[0] : 1;
    *cols = value[count - 1];
    return true;
}

/* Is 0 <= first and first + size <= limit? */
static bool check_range(struct dbg *dbg, const char *what, int64_t first, int64_t size,
                        uint64_t limit)
{
    if (first >= 0 && size >= 0 && (uint64_t)first <= limit &&
        (uint64_t)size <= limit - (uint64_t)first)
        return true;
    return dbg_error(dbg, NULL, "%s %lld to %lld: there are %llu", what, (long long)first,
                     (long long)((uint64_t)first + (uint64_t)size - (size != 0)),
                     (unsigned long long)limit);
}

static bool at_end(struct reader *r)
{
    skip_blanks(r);
    return *r->at == '\0' || dbg_error(r->dbg, NULL, "'%s' is not understood", r->at);
}

/* ---- tiles ---- */

struct tile_place {
    int64_t slot, row, col, byte, rows, cols;
};

static bool read_tile(struct reader *r, const struct pto_tile *tile, struct tile_place *place)
{
    int64_t offset[2] = {0, 0};
    unsigned count = 0;
    bool given;

    *place = (struct tile_place){0};
    if (take(r, '[') && !read_list(r, ']', &place->slot, 1, &count))
        return false;
    count = 0;
    if (take(r, '(') && !read_list(r, ')', offset, 2, &count))
        return false;
    if (count == 1 && tile->parent == PTO_NONE)
        return dbg_error(r->dbg, "write (row, col)",
                         "only a tile over another one has a byte offset");
    place->byte = count == 1 ? offset[0] : 0;
    place->row = count == 2 ? offset[0] : 0;
    place->col = count == 2 ? offset[1] : 0;
    if (!check_range(r->dbg, "rows", place->row, 0, tile->rows) ||
        !check_range(r->dbg, "columns", place->col, 0, tile->cols))
        return false;
    place->rows = tile->rows - place->row;
    place->cols = tile->cols - place->col;
    return read_extent(r, &place->rows, &place->cols, &given) && at_end(r) &&
           check_range(r->dbg, "slots", place->slot, 1, tile->slots) &&
           check_range(r->dbg, "rows", place->row, place->rows, tile->rows) &&
           check_range(r->dbg, "columns", place->col, place->cols, tile->cols);
}

static bool parse_tile(struct reader *r, const struct pto_tile *tile, struct dbg_view *view)
{
    struct dbg *dbg = r->dbg;
    struct tile_place place;
    const uint8_t *space;
    uint32_t size;
    uint64_t address;

    if (!read_tile(r, tile, &place))
        return false;
    space = pto_vm_space(dbg->launch.vm, dbg->rank, dbg->core, tile->space, &size);
    address = tile->address + (uint64_t)place.slot * tile->slot_stride;
    if (place.byte < 0 || place.byte > UINT32_MAX ||
        (space && address + (uint64_t)place.byte + pto_tile_bytes(tile) > size))
        return dbg_error(dbg, NULL, "the bytes lie outside the %u that the program uses of %s",
                         size, pto_space_name(tile->space));
    address += (uint64_t)place.byte;
    *view = (struct dbg_view){
        .dtype = tile->dtype,
        .rows = (uint64_t)place.rows,
        .cols = (uint64_t)place.cols,
        .row = (uint64_t)place.row,
        .col = (uint64_t)place.col,
        .base = space ? space + address : NULL,
        .tile = tile,
    };
    pto_buf_printf(&view->title, "%s[%lld]: %s %u x %u %s in %s at 0x%llx, window (%llu, %llu)"
                   "{%llu, %llu}", tile->name, (long long)place.slot,
                   pto_dtype_name(tile->dtype), tile->rows, tile->cols,
                   pto_layout_name(tile->layout), pto_space_name(tile->space),
                   (unsigned long long)address, (unsigned long long)view->row,
                   (unsigned long long)view->col, (unsigned long long)view->rows,
                   (unsigned long long)view->cols);
    return true;
}

/* ---- objects ---- */

static bool read_rank(struct reader *r, int64_t *rank)
{
    struct expr_scope scope = {r->dbg, r->dbg->rank, r->dbg->core};
    const char *bracket;
    struct expr_value value;
    struct pto_buf error = {0};
    bool good;

    *rank = r->dbg->rank;
    if (!take(r, '@'))
        return true;
    bracket = r->at;
    good = expr_prefix(&scope, &r->at, &value, &error) && !value.is_float;
    pto_buf_free(&error);
    if (!good || value.i < 0 || value.i >= pto_vm_ranks(r->dbg->launch.vm))
        return dbg_error(r->dbg, NULL, "'%.*s' is no rank: they are 0 to %d",
                         (int)strcspn(bracket, "[{"), bracket,
                         pto_vm_ranks(r->dbg->launch.vm) - 1);
    *rank = value.i;
    return true;
}

/* Start indices and extent of a window of an object, which spans its last two dimensions. */
static bool read_window(struct reader *r, const struct pto_object_info *info, int64_t *index,
                        int64_t *rows, int64_t *cols)
{
    unsigned count = 0, last = info->dims - 1;
    bool given;

    if (take(r, '[') && !read_list(r, ']', index, PTO_MAX_DIMS, &count))
        return false;
    if (count > 0 && count != info->dims)
        return dbg_error(r->dbg, NULL, "'%s' has %u dimension%s, not %u", info->name, info->dims,
                         info->dims == 1 ? "" : "s", count);
    for (unsigned i = 0; i < info->dims; i++)
        if (!check_range(r->dbg, "indices", index[i], 0, info->dim[i]))
            return false;
    *rows = last > 0 ? (int64_t)info->dim[last - 1] - index[last - 1] : 1;
    *cols = (int64_t)info->dim[last] - index[last];
    if (!read_extent(r, rows, cols, &given) || !at_end(r))
        return false;
    return check_range(r->dbg, "rows", last > 0 ? index[last - 1] : 0, *rows,
                       last > 0 ? info->dim[last - 1] : 1) &&
           check_range(r->dbg, "columns", index[last], *cols, info->dim[last]);
}

static void object_title(struct dbg_view *view, const struct pto_object_info *info, int64_t rank,
                         const int64_t *index)
{
    pto_buf_printf(&view->title, "%s@%lld: %s ", info->name, (long long)rank,
                   pto_dtype_name(info->dtype));
    cli_shape_text(info->dim, info->dims, &view->title);
    pto_buf_printf(&view->title, ", window [");
    for (unsigned i = 0; i < info->dims; i++)
        pto_buf_printf(&view->title, "%s%lld", i > 0 ? ", " : "", (long long)index[i]);
    pto_buf_printf(&view->title, "]{%llu, %llu}", (unsigned long long)view->rows,
                   (unsigned long long)view->cols);
}

static bool parse_object(struct reader *r, const char *name, size_t length,
                         struct dbg_view *view)
{
    struct pto_object_info info;
    int64_t index[PTO_MAX_DIMS] = {0}, rank, rows, cols;
    unsigned last;

    if (!read_rank(r, &rank) || !find_object(r->dbg, (int)rank, name, length, &info))
        return false;
    if (!read_window(r, &info, index, &rows, &cols))
        return false;
    last = info.dims - 1;
    *view = (struct dbg_view){
        .dtype = info.dtype,
        .rows = (uint64_t)rows,
        .cols = (uint64_t)cols,
        .row = last > 0 ? (uint64_t)index[last - 1] : 0,
        .col = (uint64_t)index[last],
        .base = info.data,
        .row_stride = last > 0 ? info.stride[last - 1] * (int64_t)pto_dtype_size(info.dtype) : 0,
        .col_stride = info.stride[last] * (int64_t)pto_dtype_size(info.dtype),
    };
    for (unsigned i = 0; view->base && i + 2 < info.dims; i++)
        view->base += index[i] * info.stride[i] * (int64_t)pto_dtype_size(info.dtype);
    object_title(view, &info, rank, index);
    return true;
}

bool view_parse(struct dbg *dbg, const char *text, struct dbg_view *view)
{
    struct reader r = {dbg, text};
    size_t length = dbg_name_length(text);
    struct pto_object_info info;
    const struct pto_tile *tile = find_tile(dbg, text, length);

    r.at += length;
    if (tile)
        return parse_tile(&r, tile, view);
    if (find_object(dbg, dbg->rank, text, length, &info))
        return parse_object(&r, text, length, view);
    return complain_name(dbg, text, length);
}
