/* Objects: the same bytes after a round trip; hostile bytes end in one message, never in a crash.
 * What a damaged object still says is handed to the verifier and the disassembler as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "isa_sample.h"
#include "object_seal.h"
#include "profile_load.h"

enum { MUTANTS = 30000 };

static struct pto_profile profile;

static struct pto_buf sample_bytes(void)
{
    struct pto_module module;
    struct pto_buf out = {0};

    sample_module(&module);
    pto_object_write(&module, &out);
    pto_module_free(&module);
    return out;
}

/* Read, and use what was read; returns the status of reading.  A copy of exact size lets the
 * address sanitizer see every read past the end. */
static enum pto_status swallow(const uint8_t *bytes, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1);
    struct pto_diags diags = {.max_errors = 20};
    struct pto_module module;
    struct pto_program program;
    struct pto_buf text = {0};
    enum pto_status status;

    memcpy(exact, bytes, size);
    status = pto_object_read(exact, size, "x.ptob", &module, &diags);
    free(exact);
    if (status != PTO_OK) {
        assert_int_equal(diags.errors, 1);
        assert_non_null(strstr(diags.first->message, "(byte "));
    } else {
        pto_disassemble(&module, &text);
        if (pto_verify(&module, &profile, &program, &diags) == PTO_OK) {
            pto_program_free(&program);
        } else {
            assert_true(diags.errors > 0);
            pto_module_free(&module);
        }
    }
    pto_buf_free(&text);
    pto_diags_free(&diags);
    return status;
}

static void round_trip(void **state)
{
    struct pto_buf bytes = sample_bytes(), again = {0};
    struct pto_diags diags = {0};
    struct pto_module module;

    (void)state;
    assert_true(pto_is_object(bytes.data, bytes.size));
    assert_false(pto_is_object(bytes.data + 1, bytes.size - 1));
    assert_false(pto_is_object(bytes.data, 3));
    assert_int_equal(pto_object_read(bytes.data, bytes.size, "x", &module, &diags), PTO_OK);
    pto_object_write(&module, &again);
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.data, bytes.data, bytes.size);
    assert_string_equal(module.file[1], "lib/\xc3\xa4.pto");
    assert_string_equal(module.kernel[0].core[PTO_AIV].tile[SAMPLE_RED].name, "red.1");
    assert_int_equal(swallow(bytes.data, bytes.size), PTO_OK);
    pto_module_free(&module);
    pto_buf_free(&bytes);
    pto_buf_free(&again);
}

static void appended_objects_stand_alone(void **state)
{
    struct pto_buf bytes = sample_bytes(), out = {0};
    struct pto_module module;

    (void)state;
    sample_module(&module);
    pto_buf_append(&out, "xyz", 3);
    pto_object_write(&module, &out);
    assert_int_equal(out.size, bytes.size + 3);
    assert_memory_equal(out.data + 3, bytes.data, bytes.size);
    pto_module_free(&module);
    pto_buf_free(&bytes);
    pto_buf_free(&out);
}

static void nan_is_canonical(void **state)
{
    struct pto_buf bytes[2] = {{0}, {0}};
    const uint64_t nans[2] = {0x7ff8000000000000, 0xfff0000000000123};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct pto_module module;

        sample_module(&module);
        memcpy(&module.kernel[0].core[PTO_AIV].code.insn[3].operand[2].scalar.f, &nans[i], 8);
        pto_object_write(&module, &bytes[i]);
        pto_module_free(&module);
    }
    assert_int_equal(bytes[0].size, bytes[1].size);
    assert_memory_equal(bytes[0].data, bytes[1].data, bytes[0].size);
    for (size_t i = 0; i + 8 <= bytes[0].size; i++)
        if (!memcmp(bytes[0].data + i, &nans[0], 8)) {
            memcpy(bytes[0].data + i, &nans[1], 8);
            repair(bytes[0].data, bytes[0].size);
            assert_int_equal(swallow(bytes[0].data, bytes[0].size), PTO_EPROGRAM);
            break;
        }
    pto_buf_free(&bytes[0]);
    pto_buf_free(&bytes[1]);
}

