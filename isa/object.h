/* Objects: modules as bytes.  Reading is safe on any input; writing is reproducible.
 * The format is described in docs/object-format.md. */
#ifndef PTO_OBJECT_H
#define PTO_OBJECT_H

#include "diag.h"
#include "module.h"
#include "profile.h"
#include "status.h"

/* Do these bytes start like an object (so that a program can tell object from text)? */
bool pto_is_object(const uint8_t *bytes, size_t size);
/* Append the module's object to `out`. */
void pto_object_write(const struct pto_module *module, struct pto_buf *out);
/* Read an object.  On failure one diagnostic says what is wrong at which byte; `name` is what the
 * messages call the input.  On success the caller owns *module (pto_module_free). */
enum pto_status pto_object_read(const uint8_t *bytes, size_t size, const char *name,
                                struct pto_module *module, struct pto_diags *diags);

/* A module that passed verification for one profile: the only thing the machine runs. */
struct pto_program {
    struct pto_module module;
    struct pto_profile profile;
};

/* Check everything that can be known without running (docs/validation.md) and take the module over
 * into *program.  On failure all problems are in `diags` and the module is left to the caller. */
enum pto_status pto_verify(struct pto_module *module, const struct pto_profile *profile,
                           struct pto_program *program, struct pto_diags *diags);
void pto_program_free(struct pto_program *program);

/* Text that assembles to the same object bytes, appended to `out`. */
void pto_disassemble(const struct pto_module *module, struct pto_buf *out);
/* One instruction as text, without newline: for listings and the debugger. */
void pto_disassemble_insn(const struct pto_module *module, const struct pto_kernel *kernel,
                          const struct pto_core_code *core, const struct pto_code *code,
                          const struct pto_insn *insn, struct pto_buf *out);
/* The same with the values that its sources have: of all registers, behind them of the built-in
 * functions.  What it writes keeps its name. */
void pto_disassemble_values(const struct pto_module *module, const struct pto_kernel *kernel,
                            const struct pto_core_code *core, const struct pto_code *code,
                            const struct pto_insn *insn, const uint64_t *value,
                            struct pto_buf *out);
/* The same with nothing where values belong, for those who write one instruction many times: a hole
 * for each, in the order of the text; returns their number.  Values beyond the last hole are
 * written as names. */
enum { PTO_MAX_HOLES = 64 };
struct pto_hole {
    uint32_t at;    /* bytes of the text before it */
    uint32_t value; /* which, as above */
    bool is_float;
};
unsigned pto_disassemble_holes(const struct pto_module *module, const struct pto_kernel *kernel,
                               const struct pto_core_code *core, const struct pto_insn *insn,
                               struct pto_hole hole[PTO_MAX_HOLES], struct pto_buf *out);

#endif
