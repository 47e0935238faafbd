/* Texts: any bytes end in a module or in errors; what the verifier accepts goes through the lint,
 * and survives object, disassembly and assembly unchanged. */
#include <assert.h>

#include "accepted.h"
#include "profile_load.h"

static const char *const words[] = {
    "%", "%x", "(", ")", "[", "]", "{", "}", ",", "@", "=", "-", "!", "&&", "\n", "\"", "\\", ";",
    "0", "1", "-1", "9223372036854775807", "0x", "1e999", ".if 0\n", ".else\n", ".endif\n",
    ".for %i = 0 to 3\n", ".endfor\n", ".while %x\n", ".endwhile\n", ".macro m a\n", ".endm\n",
    "m 1\n", ".core aic\n", ".core aiv\n", ".kernel k\n", ".setup\n", ".endsetup\n", "TADD ", "ld ",
    "rank()", "min(1, 2)", ".pos 0 0 1 1 -1\n", ".file 0 \"f\"\n", ".at 0\n", "\xff\xfe",
    ".tile t : ub f32[1, 8]\n", ".break\n", ".L7:\n", "jump .L7\n", ".define TYPE = f16\n", "TYPE",
    " == f32", "sizeof(", ".if 1\n", ".elif 1\n", ".include \"../include/base.inc\"\n", " step ",
    " uniform", " optional", " flat", "f16", "bf16", "i8", "nz", "zn", "l0a", "ub", NULL};

static const char *const alike[] = {
    "f32 f16 bf16 i32 u32 i16 u16 i8 u8 i64 f8e4m3 f8e5m2", "nd nz zn zz dn",
    "ub l1 l0a l0b l0c gm",
    "MTE1 MTE2 MTE3 V M FIX S", "in out inout", "aic aiv",
    "TADD TMUL TMAX TDIV TMOV TEXP TCVT TROWSUM TCOLSUM TSEL TLOAD TSTORE TMATMUL", NULL};

size_t fuzz_change(uint8_t *data, size_t size, size_t most, uint64_t *state)
{
    if (!fuzz_below(state, 3))
        return fuzz_swap(data, size, most, alike, state);
    return fuzz_change_text(data, size, most, words, state);
}

void fuzz_one(const char *name, const uint8_t *data, size_t size)
{
    struct pto_buf listing = {0}, dependencies = {0};
    struct pto_diags diags = {.max_errors = 20};
    struct pto_profile profile;
    struct pto_asm_options options = {.profile = &profile, .listing = &listing,
                                      .dependencies = &dependencies};
    struct pto_module module;
    enum pto_status status = pto_profile_load("a2", &profile, &diags);

    assert(status == PTO_OK);
    status = pto_assemble_text(name, (const char *)data, size, &options, &module, &diags);
    assert((status == PTO_OK) == (diags.errors == 0));
    if (status == PTO_OK)
        fuzz_accepted(&module, &profile, &diags);
    pto_buf_free(&listing);
    pto_buf_free(&dependencies);
    pto_diags_free(&diags);
}