static void truncations(void **state)
{
    struct pto_buf bytes = sample_bytes();

    (void)state;
    for (size_t size = 0; size < bytes.size; size++) {
        uint8_t *cut = malloc(size + 1);

        memcpy(cut, bytes.data, size);
        assert_int_equal(swallow(cut, size), PTO_EPROGRAM);
        repair(cut, size);
        assert_int_equal(swallow(cut, size), PTO_EPROGRAM);
        free(cut);
    }
    pto_buf_byte(&bytes, 0);
    assert_int_equal(swallow(bytes.data, bytes.size), PTO_EPROGRAM);
    repair(bytes.data, bytes.size);
    assert_int_equal(swallow(bytes.data, bytes.size), PTO_EPROGRAM);
    pto_buf_free(&bytes);
}

static void bit_flips(void **state)
{
    struct pto_buf bytes = sample_bytes();
    uint8_t *copy = malloc(bytes.size);

    (void)state;
    for (size_t bit = 0; bit < bytes.size * 8; bit++) {
        memcpy(copy, bytes.data, bytes.size);
        copy[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        assert_int_equal(swallow(copy, bytes.size), PTO_EPROGRAM);
        if (bit >= MAKER * 8) {
            repair(copy, bytes.size);
            swallow(copy, bytes.size);
        }
    }
    free(copy);
    pto_buf_free(&bytes);
}

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void mutations(void **state)
{
    static const uint32_t bad[] = {0, 1, 0x7f, 0xff, 0xffff, 0x10000, 0x7fffffff, 0x80000000,
                                   0xffffffff};
    struct pto_buf bytes = sample_bytes();
    uint8_t *copy = malloc(bytes.size);
    uint64_t seed = 88172645463325252;
    unsigned read = 0;

    (void)state;
    for (int i = 0; i < MUTANTS; i++) {
        size_t size = bytes.size;

        memcpy(copy, bytes.data, size);
        for (uint64_t n = random_next(&seed) % 4 + 1; n > 0; n--) {
            size_t at = HEADER + random_next(&seed) % (size - HEADER - 4);

            if (random_next(&seed) % 2)
                copy[at] = (uint8_t)random_next(&seed);
            else
                put_u32(copy + at, bad[random_next(&seed) % (sizeof bad / sizeof *bad)]);
        }
        repair(copy, size);
        read += swallow(copy, size) == PTO_OK;
    }
    assert_true(read > MUTANTS / 100); /* the verifier saw damaged modules, too */
    free(copy);
    pto_buf_free(&bytes);
}

/* Every reason of the reader, by changing bytes at known places. */
static void messages(void **state)
{
    static const struct {
        size_t at;
        uint8_t value;
        bool repair;
        const char *message;
    } cases[] = {
        {0, 'Q', false, "damaged object: it does not start with PTOB (byte 0)"},
        {VERSION, 0, false, "damaged object: version 0, this program reads 1 to 5 (byte 4)"},
        {VERSION, 6, false, "damaged object: version 6, this program reads 1 to 5 (byte 4)"},
        {13, 1, false, "it says it has "},
        {CHECKSUM, 0x55, false, "damaged object: the checksum does not fit the contents (byte 16)"},
        {VERSION, 1, true, "damaged object: a reserved field is not zero (byte 20)"},
        {24, 'X', true, "damaged object: a section does not start here (byte 24)"},
        {29, 0xff, true, "a text runs past the end (byte 28)"},
        {31, 1, true, "length of a text 16777218, at most 65535 is allowed (byte 28)"},
        {32, 0, true, "a text is not UTF-8 (byte 32)"},
        {32, 0xff, true, "a text is not UTF-8 (byte 32)"},
        {35, 0xf0, true, "source files are more than its bytes can hold (byte 34)"},
    };
    struct pto_buf bytes = sample_bytes();
    uint8_t *copy = malloc(bytes.size);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pto_diags diags = {0};
        struct pto_module module;

        memcpy(copy, bytes.data, bytes.size);
        copy[cases[i].at] = cases[i].value;
        if (cases[i].repair)
            repair(copy, bytes.size);
        assert_int_equal(pto_object_read(copy, bytes.size, "k.ptob", &module, &diags),
                         PTO_EPROGRAM);
        if (!strstr(diags.first->message, cases[i].message))
            fail_msg("case %zu: %s", i, diags.first->message);
        assert_string_equal(diags.first->file, "k.ptob");
        pto_diags_free(&diags);
    }
    free(copy);
    pto_buf_free(&bytes);
}

