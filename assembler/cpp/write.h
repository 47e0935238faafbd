/* The parts of the C++ of one program.  Internal to the room. */
#ifndef ASM_CPP_WRITE_H
#define ASM_CPP_WRITE_H

#include "cpp/cpp.h"

/* What the text needs in front of it. */
enum cpp_need { CPP_RANKS = 1, CPP_FETCH_ADD = 2, CPP_CLOCK = 4, CPP_F32_BITS = 8 };

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
    unsigned needs;      /* mask of enum cpp_need, of the kernel so far */
    unsigned depth;      /* indentation */
    bool transfers;      /* the program has TPUT or TGET */
    bool down;           /* what is written is for windows that go down by one element */
    bool *label;         /* [insns + 1]: a goto leads there */
    uint32_t scratch;    /* byte address of room behind the core's tiles in UB */
};

#define CPP_PUT(c, ...) pto_buf_printf((c)->out, __VA_ARGS__)

/* No counterpart for what stands at `pos`. */
void cpp_refuse(struct cpp *c, uint32_t pos, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Begin a line; a block, and end it. */
void cpp_line(struct cpp *c);
void cpp_open(struct cpp *c);
void cpp_close(struct cpp *c);

/* ---- names and numbers (name.c) ---- */
/* A name of the program's, whose points (those of macros) C++ has not, with a suffix that says what
 * it names. */
void cpp_name(struct cpp *c, const char *name, const char *suffix);
void cpp_register(struct cpp *c, unsigned reg);
void cpp_scalar(struct cpp *c, uint32_t pos, const struct pto_scalar *scalar);
const char *cpp_type(uint8_t dtype);
/* EQ, NE, ..: of CmpMode and of WaitCmp. */
const char *cpp_comparison(unsigned comparison);
/* Type of a tile; `pad` names its PadValue. */
void cpp_tile_type(struct cpp *c, const struct pto_tile *tile, const char *pad);

/* ---- instructions (insn.c: those of the scalar unit and of synchronisation; tile.c; signal.c:
 * signals between ranks, fetch_add and clock) ---- */
void cpp_insn(struct cpp *c, const struct pto_insn *insn);
void cpp_tile_insn(struct cpp *c, const struct pto_insn *insn);
void cpp_tile_access(struct cpp *c, const struct pto_insn *insn);
void cpp_signal_insn(struct cpp *c, const struct pto_insn *insn);
void cpp_asking_insn(struct cpp *c, const struct pto_insn *insn);
/* Does the program need room for scratch tiles, and how much? */
uint32_t cpp_scratch_bytes(const struct pto_core_code *core);

/* ---- windows of global memory (window.c) ---- */
/* An element of global memory or of a local array, as C++ writes it. */
void cpp_element(struct cpp *c, uint32_t pos, const struct pto_operand *operand);
/* Which neighbours of the object lie side by side, as far as its declaration says. */
enum cpp_lines { CPP_ACROSS, CPP_DOWN, CPP_APART, CPP_LATER /* the launch says */ };
enum cpp_lines cpp_lines(const struct pto_object *object);
/* Elements from one step of dimension `dim` to the next. */
void cpp_stride(struct cpp *c, const struct pto_object *object, unsigned dim);
/* The operand as a GlobalTensor of the name t0, t1, ... by its number; `side`: rows and columns,
 * NULL: the last two dimensions of the object. */
void cpp_declare_window(struct cpp *c, const struct pto_insn *insn, unsigned operand,
                        const struct pto_scalar side[2]);

/* ---- control flow (flow.c) ---- */
void cpp_flow(struct cpp *c);

#endif
