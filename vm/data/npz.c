#include "data/npz.h"

enum pto_status cli_npz_none(const char *path, const char *what, const char *hint,
                             struct pto_diags *diags)
{
    struct pto_diag *diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                         "%s: without libzip this program %s no .npz", path, what);

    pto_diag_hint(diags, diag, "%s", hint);
    return PTO_ECONFIG;
}
