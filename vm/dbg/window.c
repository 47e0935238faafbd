/* Windows that print shows, see view.h. */
#include <string.h>

#include "cli/data.h"
#include "core_name.h"
#include "dbg/expr.h"
#include "dbg/view.h"

/* What is asked for: a name with what follows it. */
struct request {
    struct dbg *dbg;
    struct formula_standalone *s;
    const struct asm_expr *expr;
    const char *name;
};

/* ---- names ---- */

/* A tile of the focused sub-core's program, or the only one that macro uses made of it. */
static const struct pto_tile *find_tile(const struct dbg *dbg, const char *name)
{
    struct pto_core_info info;
    const struct pto_tile *only = NULL;
    unsigned copies = 0;

    dbg_focused(dbg, &info);
    for (uint32_t i = 0; info.module && i < info.code->tiles; i++) {
        const struct pto_tile *tile = &info.code->tile[i];

        if (!strcmp(tile->name, name))
            return tile;
        if (dbg_is_copy(tile->name, name, strlen(name))) {
            only = tile;
            copies++;
        }
    }
    return copies == 1 ? only : NULL;
}

static bool find_object(const struct dbg *dbg, int rank, const char *name,
                        struct pto_object_info *info)
{
    int number = pto_vm_find_object(dbg->launch.vm, name);

    return number >= 0 && pto_vm_object(dbg->launch.vm, rank, (unsigned)number, info);
}

bool view_is_name(const struct dbg *dbg, const char *name)
{
    struct pto_object_info info;

    return find_tile(dbg, name) || find_object(dbg, dbg->rank, name, &info);
}

/* A view of an object of this kernel: say of which.  False: it is none. */
static bool complain_view(struct dbg *dbg, const struct pto_kernel *kernel, const char *name)
{
    for (uint32_t i = 0; i < kernel->objects; i++)
        if (kernel->object[i].base >= 0 && !strcmp(kernel->object[i].name, name)) {
            dbg_error(dbg, NULL, "'%s' is a view: print the object '%s' that it shows", name,
                      kernel->object[kernel->object[i].base].name);
            return true;
        }
    return false;
}

/* A tile that is not the one of the focused sub-core's program, or not the only one. */
static bool complain_tile(struct dbg *dbg, const struct pto_kernel *kernel, unsigned kind,
                          const char *name)
{
    for (uint32_t i = 0; i < kernel->core[kind].tiles; i++) {
        const char *tile = kernel->core[kind].tile[i].name;

        if (dbg_is_copy(tile, name, strlen(name))) {
            dbg_error(dbg, "'info tiles' lists them",
                      "'%s' is the tile of several macro uses: write the number of one, as in %s",
                      name, tile);
            return true;
        }
        if (!strcmp(tile, name)) {
            dbg_error(dbg, "focus on one that runs it",
                      "tile '%s' belongs to the %s sub-cores of %s", name,
                      pto_core_names[kind], kernel->name);
            return true;
        }
    }
    return false;
}

/* Nothing is called so: a view of an object, a tile of another program, a slip of the fingers? */
static bool complain_name(struct dbg *dbg, const char *name)
{
    struct pto_core_info info;

    dbg_focused(dbg, &info);
    for (unsigned k = 0; k < dbg->launch.kernels; k++) {
        const struct pto_kernel *kernel = cli_kernel_of(&dbg->launch.kernel[k]);

        if (complain_view(dbg, kernel, name))
            return false;
        for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
            if (complain_tile(dbg, kernel, kind, name))
                return false;
    }
    return dbg_error(dbg, info.module
                              ? "'info registers', 'info tiles' and 'info objects' list the names"
                              : "the sub-core in focus has no program now, so no registers",
                     "nothing is called '%s' here", name);
}

/* ---- pieces ---- */

static bool read_int(const struct request *r, const struct asm_expr *expr, int64_t *value)
{
    struct expr_scope scope = {r->dbg, r->dbg->rank, r->dbg->core, NULL};

    return expr_int_or_answer(&scope, r->s, expr, value);
}

