/* .npz archives in a build without libzip. */
#include "data/npz.h"

enum pto_status cli_npz_read(const uint8_t *bytes, size_t size, const struct cli_npz_choice *choice,
                             struct pto_arena *arena, struct pto_buf *npy, const char **label,
                             struct pto_diags *diags)
{
    (void)bytes;
    (void)size;
    (void)arena;
    (void)npy;
    *label = choice->path;
    return cli_npz_none(choice->path, "reads", "unpack it: its members are .npy files", diags);
}

enum pto_status cli_npz_write(const struct cli_npz_member *member, unsigned count,
                              const char *path, struct pto_buf *out, struct pto_diags *diags)
{
    (void)member;
    (void)count;
    (void)out;
    return cli_npz_none(path, "writes", "write --out NAME=FILE.npy for each array", diags);
}
