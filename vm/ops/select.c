/* Choice of the instruction set level.  All levels give the same bits, so the choice shows in
 * nothing but speed. */
#include "select.h"

#include <string.h>

extern const struct op_set op_set_base;
#ifdef OP_HAVE_LEVELS
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

extern const struct op_set op_set_v3, op_set_v4, op_set_vnni_v3, op_set_vnni_v4, op_set_amx_v4;
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
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

/* What multiplies int8 beyond a level.  Names of the bits by compilers differ, too. */
enum {
    BIT_VNNI_512 = 1 << 11,
    BIT_VNNI_256 = 1 << 4,
    BIT_AMX_TILE = 1 << 24,
    BIT_AMX_INT8 = 1 << 25
};

static bool has_vnni_256(void)
{
    unsigned a, b, c, d;

    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && a & BIT_VNNI_256;
}

static bool has_vnni_512(void)
{
    unsigned a, b, c, d;

    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && c & BIT_VNNI_512;
}

/* The system gives a process the registers of AMX when it asks; a signal needs more stack then. */
static bool has_amx(void)
{
#if defined(__linux__) && defined(SYS_arch_prctl)
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    unsigned a, b, c, d;

    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && d & BIT_AMX_TILE && d & BIT_AMX_INT8 &&
           !syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA);
#else
    return false;
#endif
}
#endif

static bool always(void)
{
    return true;
}

/* The levels, best first, and what the host needs for each beyond the one that it builds on. */
static const struct level {
    const struct op_set *set;
    bool (*has)(void), (*has_more)(void);
} levels[] = {
#ifdef OP_HAVE_v4_AMX
    {&op_set_amx_v4, has_v4, has_amx},
#endif
#ifdef OP_HAVE_v4_VNNI
    {&op_set_vnni_v4, has_v4, has_vnni_512},
#endif
#ifdef OP_HAVE_LEVELS
    {&op_set_v4, has_v4, always},
#endif
#ifdef OP_HAVE_v3_VNNI
    {&op_set_vnni_v3, has_v3, has_vnni_256},
#endif
#ifdef OP_HAVE_LEVELS
    {&op_set_v3, has_v3, always},
#endif
    {&op_set_base, always, always},
};

/* The best that the host has of those of a name, or of all. */
static const struct op_set *best(const char *name)
{
#ifdef OP_HAVE_LEVELS
    __builtin_cpu_init();
#endif
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if ((!name || !strcmp(name, levels[i].set->level)) && levels[i].has() &&
            levels[i].has_more())
            return levels[i].set;
    return NULL;
}

const struct op_set *op_select_level(const char *name)
{
    return best(name);
}

const struct op_set *op_select(void)
{
    return best(NULL);
}
