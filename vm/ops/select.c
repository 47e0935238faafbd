/* Choice of the instruction set level.  All levels give the same bits, so the choice shows in
 * nothing but speed. */
#include "select.h"

#include <string.h>

extern const struct op_set op_set_base;
#ifdef OP_HAVE_LEVELS
#include <cpuid.h>

extern const struct op_set op_set_v3, op_set_v4;
#endif

#ifdef OP_HAVE_LEVELS
/* By features: compilers do not agree on the names of the levels (x86-64 psABI, table 3.1).  The
 * builtin asks the system as well whether it keeps the registers. */
static bool has_v3(void)
{
    unsigned a, b, c, d, extended;

    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("fma"))
        return false;
    return __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C && c & bit_MOVBE &&
           __get_cpuid(0x80000001, &a, &b, &extended, &d) && extended & bit_LZCNT;
}

static bool has_v4(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

const struct op_set *op_select_level(const char *name)
{
#ifdef OP_HAVE_LEVELS
    __builtin_cpu_init();
    if (!strcmp(name, op_set_v4.level))
        return has_v3() && has_v4() ? &op_set_v4 : NULL;
    if (!strcmp(name, op_set_v3.level))
        return has_v3() ? &op_set_v3 : NULL;
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
