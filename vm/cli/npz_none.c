/* .npz archives where there is no libzip. */
#include "cli/npz.h"

static enum pto_status complain(const char *path, const char *what, const char *hint,
                                struct pto_diags *diags)
{
    struct pto_diag *diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                         "%s: this program was built without libzip and %s no .npz",
                                         path, what);

    pto_diag_hint(diags, diag, "%s", hint);
    return PTO_ECONFIG;
}

enum pto_status cli_npz_read(const uint8_t *bytes, size_t size, const struct cli_npz_choice *choice,
                             struct pto_arena *arena, struct pto_buf *npy, const char **label,
                             struct pto_diags *diags)
{
    (void)bytes;
    (void)size;
    (void)arena;
    (void)npy;
    *label = choice->path;
    return complain(choice->path, "reads", "unpack it: its members are .npy files", diags);
}

enum pto_status cli_npz_write(const struct cli_npz_member *member, unsigned count,
                              const char *path, struct pto_buf *out, struct pto_diags *diags)
{
    (void)member;
    (void)count;
    (void)out;
    return complain(path, "writes", "write --out NAME=FILE.npy for each array", diags);
}

bool cli_npz_known(void)
{
    return false;
}
