/* Built without jansson. */
#include "lsp.h"

bool lsp_is_there(void)
{
    return false;
}

enum lsp_end lsp_serve(const struct lsp_host *host, int in, int out, const char **why)
{
    (void)host;
    (void)in;
    (void)out;
    *why = "this ptoas was built without jansson, which --lsp needs";
    return LSP_END_LEFT;
}
