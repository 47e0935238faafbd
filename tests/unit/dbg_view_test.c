/* Windows of the debugger: how elements print, where they lie, what is said about them. */
#include "dbg_sample.h"

#include <math.h>

#include "dbg/expr.h"
#include "dbg/view.h"

static void assert_cell(const void *element, enum pto_dtype dtype, bool hex, const char *wanted)
{
    char text[32];

    view_cell(element, dtype, hex, text);
    assert_string_equal(text, wanted);
}

static void cells(void **state)
{
    (void)state;
    assert_cell(&(float){1.5f}, PTO_F32, false, "1.5");
    assert_cell(&(float){1.0f / 3}, PTO_F32, false, "0.333333");
    assert_cell(&(uint32_t){0xffffffff}, PTO_F32, false, "..");
    assert_cell(&(uint32_t){0x7fc00000}, PTO_F32, false, "nan");
    assert_cell(&(uint32_t){0xff800000}, PTO_F32, false, "-inf");
    assert_cell(&(uint32_t){0x3f800000}, PTO_F32, true, "0x3f800000");
    assert_cell(&(uint16_t){0x3c00}, PTO_F16, false, "1");
    assert_cell(&(uint16_t){0xffff}, PTO_F16, false, "..");
    assert_cell(&(uint16_t){0x3f80}, PTO_BF16, false, "1");
    assert_cell(&(uint8_t){0x38}, PTO_F8E4M3, false, "1");
    assert_cell(&(uint8_t){0xff}, PTO_F8E5M2, false, "..");
    assert_cell(&(int8_t){-1}, PTO_I8, false, "-1");
    assert_cell(&(uint8_t){255}, PTO_U8, false, "255");
    assert_cell(&(int8_t){-1}, PTO_I8, true, "0xff");
    assert_cell(&(int64_t){INT64_MIN}, PTO_I64, false, "-9223372036854775808");
    assert_cell(&(uint64_t){UINT64_MAX}, PTO_U64, false, "18446744073709551615");
}

/* An element of an NZ tile is found where the layout puts it: fractals of 16 x 16 f16. */
static void layout(void **state)
{
    struct pto_tile tile = {.name = "t", .space = PTO_L1, .dtype = PTO_F16, .layout = PTO_NZ,
                            .rows = 32, .cols = 32, .slots = 1};
    uint16_t data[32 * 32];
    struct dbg_view view = {.dtype = PTO_F16, .rows = 2, .cols = 2, .row = 17, .col = 18,
                            .base = (const uint8_t *)data, .tile = &tile};

    (void)state;
    /* column block 1 starts at 32 * 16, row block 1 in it 16 * 16 further, then (1, 2) */
    assert_ptr_equal(view_element(&view, 0, 0), &data[32 * 16 + 16 * 16 + 1 * 16 + 2]);
    assert_ptr_equal(view_element(&view, 1, 1), &data[32 * 16 + 16 * 16 + 2 * 16 + 3]);
}

static void table(void **state)
{
    float data[3][40];
    struct sample s;
    struct dbg_view view = {.dtype = PTO_F32, .rows = 3, .cols = 40, .base = (uint8_t *)data,
                            .row_stride = sizeof data[0], .col_stride = sizeof data[0][0]};

    (void)state;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 40; c++)
            data[r][c] = (float)(r * 100 + c);
    memset(&data[0][1], 0xff, sizeof(float));
    data[1][1] = (float)INFINITY;
    data[2][39] = (float)NAN;
    sample_open(&s, false);
    s.dbg->rows = 2;
    pto_buf_printf(&view.title, "data");
    view_say(s.dbg, &view, false);
    dbg_flush(s.dbg);
    assert_true(sample_says(&s, "data\n"));
    assert_true(sample_says(&s, "\n       0   0  ..   2"));
    assert_true(sample_says(&s, "\n       1 100 inf 102"));
    assert_false(sample_says(&s, "\n       2 "));
    assert_true(sample_says(&s, " ...\n     ...\n"));
    assert_true(sample_says(&s, "120 elements, from 0 to 238, 1 NaN, 1 Inf, 1 never written"));
    pto_buf_free(&view.title);
    sample_close(&s);
}

/* Columns of the numbers 1, 2, 3, ... that fit: a label of 8, for each column a space and as many
 * digits as the last number has, and " ..." for what is left out. */
static unsigned columns_that_fit(unsigned width)
{
    unsigned cols = 0;

    for (unsigned n = 1; n <= 200; n++)
        if (8 + n * (unsigned)(1 + snprintf(NULL, 0, "%u", n)) + 4 <= width)
            cols = n;
    return cols;
}

static void lines_fit(void **state)
{
    struct sample s;

    (void)state;
    sample_open(&s, false);
    assert_true(sample_do(&s, "run"));
    for (unsigned width = 40; width <= 200; width += 13) {
        unsigned cols = columns_that_fit(width), rows = 0;
        char line[64];

        snprintf(line, sizeof line, "set width %u", width);
        assert_true(sample_do(&s, line));
        assert_true(sample_do(&s, "print c"));
        /* the title is as long as it is */
        for (const char *at = strchr(pto_buf_text(&s.answer), '\n') + 1; *at == ' '; rows++) {
            size_t length = strcspn(at, "\n");

            assert_int_equal(length, 8 + cols * (unsigned)(1 + snprintf(NULL, 0, "%u", cols)) +
                                         (rows ? 4 : 0));
            at += length + 1;
        }
        assert_int_equal(rows, 2); /* numbers of the columns, and the one row */
    }
    sample_close(&s);
}

static bool find(struct dbg *dbg, const char *text, struct dbg_view *view)
{
    struct formula_standalone *s = expr_read(dbg, text, NULL);
    bool good = s && view_find(dbg, s, view);

    formula_free(s);
    return good;
}

static void windows(void **state)
{
    struct sample s;
    struct dbg_view view;

    (void)state;
    sample_open(&s, false);
    assert_true(sample_do(&s, "run"));
    assert_true(find(s.dbg, "c@0[100]{50}", &view));
    assert_int_equal(view.rows, 1);
    assert_int_equal(view.cols, 50);
    assert_true(pto_load_f64(view_element(&view, 0, 7), PTO_F32) == 108);
    pto_buf_free(&view.title);
    assert_true(find(s.dbg, "ta[1](0, 3){1, %half * 4 == 2}", &view));
    assert_int_equal(view.col, 3);
    assert_int_equal(view.cols, 1);
    assert_true(pto_load_f64(view_element(&view, 0, 0), PTO_F32) == 132);
    pto_buf_free(&view.title);
    sample_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells),     cmocka_unit_test(layout),  cmocka_unit_test(table),
        cmocka_unit_test(lines_fit), cmocka_unit_test(windows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
