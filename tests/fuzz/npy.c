/* .npy files. */
#include <assert.h>
#include <stdlib.h>

#include "data/npy.h"
#include "fuzz.h"

static const char *const words[] = {
    "\x93NUMPY\1", "\x93NUMPY\3", "{'descr': '", "<f4", ">i2", "|u1", "<f2", "|V2", "|b1", "=",
    "'fortran_order': ", "True", "False", "'shape': (", "3, ", "(),", "18446744073709551615", "}",
    "\n", NULL};

size_t fuzz_change(uint8_t *data, size_t size, size_t most, uint64_t *state)
{
    return fuzz_change_text(data, size, most, words, state);
}

void fuzz_one(const char *name, const uint8_t *data, size_t size)
{
    struct pto_diags diags = {0};
    struct cli_npy npy = {0};
    enum pto_dtype dtype;

    if (cli_npy_read(data, size, name, &npy, &diags) == PTO_OK) {
        uint64_t count = 1;

        for (unsigned i = 0; i < npy.dims; i++)
            count *= npy.dim[i];
        assert(count == npy.count && count * npy.itemsize <= size);
        cli_npy_dtype(&npy, -1, name, &dtype, &diags);
        cli_npy_dtype(&npy, PTO_BF16, name, &dtype, &diags);
        free(npy.made);
    } else {
        assert(diags.errors == 1);
    }
    pto_diags_free(&diags);
}
