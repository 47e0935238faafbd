/* Tiles and objects as variables: rows of elements, one page at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/adapter.h"
#include "dbg/expr.h"
#include "dbg/view.h"

enum { CELL_BYTES = 32, NAME_BYTES = 600 };

/* The window that `text` names; false: answered in dap->answer. */
static bool find(struct dap *dap, const char *text, struct dbg_view *view)
{
    struct formula_standalone *s;
    bool good;

    dap->answer.size = 0;
    dap->capturing = true;
    s = expr_read(dap->dbg, text, NULL);
    good = s && s->expr->kind == EX_REF && view_find(dap->dbg, s, view);
    formula_free(s);
    dbg_flush(dap->dbg);
    dap->capturing = false;
    return good;
}

/* ---- names of elements ---- */

/* Is the window of an object, whose indices stand in brackets, with the rank before them? */
static bool is_object(const char *window)
{
    return strchr(window, '@') != NULL;
}

static int element(const char *window, uint64_t row, uint64_t col, bool one_row, char *text,
                   size_t size)
{
    if (!is_object(window))
        return snprintf(text, size, "%s(%llu, %llu)", window, (unsigned long long)row,
                        (unsigned long long)col);
    if (one_row)
        return snprintf(text, size, "%s[%llu]", window, (unsigned long long)col);
    return snprintf(text, size, "%s[%llu, %llu]", window, (unsigned long long)row,
                    (unsigned long long)col);
}

/* "[12]" */
static bool read_index(const char *variable, uint64_t *index)
{
    char *end;

    if (*variable != '[' || variable[1] < '0' || variable[1] > '9')
        return false;
    *index = strtoull(variable + 1, &end, 10);
    return !strcmp(end, "]");
}

bool dap_element_name(const struct dap_handle *handle, const char *variable, char *text,
                      size_t size)
{
    uint64_t col;
    int length;

    if ((handle->kind != DAP_WINDOW && handle->kind != DAP_ROW) || !read_index(variable, &col))
        return false;
    length = element(handle->name, handle->kind == DAP_ROW ? handle->index : 0, col,
                     handle->kind == DAP_WINDOW, text, size);
    return length > 0 && (size_t)length < size;
}

/* ---- contents ---- */

static void add_element(json_t *list, const struct dbg_view *view, const char *window,
                        uint64_t row, uint64_t col)
{
    static const char one[] = "{1, 1}"; /* without it, all from there on */
    char index[32], value[CELL_BYTES] = "..", name[NAME_BYTES];
    json_t *variable;
    int length;

    if (view->base)
        view_cell(view_element(view, row, col), (enum pto_dtype)view->dtype, false, value);
    snprintf(index, sizeof index, "[%llu]", (unsigned long long)col);
    variable = dap_variable(index, value, pto_dtype_name(view->dtype), 0);
    length = element(window, row, col, view->rows == 1, name, sizeof name);
    if (length + (int)sizeof one <= (int)sizeof name) {
        memcpy(name + length, one, sizeof one);
        json_object_set_new(variable, "evaluateName", dap_string(name));
    }
    json_array_append_new(list, variable);
}

/* The first elements of a row, and whether there are more. */
static void preview(const struct dbg_view *view, uint64_t row, struct pto_buf *text)
{
    enum { SHOWN = 8 };
    char value[CELL_BYTES] = "..";

    for (uint64_t c = 0; c < view->cols && c < SHOWN; c++) {
        if (view->base)
            view_cell(view_element(view, row, c), (enum pto_dtype)view->dtype, false, value);
        pto_buf_printf(text, "%s%s", c > 0 ? " " : "", value);
    }
    if (view->cols > SHOWN)
        pto_buf_printf(text, " ...");
}

static void add_row(struct dap *dap, json_t *list, const struct dbg_view *view,
                    const char *window, uint64_t row)
{
    struct pto_buf text = {0};
    char index[32];
    json_t *variable;

    preview(view, row, &text);
    snprintf(index, sizeof index, "[%llu]", (unsigned long long)row);
    variable = dap_variable(index, pto_buf_text(&text), NULL,
                            dap_handle(dap, DAP_ROW, row, window));
    json_object_set_new(variable, "indexedVariables", json_integer((json_int_t)view->cols));
    json_array_append_new(list, variable);
    pto_buf_free(&text);
}

json_t *dap_window_contents(struct dap *dap, const struct dap_handle *handle, uint64_t first,
                            uint64_t count)
{
    char window[NAME_BYTES];
    struct dbg_view view = {0};
    bool elements;
    uint64_t end;
    json_t *list;

    if (snprintf(window, sizeof window, "%s", handle->name) >= (int)sizeof window ||
        !find(dap, window, &view)) {
        pto_buf_free(&view.title);
        return NULL;
    }
    elements = handle->kind == DAP_ROW || view.rows == 1;
    end = elements ? view.cols : view.rows;
    list = json_array();
    for (uint64_t i = first; i < end && i - first < count; i++) {
        if (elements)
            add_element(list, &view, window, handle->kind == DAP_ROW ? handle->index : 0, i);
        else
            add_row(dap, list, &view, window, i);
    }
    pto_buf_free(&view.title);
    return list;
}

json_t *dap_window(struct dap *dap, const char *name)
{
    struct dbg_view view = {0};
    struct pto_buf value = {0};
    json_t *row = NULL;

    if (find(dap, name, &view)) {
        const char *title = pto_buf_text(&view.title), *colon = strstr(title, ": ");
        uint64_t elements = view.rows == 1 ? view.cols : view.rows;

        pto_buf_printf(&value, "%s", colon ? colon + 2 : title);
        row = dap_variable(name, pto_buf_text(&value), pto_dtype_name(view.dtype),
                           dap_handle(dap, DAP_WINDOW, 0, name));
        json_object_set_new(row, "indexedVariables", json_integer((json_int_t)elements));
        json_object_set_new(row, "evaluateName", dap_string(name));
        json_object_set_new(row, "memoryReference", dap_memory_reference(dap->dbg, &view));
    }
    pto_buf_free(&view.title);
    pto_buf_free(&value);
    return row;
}
