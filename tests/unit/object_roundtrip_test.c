/* Whatever the verifier accepts disassembles to text that assembles to the same object: so the
 * verifier refuses all that the assembler refuses.  The objects are those of kernels with some
 * bytes changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assembler.h"
#include "object.h"
#include "profile_load.h"

enum { CHECKSUM = 16, COVERED = 20, HEADER = 24, MUTANTS = 2000 };

static uint64_t random_state = 1;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % below);
}

static uint32_t crc32c(const uint8_t *bytes, size_t size)
{
    uint32_t crc = ~0u;

    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
    }
    return ~crc;
}

/* Small numbers and their neighbours reach further than noise. */
static void mutate(uint8_t *bytes, size_t size)
{
    static const uint8_t telling[] = {0, 1, 2, 3, 4, 7, 16, 0x7f, 0x80, 0xff};

    for (uint32_t changes = 1 + draw(2); changes > 0; changes--) {
        uint8_t *at = &bytes[HEADER + draw((uint32_t)size - HEADER)];

        switch (draw(3)) {
        case 0:
            *at = telling[draw(sizeof telling)];
            break;
        case 1:
            *at = (uint8_t)(*at + (draw(2) ? 1 : -1));
            break;
        default:
            *at ^= (uint8_t)(1u << draw(8));
        }
    }
    for (int i = 0; i < 4; i++)
        bytes[CHECKSUM + i] = (uint8_t)(crc32c(bytes + COVERED, size - COVERED) >> (8 * i));
}

/* The text of an accepted object gives the object again, as it is written today: operands that a
 * row has got since an object was made are left out of it. */
static void check_text(const struct pto_program *program)
{
    struct pto_asm_options options = {.profile = &program->profile};
    struct pto_buf text = {0}, object = {0}, again = {0};
    struct pto_diags diags = {0};
    struct pto_module module;

    pto_object_write(&program->module, &object);
    pto_disassemble(&program->module, &text);
    if (pto_assemble_text("text", pto_buf_text(&text), text.size, &options, &module, &diags) !=
        PTO_OK) {
        pto_diags_print(&diags, stderr, false);
        fail_msg("the assembler refuses what the verifier accepts");
    }
    pto_object_write(&module, &again);
    if (again.size != object.size || memcmp(again.data, object.data, again.size) != 0)
        fail_msg("this text gives another object:\n%s", pto_buf_text(&text));
    pto_module_free(&module);
    pto_diags_free(&diags);
    pto_buf_free(&text);
    pto_buf_free(&object);
    pto_buf_free(&again);
}

static bool try_object(const struct pto_buf *object, const struct pto_profile *profile)
{
    struct pto_diags diags = {.max_errors = 1};
    struct pto_module module;
    struct pto_program program;
    bool accepted = false;

    if (pto_object_read(object->data, object->size, "mutant", &module, &diags) == PTO_OK) {
        accepted = pto_verify(&module, profile, &program, &diags) == PTO_OK;
        if (accepted) {
            check_text(&program);
            pto_program_free(&program);
        } else {
            pto_module_free(&module);
        }
    }
    pto_diags_free(&diags);
    return accepted;
}

/* ---- mutants --------------------------------------------------------------------------------- */

static struct pto_module module_of(const struct pto_buf *object)
{
    struct pto_diags diags = {0};
    struct pto_module module;

    assert_int_equal(pto_object_read(object->data, object->size, "object", &module, &diags),
                     PTO_OK);
    pto_diags_free(&diags);
    return module;
}

/* A number of a tile becomes another one nearby. */
static void change_tile(struct pto_tile *tile)
{
    uint32_t *const numbers[] = {&tile->address, &tile->address, &tile->slot_stride, &tile->slots,
                                 &tile->rows,    &tile->cols};
    uint32_t *number = numbers[draw(sizeof numbers / sizeof *numbers)];
    uint32_t step = 1u << draw(12);

    *number += draw(2) ? step : -step;
}

static bool try_tiles(const struct pto_buf *object, const struct pto_profile *profile)
{
    struct pto_module module = module_of(object);
    struct pto_core_code *core = &module.kernel[0].core[draw(PTO_CORE_KINDS)];
    struct pto_buf mutant = {0};
    bool accepted;

    if (core->tiles > 0)
        change_tile(&core->tile[draw(core->tiles)]);
    pto_object_write(&module, &mutant);
    accepted = try_object(&mutant, profile);
    pto_buf_free(&mutant);
    pto_module_free(&module);
    return accepted;
}

static bool try_bytes(const struct pto_buf *object, const struct pto_profile *profile)
{
    struct pto_buf mutant = {0};
    bool accepted;

    pto_buf_append(&mutant, object->data, object->size);
    mutate(mutant.data, mutant.size);
    accepted = try_object(&mutant, profile);
    pto_buf_free(&mutant);
    return accepted;
}

static const struct pto_profile *profile_a2(void)
{
    static struct pto_profile profile;
    struct pto_diags diags = {0};

    assert_int_equal(pto_profile_load("a2", &profile, &diags), PTO_OK);
    pto_diags_free(&diags);
    return &profile;
}

/* Mutants of one kernel, not only such as are refused. */
static void try_kernel(const char *name, bool (*try)(const struct pto_buf *object,
                                                     const struct pto_profile *profile))
{
    const struct pto_profile *profile = profile_a2();
    struct pto_asm_options options = {.profile = profile};
    struct pto_diags diags = {0};
    struct pto_buf object = {0};
    struct pto_module module;
    unsigned accepted = 0;

    assert_int_equal(pto_assemble_file(name, &options, &module, &diags), PTO_OK);
    pto_object_write(&module, &object);
    pto_module_free(&module);
    assert_true(try_object(&object, profile));
    for (unsigned i = 0; i < MUTANTS; i++)
        accepted += try(&object, profile);
    assert_in_range(accepted, MUTANTS / 100, MUTANTS);
    pto_buf_free(&object);
    pto_diags_free(&diags);
}

static void changed_bytes(void **state)
{
    (void)state;
    try_kernel("tests/asm/good/objects.pto", try_bytes);
    try_kernel("tests/asm/good/gemm.pto", try_bytes);
    try_kernel("tests/asm/good/exchange.pto", try_bytes);
    try_kernel("tests/asm/good/flow.pto", try_bytes);
    try_kernel("tests/asm/good/text.pto", try_bytes);
    try_kernel("kernels/basic/vadd.pto", try_bytes);
}

static void changed_tiles(void **state)
{
    (void)state;
    try_kernel("tests/asm/good/gemm.pto", try_tiles);
    try_kernel("tests/asm/good/ordered.pto", try_tiles);
}

/* Names of files stand in objects: from the folder of the sources they are the same everywhere. */
static int set_up(void **state)
{
    (void)state;
    return chdir(getenv("PTO_SOURCE_DIR"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changed_bytes),
                                       cmocka_unit_test(changed_tiles)};

    return cmocka_run_group_tests(tests, set_up, NULL);
}
