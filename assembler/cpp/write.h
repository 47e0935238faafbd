/* The parts of the C++ of one program.  Internal to the room. */
#ifndef ASM_CPP_WRITE_H
#define ASM_CPP_WRITE_H

#include "cpp/cpp.h"

struct cpp {
    const struct pto_module *module;
    const struct pto_profile *profile;
    const struct pto_kernel *kernel;
    const struct pto_core_code *core; /* NULL: the set-up */
    const struct pto_code *code;
    unsigned kind;       /* enum pto_core_kind */
    struct pto_buf *out;
    struct pto_diags *diags;
    unsigned errors;
    unsigned depth;      /* indentation */
    bool *label;         /* [insns + 1]: a goto leads there */
    uint32_t scratch;    /* byte address of room behind the core's tiles in UB */
};

#define CPP_PUT(c, ...) pto_buf_printf((c)->out, __VA_ARGS__)

/* No counterpart for what stands at `pos`. */
void cpp_refuse(struct cpp *c, uint32_t pos, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Begin a line. */
void cpp_line(struct cpp *c);

/* ---- names and numbers (name.c) ---- */
/* A name of the program's, whose points (those of macros) C++ has not, with a suffix that says what
 * it names. */
void cpp_name(struct cpp *c, const char *name, const char *suffix);
void cpp_register(struct cpp *c, unsigned reg);
void cpp_scalar(struct cpp *c, uint32_t pos, const struct pto_scalar *scalar);
const char *cpp_type(uint8_t dtype);
/* Type of a tile; `pad` names its PadValue. */
void cpp_tile_type(struct cpp *c, const struct pto_tile *tile, const char *pad);

/* ---- instructions (insn.c: those of the scalar unit and of synchronisation; tile.c) ---- */
void cpp_insn(struct cpp *c, const struct pto_insn *insn);
void cpp_tile_insn(struct cpp *c, const struct pto_insn *insn);
/* Does the program need room for scratch tiles, and how much? */
uint32_t cpp_scratch_bytes(const struct pto_core_code *core);
/* An element of global memory or of a local array, as C++ writes it. */
void cpp_element(struct cpp *c, uint32_t pos, const struct pto_operand *operand);
/* Pointer to the start of a window. */
void cpp_window_start(struct cpp *c, uint32_t pos, const struct pto_gm_ref *ref);

/* ---- control flow (flow.c) ---- */
void cpp_flow(struct cpp *c);

#endif
