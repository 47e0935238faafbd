/* What the function of a tile instruction sees: views of bytes, scalars and modifiers.
 *
 * A function knows nothing of pipes, time, flags or observers; it gets views whose bounds are
 * already checked and computes.  The files of this folder are compiled once per host instruction
 * set level (baseline, x86-64-v3, x86-64-v4), those that multiply int8 where the host has more
 * beside them (cube_vnni.c, cube_amx.c).  All levels give the same bits: no contraction, fused
 * operations only where the semantics say so (fma(), fmaf()). */
#ifndef PTO_VM_OP_H
#define PTO_VM_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dtype.h"
#include "ops.h"

struct op_view {
    uint8_t *data;         /* element (0, 0) of the tile, or of the window of global memory */
    uint8_t dtype, layout; /* enum pto_dtype, enum pto_layout (windows of global memory: PTO_ND) */
    uint8_t space;         /* enum pto_space; windows of global memory: PTO_PATH_GM's value */
    uint32_t rows, cols;   /* valid region: what is to be read or written */
    uint32_t tile_rows, tile_cols; /* declared shape, which fixes the place of every element */
    uint32_t row, col;     /* offset into the tile (TEXTRACT, TINSERT), else 0 */
    uint32_t pitch;        /* fractal layouts: rows (zz, zn: columns) of the tile that a window lies
                              in; 0: it is no window */
    uint32_t line;         /* tiles in ND that begin at their first element: elements from one row
                              to the next; 0: not known to be one */
    /* Bytes from one row and one column to the next, for ND, DN and global memory; 0 for fractal
     * layouts, whose element offsets follow docs/language.md, "Layouts". */
    int64_t row_stride, col_stride;
};

struct op_arg {
    bool present;          /* an optional operand was given (mandatory ones always are) */
    bool is_float;         /* scalar: `f` holds it, else `i` */
    struct op_view view;   /* tile and global operands */
    int64_t i;             /* integer scalar, or value of a keyword */
    double f;
};

/* Scratch for packing, private to the calling host thread. */
enum { OP_SCRATCH_BYTES = 2 << 20 };

struct op_args {
    struct op_arg arg[PTO_MAX_OPERANDS]; /* by operand position of the row in ops.def */
    uint8_t *scratch;                    /* OP_SCRATCH_BYTES, aligned to 64 */
    char *message;                       /* room for OP_MESSAGE_BYTES: a composed fault text */
    const struct cube_engine *int8;      /* of the op_set whose functions are called */
};

enum { OP_MESSAGE_BYTES = 256 };

/* Returns NULL, or why the instruction faults (a wrong shape, a division by zero): either a literal
 * or args->message. */
typedef const char *op_function(const struct op_args *args);

/* What an instruction says whose table of functions lacks the type at hand.  Its row of the table
 * would be wrong: no program can get here (tests/unit/ops_rows_test.c). */
#define OP_NO_FUNCTION "the machine has no function for these element types"

/* Function of a tile instruction at this level: OP(TADD) { ... } */
#ifndef OP_LEVEL
#define OP_LEVEL base
#endif
#define OP_PASTE_(id, level) op_##id##_##level
#define OP_PASTE(id, level) OP_PASTE_(id, level)
#define OP_NAME(id) OP_PASTE(id, OP_LEVEL)
#define OP(id) const char *OP_NAME(id)(const struct op_args *args)

/* One level's functions: the table by instruction (NULL for those that are not tile instructions),
 * and what the engine itself needs of the transfers. */
struct op_set {
    const char *level;
    op_function *const *function;
    /* Packed row-major elements (rows x cols of dst) land in a window of global memory, atomically
     * combined if `atomic` (PTO_ATOMIC_*) says so, with the rounding of the type. */
    void (*land)(const struct op_view *dst, const void *packed, int atomic);
    /* A window of global memory as packed row-major elements. */
    void (*collect)(const struct op_view *src, void *packed);
    /* What multiplies int8 in the cube where the host has more than the level; or NULL. */
    const struct cube_engine *int8;
};

/* The best level that this host can run. */
const struct op_set *op_select(void);

#endif
