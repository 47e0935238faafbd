/* The verifier: a sound module passes, and each way to break it has its own message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "isa_sample.h"
#include "profile_load.h"

static struct pto_profile profile;

struct parts {
    struct pto_module *module;
    struct pto_kernel *kernel;
    struct pto_core_code *aic, *aiv;
    struct pto_insn *cube, *vector, *setup; /* instructions */
};

/* Where things are in the sample. */
enum { CUBE_TEXTRACT, CUBE_SET_FLAG, CUBE_TMMAD, CUBE_FLAG_DEV, CUBE_TSTORE, CUBE_END };
enum { VEC_MOV, VEC_TADD, VEC_TROWMAX, VEC_TADDS, VEC_ST, VEC_LD, VEC_LD_BYTE, VEC_PRINT,
       VEC_TNOTIFY, VEC_TWAIT, VEC_BARRIER, VEC_IADD, VEC_BLT, VEC_BT, VEC_END };

/* Put another instruction in the place of one. */
#define REPLACE(list, code, index, op, ...)                                                        \
    do {                                                                                           \
        struct pto_module *module = p->module;                                                     \
        struct pto_code scratch = {.insn = &p->list[index]};                                       \
        uint32_t pos = p->list[index].pos;                                                         \
        SAMPLE_ADD(&scratch, op, pos, __VA_ARGS__);                                                \
    } while (0)
#define VECTOR(index, op, ...) REPLACE(vector, aiv, index, op, __VA_ARGS__)
#define CUBE(index, op, ...) REPLACE(cube, aic, index, op, __VA_ARGS__)
#define SETUP(index, op, ...) REPLACE(setup, setup, index, op, __VA_ARGS__)
#define S(value) sample_scalar(value)
#define I(value) sample_scalar(sample_int(value))
#define R(value) sample_scalar(sample_reg(value))
#define E(value) sample_enum(value)
#define T(tile) sample_tile(tile, (struct pto_scalar){0})

#define BREAK(id, message, hint, ...)                                                              \
    static void break_##id(struct parts *p)                                                        \
    {                                                                                              \
        (void)p;                                                                                   \
        __VA_ARGS__;                                                                               \
    }
#include "isa_verify_cases.def"
#undef BREAK

#define BREAK(id, message, hint, ...) {#id, break_##id, message, hint},
static const struct {
    const char *id;
    void (*change)(struct parts *p);
    const char *message, *hint; /* hint: NULL none, "" any */
} cases[] = {
#include "isa_verify_cases.def"
};
#undef BREAK

static void load_profile(const char *name)
{
    struct pto_diags diags = {0};

    assert_int_equal(pto_profile_load(name, &profile, &diags), PTO_OK);
    pto_diags_free(&diags);
}

static struct parts make_parts(struct pto_module *module)
{
    struct parts p = {.module = module};

    sample_module(module);
    p.kernel = module->kernel;
    p.aic = &p.kernel->core[PTO_AIC];
    p.aiv = &p.kernel->core[PTO_AIV];
    p.cube = p.aic->code.insn;
    p.vector = p.aiv->code.insn;
    p.setup = p.kernel->setup.insn;
    return p;
}

static void a_sound_module_passes(void **state)
{
    struct pto_module module;
    struct pto_program program;
    struct pto_diags diags = {0};

    (void)state;
    load_profile("a2");
    make_parts(&module);
    if (pto_verify(&module, &profile, &program, &diags) != PTO_OK)
        pto_diags_print(&diags, stderr, false);
    assert_int_equal(diags.errors, 0);
    assert_int_equal(module.kernels, 0); /* taken over */
    assert_string_equal(program.module.kernel[0].name, "sample");
    assert_string_equal(program.profile.name, "a2");
    pto_program_free(&program);
}

/* A view of a symmetric object is symmetric: it can be written on another rank. */
static void views_follow_their_base(void **state)
{
    struct pto_module module;
    struct pto_program program;
    struct pto_diags diags = {0};
    struct parts p;

    (void)state;
    load_profile("a2");
    p = make_parts(&module);
    p.cube[CUBE_TSTORE].operand[0] = sample_gm(SAMPLE_V, 2);
    p.cube[CUBE_TSTORE].operand[0].gm.rank = sample_int(1);
    assert_int_equal(pto_verify(&module, &profile, &program, &diags), PTO_OK);
    pto_program_free(&program);
}

/* Every use of a view walks down to its object, so chains have an end. */
static void chains_of_views_have_an_end(void **state)
{
    enum { VIEWS = PTO_MAX_VIEW_DEPTH + 1 };
    static char names[VIEWS][8];
    struct pto_object objects[16 + VIEWS];
    struct pto_module module;
    struct pto_program program;
    struct pto_diags diags = {0};
    struct parts p;
    uint32_t first;

    (void)state;
    load_profile("a2");
    p = make_parts(&module);
    first = p.kernel->objects;
    assert_true(first <= 16);
    memcpy(objects, p.kernel->object, first * sizeof *objects);
    for (uint32_t i = 0; i < VIEWS; i++) {
        snprintf(names[i], sizeof names[i], "w%u", (unsigned)i);
        objects[first + i] = objects[SAMPLE_V];
        objects[first + i].name = names[i];
        objects[first + i].base = (int32_t)(i ? first + i - 1 : SAMPLE_V);
    }
    p.kernel->object = objects;
    p.kernel->objects = first + VIEWS;
    assert_int_equal(pto_verify(&module, &profile, &program, &diags), PTO_EPROGRAM);
    assert_string_equal(diags.first->message, "view 'w63' is nested more than 64 deep");
    pto_diags_free(&diags);
    pto_module_free(&module);
}