/* The integers of a list, at most `limit`; *count is 0 where the list is not written. */
static bool read_list(const struct request *r, const struct asm_list *list, int64_t *value,
                      unsigned limit, unsigned *count)
{
    *count = 0;
    if (!list)
        return true;
    if (list->count > limit)
        return dbg_error(r->dbg, NULL, "%u numbers for '%s' where at most %u may stand",
                         list->count, r->name, limit);
    for (const struct asm_expr *x = list->first; x; x = x->next)
        if (!read_int(r, x, &value[(*count)++]))
            return false;
    return true;
}

/* {rows, cols}, or {cols} for one row; not written: both stay. */
static bool read_extent(const struct request *r, int64_t *rows, int64_t *cols)
{
    int64_t value[2];
    unsigned count;

    if (!read_list(r, r->expr->brace, value, 2, &count))
        return false;
    if (count > 0) {
        *rows = count == 2 ? value[0] : 1;
        *cols = value[count - 1];
    }
    return true;
}

/* Is 0 <= first and first + size <= limit? */
static bool check_range(struct dbg *dbg, const char *what, int64_t first, int64_t size,
                        uint64_t limit)
{
    if (first >= 0 && size >= 0 && (uint64_t)first <= limit &&
        (uint64_t)size <= limit - (uint64_t)first)
        return true;
    if ((size == 0 || size == 1) && limit > 0)
        return dbg_error(dbg, NULL, "there is no %s %lld: they are 0 to %llu", what,
                         (long long)first, (unsigned long long)limit - 1);
    return dbg_error(dbg, NULL, "%ss %lld to %lld: there are %llu", what, (long long)first,
                     (long long)((uint64_t)first + (uint64_t)size - (size != 0)),
                     (unsigned long long)limit);
}

/* ---- tiles ---- */

struct tile_place {
    int64_t slot, row, col, byte, rows, cols;
};

/* Offset (row, col), or (byte) of a tile over another one. */
static bool read_offset(const struct request *r, const struct pto_tile *tile,
                        struct tile_place *place)
{
    int64_t offset[2] = {0, 0};
    unsigned count;

    if (!read_list(r, r->expr->paren, offset, 2, &count))
        return false;
    if (count == 1 && tile->parent == PTO_NONE)
        return dbg_error(r->dbg, "write (row, col)",
                         "only a tile over another one has a byte offset");
    place->byte = count == 1 ? offset[0] : 0;
    place->row = count == 2 ? offset[0] : 0;
    place->col = count == 2 ? offset[1] : 0;
    return check_range(r->dbg, "row", place->row, 0, tile->rows) &&
           check_range(r->dbg, "column", place->col, 0, tile->cols);
}

static bool read_tile(const struct request *r, const struct pto_tile *tile,
                      struct tile_place *place)
{
    unsigned count;

    *place = (struct tile_place){0};
    if (r->expr->rank)
        return dbg_error(r->dbg, "focus on that rank", "a tile has no other ranks");
    if (!read_list(r, r->expr->index, &place->slot, 1, &count) || !read_offset(r, tile, place))
        return false;
    place->rows = tile->rows - place->row;
    place->cols = tile->cols - place->col;
    return read_extent(r, &place->rows, &place->cols) &&
           check_range(r->dbg, "slot", place->slot, 1, tile->slots) &&
           check_range(r->dbg, "row", place->row, place->rows, tile->rows) &&
           check_range(r->dbg, "column", place->col, place->cols, tile->cols);
}

/* The sub-core whose memory the tile lies in: of what is sent to vector sub-cores the first one. */
static unsigned home_of(const struct dbg *dbg, const struct pto_tile *tile)
{
    unsigned per_block = pto_profile_sub_cores(&dbg->launch.profile);
    unsigned first = dbg->core / per_block * per_block;
    bool cube = dbg->core == first;

    if ((pto_spaces[tile->space].core == PTO_AIC) == cube)
        return dbg->core;
    return cube ? first + 1 : first;
}

