/* .npz archives: any bytes end in the bytes of a member or in one message.  Half of the changes
 * take the member out and change its .npy text, so that the sums in the archive are right again. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "data/libzip.h"
#include "data/npy.h"
#include "data/npz.h"
#include "fuzz.h"

static const char *const words[] = {"PK\1\2", "PK\3\4", "PK\5\6", "PK\6\6", "a.npy", "../a.npy",
                                    ".npy", "\xff\xff\xff\xff", NULL};
static const char *const of_member[] = {"<f4", ">i2", "|u1", "<f2", "(3, ", "18446744073709551615",
                                        "True", "\x93NUMPY\1", NULL};

static enum pto_status read_member(const char *name, const uint8_t *data, size_t size,
                                   struct pto_buf *npy, struct pto_diags *diags)
{
    const struct cli_npz_choice choice = {.path = name, .name = "a"};
    struct pto_arena arena = {0};
    static struct libzip z; /* kept open: else every input would load the library again */
    const char *label;
    enum pto_status status;

    if (!z.library && !cli_libzip_open(&z))
        abort();
    status = cli_npz_read(data, size, &choice, &arena, npy, &label, diags);

    pto_arena_free(&arena);
    return status;
}

size_t fuzz_change(uint8_t *data, size_t size, size_t most, uint64_t *state)
{
    struct pto_buf out = {0};
    struct pto_diags diags = {0};
    struct cli_npz_member member = {.name = fuzz_below(state, 2) ? "a" : "b"};

    if (fuzz_below(state, 2) ||
        read_member("z", data, size, &member.npy, &diags) != PTO_OK || member.npy.size > most) {
        size = fuzz_change_text(data, size, most, words, state);
    } else {
        pto_buf_room(&member.npy, most - member.npy.size);
        member.npy.size = fuzz_change_text(member.npy.data, member.npy.size, most, of_member,
                                           state);
        if (cli_npz_write(&member, 1, "z", &out, &diags) == PTO_OK && out.size <= most)
            memcpy(data, out.data, size = out.size);
    }
    pto_buf_free(&member.npy);
    pto_buf_free(&out);
    pto_diags_free(&diags);
    return size;
}

void fuzz_one(const char *name, const uint8_t *data, size_t size)
{
    struct pto_buf member = {0};
    struct pto_diags diags = {0};
    struct cli_npy npy = {0};

    if (read_member(name, data, size, &member, &diags) == PTO_OK &&
        cli_npy_read(member.data, member.size, name, &npy, &diags) == PTO_OK)
        free(npy.made);
    else
        assert(diags.errors == 1);
    pto_buf_free(&member);
    pto_diags_free(&diags);
}
