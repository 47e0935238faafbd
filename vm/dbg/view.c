#include "dbg/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_BYTES = 32, ROW_LABEL = 8 };

int64_t view_distance(const struct dbg_view *view, uint64_t row, uint64_t col)
{
    uint64_t r = view->row + row, c = view->col + col;

    if (view->tile)
        return (int64_t)(pto_tile_offset(view->tile, (uint32_t)r, (uint32_t)c) *
                         pto_dtype_size(view->dtype));
    return (int64_t)r * view->row_stride + (int64_t)c * view->col_stride;
}

const uint8_t *view_element(const struct dbg_view *view, uint64_t row, uint64_t col)
{
    return view->base + view_distance(view, row, col);
}

bool view_is_unwritten(const uint8_t *element, enum pto_dtype dtype)
{
    for (unsigned i = 0; i < pto_dtype_size(dtype); i++)
        if (element[i] != 0xff)
            return false;
    return true;
}

void view_cell(const uint8_t *element, enum pto_dtype dtype, bool hex, char text[CELL_BYTES])
{
    unsigned size = pto_dtype_size(dtype);
    uint64_t bits = 0;

    memcpy(&bits, element, size);
    if (hex)
        snprintf(text, CELL_BYTES, "0x%0*llx", (int)size * 2, (unsigned long long)bits);
    else if (pto_dtype_is_float(dtype) && view_is_unwritten(element, dtype))
        snprintf(text, CELL_BYTES, "..");
    else if (pto_dtype_is_float(dtype))
        snprintf(text, CELL_BYTES, "%.*g", size == 4 ? 6 : size == 2 ? 5 : 4,
                 pto_load_f64(element, dtype));
    else if (dtype == PTO_U64)
        snprintf(text, CELL_BYTES, "%llu", (unsigned long long)bits);
    else
        snprintf(text, CELL_BYTES, "%lld", (long long)pto_load_int(element, dtype));
}

/* ---- the table ---- */

/* Widest text in a column, its number included. */
static unsigned column_width(const struct dbg_view *view, uint64_t rows, uint64_t col, bool hex)
{
    char text[CELL_BYTES];
    size_t width = (size_t)snprintf(text, sizeof text, "%llu",
                                    (unsigned long long)(view->col + col));

    for (uint64_t r = 0; r < rows; r++) {
        view_cell(view_element(view, r, col), view->dtype, hex, text);
        width = strlen(text) > width ? strlen(text) : width;
    }
    return (unsigned)width;
}

/* As many columns as fit, at least one; *width is that of each. */
static uint64_t fitting_columns(const struct dbg *dbg, const struct dbg_view *view, uint64_t rows,
                                bool hex, unsigned *width)
{
    unsigned room = dbg->width > ROW_LABEL + 4 ? dbg->width - ROW_LABEL - 4 : 1;
    uint64_t cols = 0;

    *width = 1;
    while (cols < view->cols) {
        unsigned wider = column_width(view, rows, cols, hex);

        wider = wider > *width ? wider : *width;
        if (cols > 0 && (wider + 1) * (cols + 1) > room)
            break;
        *width = wider;
        cols++;
    }
    return cols;
}

static void say_header(struct dbg *dbg, const struct dbg_view *view, uint64_t cols,
                       unsigned width)
{
    dbg_say(dbg, "%*s", ROW_LABEL, "");
    for (uint64_t c = 0; c < cols; c++)
        dbg_say(dbg, " %*llu", (int)width, (unsigned long long)(view->col + c));
    dbg_say(dbg, "\n");
}

static void say_table(struct dbg *dbg, const struct dbg_view *view, bool hex)
{
    uint64_t rows = view->rows < dbg->rows ? view->rows : dbg->rows;
    unsigned width;
    uint64_t cols = fitting_columns(dbg, view, rows, hex, &width);

    say_header(dbg, view, cols, width);
    for (uint64_t r = 0; r < rows; r++) {
        dbg_say(dbg, "%*llu", ROW_LABEL, (unsigned long long)(view->row + r));
        for (uint64_t c = 0; c < cols; c++) {
            char text[CELL_BYTES];

            view_cell(view_element(view, r, c), view->dtype, hex, text);
            dbg_say(dbg, " %*s", (int)width, text);
        }
        dbg_say(dbg, "%s\n", cols < view->cols ? " ..." : "");
    }
    if (rows < view->rows)
        dbg_say(dbg, "%*s\n", ROW_LABEL, "...");
}

/* ---- what is among the elements ---- */

struct summary {
    uint64_t nan, inf, ones;
    bool any;
    const uint8_t *least, *most;
};

static bool less(const uint8_t *a, const uint8_t *b, enum pto_dtype dtype)
{
    if (dtype == PTO_U64) {
        uint64_t x, y;

        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        return x < y;
    }
    if (!pto_dtype_is_float(dtype))
        return pto_load_int(a, dtype) < pto_load_int(b, dtype);
    return pto_load_f64(a, dtype) < pto_load_f64(b, dtype);
}

static void count_element(struct summary *s, const uint8_t *element, enum pto_dtype dtype)
{
    bool is_float = pto_dtype_is_float(dtype), ones = view_is_unwritten(element, dtype);
    double value = is_float ? pto_load_f64(element, dtype) : 0;

    s->ones += ones;
    if (isnan(value)) {
        s->nan += !ones;
        return;
    }
    if (isinf(value)) {
        s->inf++;
        return;
    }
    if (!s->any || less(element, s->least, dtype))
        s->least = element;
    if (!s->any || less(s->most, element, dtype))
        s->most = element;
    s->any = true;
}

static void say_summary(struct dbg *dbg, const struct dbg_view *view)
{
    struct summary s = {0};
    bool is_float = pto_dtype_is_float(view->dtype);
    char least[CELL_BYTES], most[CELL_BYTES];

    for (uint64_t r = 0; r < view->rows; r++)
        for (uint64_t c = 0; c < view->cols; c++)
            count_element(&s, view_element(view, r, c), view->dtype);
    dbg_say(dbg, "%llu element%s", (unsigned long long)(view->rows * view->cols),
            view->rows * view->cols == 1 ? "" : "s");
    if (s.any) {
        view_cell(s.least, view->dtype, false, least);
        view_cell(s.most, view->dtype, false, most);
        dbg_say(dbg, ", from %s to %s", least, most);
    }
    if (is_float)
        dbg_say(dbg, ", %llu NaN, %llu Inf, %llu never written (..)", (unsigned long long)s.nan,
                (unsigned long long)s.inf, (unsigned long long)s.ones);
    else if (s.ones > 0)
        dbg_say(dbg, ", %llu of them all ones: that value, or never written",
                (unsigned long long)s.ones);
    dbg_say(dbg, "\n");
}

void view_say(struct dbg *dbg, const struct dbg_view *view, bool hex)
{
    dbg_say(dbg, "%.*s\n", (int)view->title.size, (const char *)view->title.data);
    if (view->rows == 0 || view->cols == 0 || !view->base) {
        dbg_say(dbg, view->base ? "no elements\n" : "never written\n");
        return;
    }
    say_table(dbg, view, hex);
    say_summary(dbg, view);
}
