#include "dbg/heat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/source.h"
#include "dbg/valid.h"

static const char SCALE[] = " .:-=+*#%@";
enum { STEPS = sizeof SCALE - 1 };

/* What has fallen into a cell so far. */
struct sum {
    double value;
    uint64_t count, unwritten;
    bool nan, inf;
};

static void add_element(struct dbg_heat *heat, struct sum *sum, const uint8_t *element,
                        enum pto_dtype dtype)
{
    bool is_float = pto_dtype_is_float(dtype);
    double value = is_float ? pto_load_f64(element, dtype) : (double)pto_load_int(element, dtype);

    if (is_float && view_is_unwritten(element, dtype)) {
        sum->unwritten++;
        return;
    }
    sum->nan = sum->nan || isnan(value);
    sum->inf = sum->inf || isinf(value);
    if (!isfinite(value))
        return;
    heat->low = heat->any && heat->low <= value ? heat->low : value;
    heat->high = heat->any && heat->high >= value ? heat->high : value;
    heat->any = true;
    sum->value += value;
    sum->count++;
}

static char cell_of(const struct dbg_heat *heat, const struct sum *sum)
{
    double range = heat->high - heat->low, mean;

    if (sum->nan)
        return 'N';
    if (sum->inf)
        return 'I';
    if (sum->count == 0)
        return '_';
    mean = sum->value / (double)sum->count;
    if (!(range > 0) || !isfinite(range) || !isfinite(mean))
        return SCALE[STEPS / 2];
    return SCALE[(unsigned)fmin((mean - heat->low) / range * STEPS, STEPS - 1)];
}

/* The first and the last cell of a span of elements, and whether there are cells before and behind;
 * `from` counts from the first element of the window, which has `count`. */
struct edge {
    int64_t first, last;
    bool before, behind;
};

static struct edge edge_of(uint64_t from, uint64_t size, uint64_t origin, uint64_t count,
                           unsigned cells)
{
    uint64_t low = from > origin ? from - origin : 0;
    uint64_t high = from + size > origin ? from + size - origin : 0;
    struct edge e = {0, -1, low > 0, high < count};

    high = high < count ? high : count;
    if (low < high) {
        e.first = (int64_t)(low * cells / count);
        e.last = (int64_t)((high - 1) * cells / count);
    }
    return e;
}

static void put(struct dbg_heat *heat, int64_t row, int64_t col, char what)
{
    if (row < 0 || col < 0 || row >= heat->rows || col >= heat->cols)
        return;
    heat->cell[(size_t)row * heat->cols + (size_t)col] = what;
    heat->boxed = true;
}

static void draw_box(struct dbg_heat *heat, const struct dbg_view *view,
                     const struct dbg_valid *valid)
{
    struct edge r = edge_of(valid->row, valid->rows, view->row, view->rows, heat->rows);
    struct edge c = edge_of(valid->col, valid->cols, view->col, view->cols, heat->cols);

    if (r.last < r.first || c.last < c.first)
        return;
    for (int64_t row = r.first - r.before; row <= r.last + r.behind; row++) {
        bool corner = row < r.first || row > r.last;

        if (c.before)
            put(heat, row, c.first - 1, corner ? '+' : '|');
        if (c.behind)
            put(heat, row, c.last + 1, corner ? '+' : '|');
        for (int64_t col = c.first; col <= c.last && corner; col++)
            put(heat, row, col, '-');
    }
}

struct dbg_heat heat_make(struct dbg *dbg, const struct dbg_view *view, unsigned rows,
                          unsigned cols)
{
    struct dbg_valid valid;
    struct dbg_heat heat = {.rows = (unsigned)(view->rows < rows ? view->rows : rows),
                            .cols = (unsigned)(view->cols < cols ? view->cols : cols)};
    size_t cells = (size_t)heat.rows * heat.cols;
    struct sum *sum = pto_xcalloc(cells + 1, sizeof *sum);

    heat.cell = pto_xmalloc(cells + 1);
    for (uint64_t r = 0; r < view->rows && view->base; r++)
        for (uint64_t c = 0; c < view->cols; c++)
            add_element(&heat,
                        &sum[r * heat.rows / view->rows * heat.cols + c * heat.cols / view->cols],
                        view_element(view, r, c), (enum pto_dtype)view->dtype);
    for (size_t i = 0; i < cells; i++)
        heat.cell[i] = cell_of(&heat, &sum[i]);
    if (valid_find(dbg, view, &valid))
        draw_box(&heat, view, &valid);
    free(sum);
    return heat;
}

static void say_valid(struct dbg *dbg, const struct dbg_view *view)
{
    struct dbg_valid valid;
    struct dbg_place place;

    if (!valid_find(dbg, view, &valid) ||
        !source_place_of_insn(dbg, valid.record->event.insn, &place))
        return;
    dbg_say(dbg, "the edge of | - + is that of the last valid region: ");
    source_say_issued(dbg, &place, valid.record->issue);
    dbg_say(dbg, ", event %llu\n", (unsigned long long)valid.record->number);
}

void heat_say(struct dbg *dbg, const struct dbg_view *view)
{
    struct dbg_heat heat = heat_make(dbg, view, dbg->rows, dbg->width - 2);

    dbg_say(dbg, "%.*s\n", (int)view->title.size, (const char *)view->title.data);
    for (unsigned r = 0; r < heat.rows; r++)
        dbg_say(dbg, "|%.*s|\n", (int)heat.cols, heat.cell + (size_t)r * heat.cols);
    if (heat.any)
        dbg_say(dbg, "'%c' %g to '%c' %g; ", SCALE[0], heat.low, SCALE[STEPS - 1], heat.high);
    dbg_say(dbg, "N NaN, I infinite, _ never written; a cell is up to %llu x %llu elements\n",
            (unsigned long long)((view->rows + heat.rows - 1) / (heat.rows + !heat.rows)),
            (unsigned long long)((view->cols + heat.cols - 1) / (heat.cols + !heat.cols)));
    if (heat.boxed)
        say_valid(dbg, view);
    free(heat.cell);
}
