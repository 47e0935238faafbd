/* Upstream text: any bytes end in a module or in errors, in every way of synchronising, and what is
 * accepted is text of this project's language, too. */
#include <assert.h>

#include "accepted.h"
#include "profile_load.h"

static const char *const words[] = {
    "module {\n", "}\n", "func.func @f(", "%x: !pto.ptr<f32>", ") {\n", "%c0", " = ", " : ", ", ",
    "arith.constant 4 : index\n", "arith.addi ", "arith.cmpi slt, ",
    "scf.for %i = %c0 to %c4 step ", "scf.if %b {\n", "} else {\n", "scf.while ", "scf.yield ",
    "iter_args(", "-> (index)",
    "affine_map<(d0)[s0] -> (d0 * 4 + s0)>", "ceildiv", "floordiv", "mod", "pto.alloc_tile",
    "!pto.tile_buf<vec, 4x8xf32>", "pto.tload ins(", ") outs(", "pto.partition_view ",
    "pto.make_tensor_view ", "offsets = [", "sizes = [", "strides = [", "!pto.tensor_view<?x?xf32>",
    "pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n", "pto.barrier <PIPE_ALL>\n",
    "pto.section.",
    "{pto.target_arch = \"a5\"}", "call @f(", "return\n", "-1", "9223372036854775808", "1.0e9999",
    "\"", "<", ">", "[", "]", "//", "\n", "\xff", NULL};

static const char *const alike[] = {
    "f32 f16 bf16 i32 i16 i8 ui8 ui16 i64 index i1", "row_major col_major none_box",
    "vec mat left right acc bias scaling", "addi subi muli divsi remsi andi ori cmpi select",
    "tload tstore tadd tmul tmov tmatmul trowsum tcolmax texp tcvt tprint tsel",
    "PIPE_MTE1 PIPE_MTE2 PIPE_MTE3 PIPE_V PIPE_M PIPE_FIX PIPE_S PIPE_ALL",
    "4x8xf32 8x4xf32 16x32xf32",
    "0 1 2 4 8 16 32 64 512", NULL};

size_t fuzz_change(uint8_t *data, size_t size, size_t most, uint64_t *state)
{
    if (!fuzz_below(state, 3))
        return fuzz_swap(data, size, most, alike, state);
    return fuzz_change_text(data, size, most, words, state);
}

static void check_imported(const struct pto_buf *text, const struct pto_asm_options *as)
{
    struct pto_asm_options options = {.profile = as->profile, .form = PTO_ASM_FORM_OWN};
    struct pto_diags diags = {0};
    struct pto_module module;
    enum pto_status status = pto_assemble_text("imported", (const char *)text->data, text->size,
                                               &options, &module, &diags);

    assert(status == PTO_OK);
    pto_module_free(&module);
    pto_diags_free(&diags);
}

void fuzz_one(const char *name, const uint8_t *data, size_t size)
{
    struct pto_buf listing = {0}, imported = {0};
    struct pto_diags diags = {.max_errors = 20};
    struct pto_profile profile;
    struct pto_asm_options options = {.profile = &profile, .form = PTO_ASM_FORM_UPSTREAM,
                                      .listing = &listing, .imported = &imported,
                                      .sync = size % (PTO_ASM_SYNC_AUTO + 1)};
    struct pto_module module;
    enum pto_status status = pto_profile_load(size & 8 ? "a5" : "a3", &profile, &diags);

    assert(status == PTO_OK);
    status = pto_assemble_text(name, (const char *)data, size, &options, &module, &diags);
    assert((status == PTO_OK) == (diags.errors == 0) && status != PTO_EINTERNAL);
    if (status == PTO_OK) {
        check_imported(&imported, &options);
        fuzz_accepted(&module, &profile, &diags);
    }
    pto_buf_free(&listing);
    pto_buf_free(&imported);
    pto_diags_free(&diags);
}