/* Is this exactly what the verifier says to one break? */
static bool says(size_t index, const struct pto_diags *diags)
{
    const struct pto_diag *diag = diags->first;
    const char *hint = cases[index].hint;

    if (diags->errors != 1 || strcmp(diag->message, cases[index].message) != 0)
        return false;
    if (!hint || !*hint)
        return hint || !diag->hint;
    return diag->hint && !strcmp(diag->hint, hint);
}

static void each_break_has_its_message(void **state)
{
    unsigned wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pto_module module;
        struct pto_program program;
        struct pto_diags diags = {0};
        struct parts p;

        load_profile("a2");
        p = make_parts(&module);
        cases[i].change(&p);
        if (pto_verify(&module, &profile, &program, &diags) != PTO_EPROGRAM)
            fail_msg("%s passed", cases[i].id);
        if (!says(i, &diags)) {
            print_message("%s: expected '%s', got:\n", cases[i].id, cases[i].message);
            pto_diags_print(&diags, stdout, false);
            wrong++;
        }
        assert_non_null(module.arena.chunk); /* the module is still the caller's */
        pto_module_free(&module);
        pto_diags_free(&diags);
    }
    assert_int_equal(wrong, 0);
}

static void places_and_trails(void **state)
{
    struct pto_module module;
    struct pto_program program;
    struct pto_diags diags = {0};
    struct parts p;

    (void)state;
    load_profile("a2");
    p = make_parts(&module);
    p.vector[VEC_TADD].operand[0].tile.slot = sample_int(2);
    p.cube[CUBE_SET_FLAG].operand[2].scalar.i = -1;
    assert_int_equal(pto_verify(&module, &profile, &program, &diags), PTO_EPROGRAM);
    assert_int_equal(diags.errors, 2);
    assert_string_equal(diags.first->file, "sample.pto");
    assert_int_equal(diags.first->line, 20);
    assert_null(diags.first->trail);
    assert_string_equal(diags.last->file, "lib/\xc3\xa4.pto");
    assert_int_equal(diags.last->line, 3);
    assert_int_equal(diags.last->column, 7);
    assert_string_equal(diags.last->trail->file, "sample.pto");
    assert_int_equal(diags.last->trail->line, 9);
    assert_null(diags.last->trail->trail);
    pto_module_free(&module);
    pto_diags_free(&diags);
}

static void the_profile_decides(void **state)
{
    struct pto_module module;
    struct pto_program program;
    struct pto_diags diags = {0};
    struct parts p;

    (void)state;
    load_profile("a5"); /* L0A wants nz there, and bf16 can be added */
    p = make_parts(&module);
    p.aic->tile[1].layout = PTO_NZ;
    for (int i = 0; i < 2; i++)
        p.aiv->tile[i].dtype = PTO_BF16;
    p.aiv->tile[2].cols = 512; /* it views a slot that is half as large now */
    p.vector[VEC_TROWMAX] = p.vector[VEC_MOV];
    assert_int_equal(pto_verify(&module, &profile, &program, &diags), PTO_OK);
    pto_program_free(&program);

    load_profile("toy"); /* L0A has 4 KiB */
    p = make_parts(&module);
    p.aic->tile[1].slots = 3;
    assert_int_equal(pto_verify(&module, &profile, &program, &diags), PTO_EPROGRAM);
    assert_string_equal(diags.first->message, "tile 'left': it needs 6144 bytes, "
                                              "l0a of profile toy has 4096");
    pto_module_free(&module);
    pto_diags_free(&diags);
}

static void errors_are_limited(void **state)
{
    struct pto_module module;
    struct pto_program program;
    struct pto_diags diags = {0};
    struct parts p;
    struct pto_insn end;

    (void)state;
    load_profile("a2");
    p = make_parts(&module);
    end = p.vector[VEC_END];
    p.aiv->code.insn = pto_arena_array(&module.arena, 5001, sizeof end);
    for (int i = 0; i < 5000; i++)
        p.aiv->code.insn[i] = (struct pto_insn){.op = PTO_OP_IADD, .pos = 1};
    p.aiv->code.insn[5000] = end;
    p.aiv->code.insns = 5001;
    assert_int_equal(pto_verify(&module, &profile, &program, &diags), PTO_EPROGRAM);
    assert_int_equal(diags.errors, 100);
    pto_module_free(&module);
    pto_diags_free(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_module_passes), cmocka_unit_test(each_break_has_its_message),
        cmocka_unit_test(places_and_trails),     cmocka_unit_test(the_profile_decides),
        cmocka_unit_test(errors_are_limited),    cmocka_unit_test(views_follow_their_base),
        cmocka_unit_test(chains_of_views_have_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
