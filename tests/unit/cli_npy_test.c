/* .npy files: what the reader accepts, converts and refuses, and that the writer's output reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/npy.h"

/* A version-`version` file with this header text and these data. */
static void make(struct pto_buf *out, int version, const char *header, const void *data,
                 size_t size)
{
    size_t length = strlen(header);
    out->size = 0;
    pto_buf_append(out, "\x93NUMPY", 6);
    pto_buf_byte(out, (uint8_t)version);
    pto_buf_byte(out, 0);
    pto_buf_byte(out, (uint8_t)(length & 0xff));
    pto_buf_byte(out, (uint8_t)(length >> 8));
    if (version > 1)
        pto_buf_append(out, "\0\0", 2);
    pto_buf_append(out, header, length);
    if (size > 0)
        pto_buf_append(out, data, size);
}

static enum pto_status load(int version, const char *header, const void *data, size_t size,
                            struct cli_npy *npy, char *message, size_t room)
{
    struct pto_buf file = {0};
    struct pto_diags diags = {0};
    make(&file, version, header, data, size);
    enum pto_status status = cli_npy_read(file.data, file.size, "x.npy", npy, &diags);
    if (message != NULL)
        message[0] = '\0';
    if (status != PTO_OK) {
        assert_int_equal(diags.errors, 1);
        assert_null(npy->data);
        if (message != NULL)
            strncat(message, diags.first->message, room - 1);
    } else if (npy->made == NULL) { /* the file goes away */
        npy->made = pto_xmalloc(size + 1);
        npy->data = size > 0 ? memcpy(npy->made, npy->data, size) : npy->made;
    }
    pto_diags_free(&diags);
    pto_buf_free(&file);
    return status;
}

static void reads_all_versions(void **state)
{
    static const float data[6] = {1, 2, 3, 4, 5, 6};
    (void)state;
    for (int version = 1; version <= 3; version++) {
        struct cli_npy npy;
        assert_int_equal(load(version,
                              "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
                              data, sizeof data, &npy, NULL, 0), PTO_OK);
        assert_int_equal(npy.kind, 'f');
        assert_int_equal(npy.itemsize, 4);
        assert_int_equal(npy.dims, 2);
        assert_int_equal(npy.dim[0], 2);
        assert_int_equal(npy.dim[1], 3);
        assert_memory_equal(npy.data, data, sizeof data);
        free(npy.made);
    }
}

static void converts_fortran_order(void **state)
{
    /* a[i][j][k] = 100 i + 10 j + k of shape 2 x 3 x 2, first index fastest */
    uint8_t data[12];
    struct cli_npy npy;
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 2; i++)
                data[i + 2 * j + 6 * k] = (uint8_t)(100 * i + 10 * j + k);
    assert_int_equal(load(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2)}", data,
                          sizeof data, &npy, NULL, 0), PTO_OK);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 2; k++)
                assert_int_equal(npy.data[6 * i + 2 * j + k], 100 * i + 10 * j + k);
    free(npy.made);
}

static void converts_big_endian(void **state)
{
    static const uint8_t data[4] = {0x12, 0x34, 0x00, 0x01};
    static const uint16_t want[2] = {0x1234, 1};
    struct cli_npy npy;
    (void)state;
    assert_int_equal(load(1, "{'descr': '>u2', 'fortran_order': False, 'shape': (2,)}", data, 4,
                          &npy, NULL, 0), PTO_OK);
    assert_memory_equal(npy.data, want, 4);
    free(npy.made);
}

/* numpy reads them as well. */
static void takes_sizes_with_leading_zeros(void **state)
{
    static const float data[2] = {1, 2};
    struct cli_npy npy;
    (void)state;
    assert_int_equal(load(1, "{'descr': '<f04', 'fortran_order': False, 'shape': (2,)}", data, 8,
                          &npy, NULL, 0), PTO_OK);
    assert_int_equal(npy.itemsize, 4);
    assert_memory_equal(npy.data, data, 8);
    free(npy.made);
}

static void takes_scalars_and_empty_arrays(void **state)
{
    static const double one = 1;
    struct cli_npy npy;
    (void)state;
    assert_int_equal(load(1, "{'descr': '<f8', 'fortran_order': False, 'shape': ()}", &one, 8,
                          &npy, NULL, 0), PTO_OK);
    assert_int_equal(npy.dims, 0);
    assert_int_equal(npy.count, 1);
    free(npy.made);
    /* The product of the other dimensions may overflow: nothing is there. */
    assert_int_equal(load(1, "{'descr': '<f4', 'fortran_order': True, 'shape': "
                             "(9223372036854775807, 0, 9223372036854775807)}",
                          NULL, 0, &npy, NULL, 0), PTO_OK);
    assert_int_equal(npy.count, 0);
    assert_non_null(npy.data);
    free(npy.made);
}

