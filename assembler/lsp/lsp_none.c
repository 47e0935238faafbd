/* Built without jansson. */
#include "lsp.h"

bool lsp_is_there(void)
{
    return false;
}

int lsp_serve(const struct lsp_host *host, int in, int out)
{
    (void)host;
    (void)in;
    (void)out;
    return 1;
}
