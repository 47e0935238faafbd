#include "accepted.h"

#include <assert.h>
#include <string.h>

#include "lint/lint.h"
#include "object.h"

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

void fuzz_accepted(struct pto_module *module, const struct pto_profile *profile,
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
