/* Commands that hold windows against files: save and diff. */
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "data/npy.h"
#include "dbg/agree.h"
#include "dbg/expr.h"
#include "dbg/view.h"
#include "file.h"
#include "tool/number.h"

/* ---- arguments ---- */

/* The window that the first `length` bytes name; false: answered. */
static bool find_window(struct dbg *dbg, const char *text, size_t length, struct dbg_view *view)
{
    struct formula_standalone *s;
    char *window;
    bool good;

    while (length > 0 && strchr(" \t", text[length - 1]))
        length--;
    window = pto_xstrndup(text, length);
    s = expr_read(dbg, window, NULL);
    good = s != NULL;

    if (good && s->expr->kind != EX_REF)
        good = dbg_error(dbg, "for instance ta[0]{4, 8} or a@2", "'%s' is no window", window);
    good = good && view_find(dbg, s, view);
    if (good && !view->base)
        good = dbg_error(dbg, NULL, "nobody has written to that memory yet");
    formula_free(s);
    free(window);
    return good;
}

/* ---- save ---- */

/* false: answered. */
static bool may_write(struct dbg *dbg, const char *path)
{
    char *taken = cli_files_taken(dbg->options, &dbg->launch, path);

    if (taken)
        dbg_error(dbg, "give it a file of its own", "'%s' would replace %s", path, taken);
    free(taken);
    return !taken;
}

static bool write_window(struct dbg *dbg, const struct dbg_view *view, const char *path)
{
    uint64_t dim[2] = {view->rows, view->cols};
    bool flat = !view->tile && view->rows == 1; /* a list stays one */
    unsigned size = pto_dtype_size(view->dtype);
    struct pto_buf bytes = {0};
    const char *why = "";
    bool good;

    cli_npy_header((enum pto_dtype)view->dtype, flat ? dim + 1 : dim, flat ? 1 : 2, &bytes);
    for (uint64_t r = 0; r < view->rows; r++)
        for (uint64_t c = 0; c < view->cols; c++)
            pto_buf_append(&bytes, view_element(view, r, c), size);
    good = pto_file_write(path, bytes.data, bytes.size, &why) == PTO_OK;
    pto_buf_free(&bytes);
    if (!good)
        return dbg_error(dbg, NULL, "cannot write '%s': %s", path, why);
    dbg_say(dbg, "%s: %llu x %llu elements of %s\n", path, (unsigned long long)view->rows,
            (unsigned long long)view->cols, pto_dtype_name(view->dtype));
    return true;
}

bool cmd_save(struct dbg *dbg, const char *args)
{
    size_t length = strlen(args);
    char *path = dbg_last_word(args, &length);
    struct dbg_view view = {0};
    bool good;

    if (length == 0)
        good = dbg_error(dbg, "for instance: save ta[0] ta.npy", "save what, and where?");
    else
        good = find_window(dbg, args, length, &view) && may_write(dbg, path) &&
               write_window(dbg, &view, path);
    pto_buf_free(&view.title);
    free(path);
    return good;
}

/* ---- diff ---- */

/* What a file holds; its type may be another one than the window's. */
struct array {
    struct pto_buf bytes;
    struct cli_npy npy; /* its elements lie in the bytes, or were made of them */
    enum pto_dtype dtype;
};

struct difference {
    uint64_t count, row, col; /* how many, and the first */
    double most;              /* between finite values */
};

/* Does an element agree with that of the file?  NaN do with NaN. */
static bool agrees(const struct dbg_view *view, uint64_t row, uint64_t col,
                   const struct array *file, double tolerance, double *distance)
{
    const struct agree_pair pair = {
        view_element(view, row, col),
        file->npy.data + (row * view->cols + col) * pto_dtype_size(file->dtype),
        (enum pto_dtype)view->dtype, file->dtype};

    return agree(&pair, 0, tolerance, distance);
}

static struct difference compare(const struct dbg_view *view, const struct array *file,
                                 double tolerance)
{
    struct difference d = {0};
    double distance;

    for (uint64_t r = 0; r < view->rows; r++)
        for (uint64_t c = 0; c < view->cols; c++) {
            if (agrees(view, r, c, file, tolerance, &distance))
                continue;
            if (d.count++ == 0) {
                d.row = r;
                d.col = c;
            }
            d.most = distance > d.most ? distance : d.most;
        }
    return d;
}

