#include "diff/diff.h"

enum exit_code diff_reports(const char *const path[2], struct pto_diags *diags,
                            struct pto_buf *text, struct pto_buf *json)
{
    (void)path;
    (void)text;
    (void)json;
    pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                 "this ptovm was built without jansson, which diff needs");
    return EXIT_USAGE;
}
