/* Texts: any bytes end in a module or in errors; what the verifier accepts goes through the lint,
 * and survives object, disassembly and assembly unchanged. */
#include <assert.h>
#include <string.h>

#include "assembler.h"
#include "fuzz.h"
#include "lint/lint.h"
#include "object.h"
#include "profile_load.h"

static const char *const words[] = {
    "%", "%x", "(", ")", "[", "]", "{", "}", ",", "@", "=", "-", "!", "&&", "\n", "\"", "\\", ";",
    "0", "1", "-1", "9223372036854775807", "0x", "1e999", ".if 0\n", ".else\n", ".endif\n",
    ".for %i = 0 to 3\n", ".endfor\n", ".while %x\n", ".endwhile\n", ".macro m a\n", ".endm\n",
    "m 1\n", ".core aic\n", ".core aiv\n", ".kernel k\n", ".setup\n", ".endsetup\n", "TADD ", "ld ",
    "rank()", "min(1, 2)", ".pos 0 0 1 1 -1\n", ".file 0 \"f\"\n", ".at 0\n", "\xff\xfe",
    ".tile t : ub f32[1, 8]\n", ".break\n", ".L7:\n", "jump .L7\n", ".define TYPE = f16\n", "TYPE",
    " == f32", "sizeof(", ".if 1\n", ".elif 1\n", ".include \"../include/base.inc\"\n", " step ",
    " uniform", " optional", "f16", "bf16", "i8", "nz", "zn", "l0a", "ub", NULL};

size_t fuzz_change(uint8_t *data, size_t size, size_t most, uint64_t *state)
{
    return fuzz_change_text(data, size, most, words, state);
}

static void check_round_trip(const struct pto_buf *object, const struct pto_profile *profile)
{
    struct pto_asm_options options = {.profile = profile};
    struct pto_diags diags = {0};
    struct pto_buf text = {0}, again = {0};
    struct pto_module module;
    enum pto_status status = pto_object_read(object->data, object->size, "o", &module, &diags);

    assert(status == PTO_OK);
    pto_disassemble(&module, &text);
    pto_module_free(&module);
    status = pto_assemble_text("plain", (const char *)text.data, text.size, &options, &module,
                               &diags);
    assert(status == PTO_OK);
    pto_object_write(&module, &again);
    pto_module_free(&module);
    assert(again.size == object->size && !memcmp(again.data, object->data, again.size));
    pto_buf_free(&text);
    pto_buf_free(&again);
    pto_diags_free(&diags);
}

/* Verify a module, which is taken over. */
static void verify(struct pto_module *module, const struct pto_profile *profile,
                   struct pto_diags *diags)
{
    struct pto_buf object = {0};
    struct pto_program program;
    struct pto_lint lint;

    pto_object_write(module, &object);
    if (pto_verify(module, profile, &program, diags) == PTO_OK) {
        pto_lint(&program, &lint);
        pto_lint_free(&lint);
        pto_program_free(&program);
        check_round_trip(&object, profile);
    } else {
        assert(diags->errors > 0);
        pto_module_free(module);
    }
    pto_buf_free(&object);
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
        verify(&module, &profile, &diags);
    pto_buf_free(&listing);
    pto_buf_free(&dependencies);
    pto_diags_free(&diags);
}