/* Where they differ: a cell is 'X' if one of its elements does. */
static void say_map(struct dbg *dbg, const struct dbg_view *view, const struct array *file,
                    double tolerance)
{
    uint64_t rows = view->rows < dbg->rows ? view->rows : dbg->rows;
    uint64_t cols = view->cols < dbg->width - 2 ? view->cols : dbg->width - 2;
    char *map = pto_xmalloc(rows * cols);
    double distance;

    memset(map, '.', rows * cols);
    for (uint64_t r = 0; r < view->rows; r++)
        for (uint64_t c = 0; c < view->cols; c++)
            if (!agrees(view, r, c, file, tolerance, &distance))
                map[r * rows / view->rows * cols + c * cols / view->cols] = 'X';
    for (uint64_t r = 0; r < rows; r++)
        dbg_say(dbg, "|%.*s|\n", (int)cols, map + r * cols);
    free(map);
}

static void say_difference(struct dbg *dbg, const struct dbg_view *view,
                           const struct array *file, double tolerance)
{
    struct difference d = compare(view, file, tolerance);
    char here[32], there[32];

    if (d.count == 0) {
        dbg_say(dbg, "All %llu elements agree.\n", (unsigned long long)(view->rows * view->cols));
        return;
    }
    view_cell(view_element(view, d.row, d.col), (enum pto_dtype)view->dtype, false, here);
    view_cell(file->npy.data + (d.row * view->cols + d.col) * pto_dtype_size(file->dtype),
              file->dtype, false, there);
    dbg_say(dbg, "%llu of %llu elements differ, by at most %g; "
            "the first at row %llu, column %llu: ",
            (unsigned long long)d.count, (unsigned long long)(view->rows * view->cols), d.most,
            (unsigned long long)(view->row + d.row), (unsigned long long)(view->col + d.col));
    dbg_say(dbg, "%s here, %s in the file\n", here, there);
    say_map(dbg, view, file, tolerance);
}

/* bf16 and fp8 travel as unsigned integers of their size. */
static int wanted_type(const struct dbg_view *view, const struct cli_npy *npy)
{
    bool bits = pto_dtype_is_float(view->dtype) && npy->kind == 'u' &&
                npy->itemsize == pto_dtype_size(view->dtype);

    return bits ? view->dtype : -1;
}

static bool read_array(struct dbg *dbg, const char *path, const struct dbg_view *view,
                       struct array *file)
{
    struct cli_npy *npy = &file->npy;
    struct pto_diags diags = {0};
    const char *why = "";
    bool good = pto_file_read(path, PTO_FILE_DATA, &file->bytes, &why) == PTO_OK;

    if (!good)
        dbg_error(dbg, NULL, "cannot read '%s': %s", path, why);
    else
        good = cli_npy_read(file->bytes.data, file->bytes.size, path, npy, &diags) == PTO_OK &&
               cli_npy_dtype(npy, wanted_type(view, npy), path, &file->dtype, &diags) == PTO_OK;
    for (const struct pto_diag *diag = diags.first; diag; diag = diag->next)
        dbg_error(dbg, diag->hint, "%s", diag->message);
    if (good && (npy->count != view->rows * view->cols ||
                 (npy->dims > 1 && npy->dim[npy->dims - 1] != view->cols)))
        good = dbg_error(dbg, NULL, "the file has %llu elements in another shape than %llu x %llu",
                         (unsigned long long)npy->count, (unsigned long long)view->rows,
                         (unsigned long long)view->cols);
    pto_diags_free(&diags);
    return good;
}

/* WINDOW FILE [TOLERANCE]: a number behind the file is none. */
bool cmd_diff(struct dbg *dbg, const char *args)
{
    size_t length = strlen(args);
    char *path = dbg_last_word(args, &length), *end;
    struct dbg_view view = {0};
    struct array file = {0};
    double tolerance = strtod(path, &end);
    bool good;

    if (*path && *end == '\0') {
        free(path);
        path = dbg_last_word(args, &length);
    } else {
        tolerance = 0;
    }
    if (length == 0)
        good = dbg_error(dbg, "for instance: diff ta[0] ta.npy 1e-6",
                         "diff what, with which file?");
    else if (!(tolerance >= 0))
        good = dbg_error(dbg, NULL, "a tolerance is not negative");
    else
        good = find_window(dbg, args, length, &view) && read_array(dbg, path, &view, &file);
    if (good)
        say_difference(dbg, &view, &file, tolerance);
    free(file.npy.made);
    pto_buf_free(&file.bytes);
    pto_buf_free(&view.title);
    free(path);
    return good;
}