static bool view_tile(const struct request *r, const struct pto_tile *tile, struct dbg_view *view)
{
    struct dbg *dbg = r->dbg;
    struct tile_place place;
    const uint8_t *space;
    unsigned core;
    uint32_t size;
    uint64_t address;

    if (!read_tile(r, tile, &place))
        return false;
    core = home_of(dbg, tile);
    space = pto_vm_space(dbg->launch.vm, dbg->rank, core, tile->space, &size);
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
        .place = {dbg->rank, (int)core, tile->space},
        .offset = address,
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

static bool read_rank(const struct request *r, int64_t *rank)
{
    *rank = r->dbg->rank;
    if (r->expr->rank && !read_int(r, r->expr->rank, rank))
        return false;
    if (*rank >= 0 && *rank < pto_vm_ranks(r->dbg->launch.vm))
        return true;
    return dbg_error(r->dbg, NULL, "'%lld' is no rank: they are 0 to %d", (long long)*rank,
                     pto_vm_ranks(r->dbg->launch.vm) - 1);
}

/* Start indices and extent of a window of an object, which spans its last two dimensions. */
static bool read_window(const struct request *r, const struct pto_object_info *info,
                        int64_t *index, int64_t *rows, int64_t *cols)
{
    unsigned count = 0, last = info->dims - 1;

    if (r->expr->paren)
        return dbg_error(r->dbg, "write [index]", "only tiles have an offset (row, col)");
    if (!read_list(r, r->expr->index, index, PTO_MAX_DIMS, &count))
        return false;
    if (count > 0 && count != info->dims)
        return dbg_error(r->dbg, NULL, "'%s' has %u dimension%s, not %u", info->name, info->dims,
                         info->dims == 1 ? "" : "s", count);
    for (unsigned i = 0; i < info->dims; i++)
        if (!check_range(r->dbg, "index", index[i], 0, info->dim[i]))
            return false;
    *rows = last > 0 ? (int64_t)info->dim[last - 1] - index[last - 1] : 1;
    *cols = (int64_t)info->dim[last] - index[last];
    if (!read_extent(r, rows, cols))
        return false;
    return check_range(r->dbg, "row", last > 0 ? index[last - 1] : 0, *rows,
                       last > 0 ? info->dim[last - 1] : 1) &&
           check_range(r->dbg, "column", index[last], *cols, info->dim[last]);
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

static bool view_object(const struct request *r, struct dbg_view *view)
{
    struct pto_object_info info;
    int64_t index[PTO_MAX_DIMS] = {0}, rank, rows, cols;
    unsigned last;

    if (!read_rank(r, &rank) || !find_object(r->dbg, (int)rank, r->name, &info))
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
        .place = {(int)rank, -1, (unsigned)pto_vm_find_object(r->dbg->launch.vm, r->name)},
        .row_stride = last > 0 ? info.stride[last - 1] * (int64_t)pto_dtype_size(info.dtype) : 0,
        .col_stride = info.stride[last] * (int64_t)pto_dtype_size(info.dtype),
    };
    for (unsigned i = 0; i + 2 < info.dims; i++)
        view->offset += (uint64_t)(index[i] * info.stride[i]) * pto_dtype_size(info.dtype);
    if (view->base)
        view->base += view->offset;
    object_title(view, &info, rank, index);
    return true;
}

bool view_find(struct dbg *dbg, struct formula_standalone *s, struct dbg_view *view)
{
    struct request r = {dbg, s, s->expr, s->expr->token->text};
    struct pto_object_info info;
    const struct pto_tile *tile = find_tile(dbg, r.name);

    if (tile)
        return view_tile(&r, tile, view);
    if (find_object(dbg, dbg->rank, r.name, &info))
        return view_object(&r, view);
    return complain_name(dbg, r.name);
}