static void expect_refusal(struct pto_buf *bytes, const char *message, const char *hint)
{
    struct pto_diags diags = {0};
    struct pto_module module;

    repair(bytes->data, bytes->size);
    assert_int_equal(pto_object_read(bytes->data, bytes->size, "k.ptob", &module, &diags),
                     PTO_EPROGRAM);
    assert_non_null(strstr(diags.first->message, message));
    assert_non_null(strstr(diags.first->hint, hint));
    pto_diags_free(&diags);
}

/* Version 1 had a hash of its tables behind the first tag. */
static void other_tables_of_version_1(void **state)
{
    enum { TABLES = HEADER + 4 };
    struct pto_buf bytes = sample_bytes(), old = {0};
    const uint8_t hash[4] = {1, 2, 3, 4};

    (void)state;
    pto_buf_append(&old, bytes.data, TABLES);
    pto_buf_append(&old, hash, sizeof hash);
    pto_buf_append(&old, bytes.data + TABLES, bytes.size - TABLES);
    put_u32(old.data + VERSION, 1);
    put_u32(old.data + MAKER, 0);
    expect_refusal(&old, "it was made with other instruction tables (byte 28)",
                   "assemble the kernel again");
    pto_buf_free(&bytes);
    pto_buf_free(&old);
}

/* Where the number of an instruction stands: the only byte that changes with it. */
static size_t place_of_number(void)
{
    struct pto_buf bytes[2] = {{0}, {0}};
    size_t at = HEADER;

    for (unsigned i = 0; i < 2; i++) {
        struct pto_module module;

        sample_module(&module);
        module.kernel[0].core[PTO_AIV].code.insn[0].op = i ? PTO_OP_IADD : PTO_OP_ISUB;
        pto_object_write(&module, &bytes[i]);
        pto_module_free(&module);
    }
    while (bytes[0].data[at] == bytes[1].data[at])
        at++;
    pto_buf_free(&bytes[0]);
    pto_buf_free(&bytes[1]);
    return at;
}

/* A later version may have instructions that this one does not know: the refusal says who made the
 * object, unless it was this version. */
static void objects_of_a_later_version(void **state)
{
    struct pto_buf bytes = sample_bytes();
    size_t at = place_of_number();

    (void)state;
    bytes.data[at] = 0xfe;
    bytes.data[at + 1] = 0xff;
    expect_refusal(&bytes, "instruction number 65534 is unknown", "assemble the kernel again");
    put_u32(bytes.data + MAKER, 9u << 24 | 8 << 16 | 7);
    expect_refusal(&bytes, "instruction number 65534 is unknown",
                   "version 9.8.7 made it, this is ");
    bytes.data[VERSION] = 6;
    expect_refusal(&bytes, "version 6, this", "version 9.8.7 made it, this is ");
    pto_buf_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),  cmocka_unit_test(appended_objects_stand_alone),
        cmocka_unit_test(nan_is_canonical), cmocka_unit_test(truncations),
        cmocka_unit_test(bit_flips),   cmocka_unit_test(mutations),
        cmocka_unit_test(messages),    cmocka_unit_test(objects_of_a_later_version),
        cmocka_unit_test(other_tables_of_version_1),
    };
    struct pto_diags diags = {0};

    if (pto_profile_load("a2", &profile, &diags) != PTO_OK)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