static void refuses_what_is_wrong(void **state)
{
    static const struct {
        const char *header, *message;
    } bad[] = {
        {"", "the header is not a dict"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", "ends too early"},
        {"{'descr': '<f4', 'fortran_order': False}", "is missing"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", "key is unknown"},
        {"{'descr': '<f4', 'descr': '<f4', 'shape': (2,)}", "appears twice"},
        {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}", "neither True nor False"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", "not a number"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': [2]}", "not a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,2)}", "more dimensions"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
         "dimension is too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296)}",
         "shape is too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", "ends before its data"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "left over"},
        {"{'descr': '<f3', 'fortran_order': False, 'shape': (2,)}", "size"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "element type"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "element type"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", "records"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", "follows the header"},
        {"{'descr': '<f4, 'fortran_order': False, 'shape': (2,)}", ""},
        {"{\"descr\": \"<f4", "a string does not end"},
    };
    static const float data[2] = {1, 2};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cli_npy npy;
        char message[256];
        assert_int_equal(load(1, bad[i].header, data, sizeof data, &npy, message, sizeof message),
                         PTO_ECONFIG);
        if (strstr(message, bad[i].message) == NULL)
            fail_msg("case %zu: '%s' lacks '%s'", i, message, bad[i].message);
    }
}

static void survives_truncation_and_bit_flips(void **state)
{
    static const float data[6] = {1, 2, 3, 4, 5, 6};
    struct pto_buf file = {0};
    unsigned accepted = 0;
    (void)state;
    make(&file, 2, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", data,
         sizeof data);
    for (size_t size = 0; size < file.size; size++) {
        struct pto_diags diags = {0};
        struct cli_npy npy;
        uint8_t *copy = pto_xmalloc(size + 1); /* exact size: overreads show under ASan */
        memcpy(copy, file.data, size);
        assert_int_equal(cli_npy_read(copy, size, "x", &npy, &diags), PTO_ECONFIG);
        free(copy);
        pto_diags_free(&diags);
    }
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        struct pto_diags diags = {0};
        struct cli_npy npy;
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (cli_npy_read(file.data, file.size, "x", &npy, &diags) == PTO_OK)
            accepted++;
        free(npy.made);
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        pto_diags_free(&diags);
    }
    assert_true(accepted >= 8 * sizeof data); /* flips in the data do not matter */
    pto_buf_free(&file);
}

static void names_types(void **state)
{
    struct pto_diags diags = {0};
    enum pto_dtype dtype;
    struct cli_npy u2 = {.kind = 'u', .itemsize = 2}, v2 = {.kind = 'V', .itemsize = 2};
    struct cli_npy f2 = {.kind = 'f', .itemsize = 2}, f8 = {.kind = 'f', .itemsize = 8};
    (void)state;
    assert_int_equal(cli_npy_dtype(&u2, -1, "x", &dtype, &diags), PTO_OK);
    assert_int_equal(dtype, PTO_U16);
    assert_int_equal(cli_npy_dtype(&u2, PTO_BF16, "x", &dtype, &diags), PTO_OK);
    assert_int_equal(dtype, PTO_BF16);
    assert_int_equal(cli_npy_dtype(&v2, PTO_BF16, "x", &dtype, &diags), PTO_OK);
    assert_int_equal(diags.errors, 0);
    assert_int_equal(cli_npy_dtype(&v2, -1, "x", &dtype, &diags), PTO_ECONFIG);
    assert_non_null(strstr(diags.last->hint, "x:bf16"));
    assert_int_equal(cli_npy_dtype(&f2, PTO_BF16, "x", &dtype, &diags), PTO_ECONFIG);
    assert_int_equal(cli_npy_dtype(&u2, PTO_F32, "x", &dtype, &diags), PTO_ECONFIG);
    assert_int_equal(cli_npy_dtype(&f8, -1, "x", &dtype, &diags), PTO_ECONFIG);
    assert_int_equal(diags.errors, 4);
    pto_diags_free(&diags);
}

static void writes_what_it_reads(void **state)
{
    static const uint64_t dim[3] = {3, 1, 70};
    (void)state;
    for (unsigned dtype = 0; dtype < PTO_DTYPE_COUNT; dtype++)
        for (unsigned dims = 0; dims <= 3; dims++) {
            struct pto_buf out = {0};
            struct pto_diags diags = {0};
            struct cli_npy npy;
            enum pto_dtype back;
            uint64_t count = 1;
            cli_npy_header((enum pto_dtype)dtype, dim, dims, &out);
            assert_int_equal(out.size % 64, 0);
            for (unsigned d = 0; d < dims; d++)
                count *= dim[d];
            for (uint64_t i = 0; i < count * pto_dtype_size((enum pto_dtype)dtype); i++)
                pto_buf_byte(&out, (uint8_t)i);
            assert_int_equal(cli_npy_read(out.data, out.size, "x", &npy, &diags), PTO_OK);
            assert_int_equal(cli_npy_dtype(&npy, (int)dtype, "x", &back, &diags), PTO_OK);
            assert_int_equal(back, dtype);
            assert_int_equal(npy.dims, dims);
            assert_int_equal(npy.count, count);
            assert_null(npy.made); /* used where they were read to */
            assert_ptr_equal(npy.data, out.data + out.size - count * npy.itemsize);
            free(npy.made);
            pto_buf_free(&out);
            pto_diags_free(&diags);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_versions),
        cmocka_unit_test(converts_fortran_order),
        cmocka_unit_test(converts_big_endian),
        cmocka_unit_test(takes_sizes_with_leading_zeros),
        cmocka_unit_test(takes_scalars_and_empty_arrays),
        cmocka_unit_test(refuses_what_is_wrong),
        cmocka_unit_test(survives_truncation_and_bit_flips),
        cmocka_unit_test(names_types),
        cmocka_unit_test(writes_what_it_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
