#include "dap/dap.h"

enum dbg_exit dap_serve(int argc, char **argv, int in, int out, const char **why)
{
    (void)argc, (void)argv, (void)in, (void)out;
    *why = "this ptodbg was built without jansson, which --dap needs";
    return DBG_EXIT_USAGE;
}
