/* Choice of the instruction set level.  All levels give the same bits, so the choice shows in
 * nothing but speed. */
#include "select.h"

#include <string.h>

extern const struct op_set op_set_base;
#ifdef OP_HAVE_LEVELS
extern const struct op_set op_set_v3, op_set_v4;
#endif

const struct op_set *op_select_level(const char *name)
{
#ifdef OP_HAVE_LEVELS
    __builtin_cpu_init();
    if (!strcmp(name, op_set_v4.level))
        return __builtin_cpu_supports("x86-64-v4") ? &op_set_v4 : NULL;
    if (!strcmp(name, op_set_v3.level))
        return __builtin_cpu_supports("x86-64-v3") ? &op_set_v3 : NULL;
#endif
    return strcmp(name, op_set_base.level) ? NULL : &op_set_base;
}

const struct op_set *op_select(void)
{
    const char *const best_first[] = {"v4", "v3", "base"};
    const struct op_set *set = NULL;

    for (size_t i = 0; !set && i < sizeof best_first / sizeof *best_first; i++)
        set = op_select_level(best_first[i]);
    return set;
}
