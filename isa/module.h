/* What an object holds: a module of kernels, in memory.
 *
 * Data and owner.  The assembler builds a module (pto_assemble), object.c turns it into bytes and
 * back, verify.c is the only way from a module to a runnable `struct pto_program`.  All memory of a
 * module belongs to its arena.  A module is plain description: nothing in it is specific to our
 * text, so that another front end can build one.
 *
 * A kernel declares parameters (registers 0..n-1 of every code block), global objects whose sizes
 * are scalars computed by the set-up code at launch, and up to two programs: one for the cube
 * sub-core (AIC), one for the vector sub-cores (AIV). */
#ifndef PTO_MODULE_H
#define PTO_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "dtype.h"
#include "ops.h"

enum {
    PTO_NONE = -1,
    PTO_MAX_TILE_SIDE = 65535, /* rows, and columns, of a tile */
    PTO_MAX_VIEW_DEPTH = 64    /* views of views of an object */
};

/* A scalar operand. */
enum pto_scalar_kind {
    PTO_S_NONE, /* left out */
    PTO_S_REG,  /* register `reg` */
    PTO_S_INT,  /* literal `i` */
    PTO_S_FLOAT,/* literal `f` */
    PTO_S_SYS   /* built-in value `reg` (enum pto_sys), an integer fixed for the launch */
};

enum pto_sys {
#define SYS(id, number, name) PTO_SYS_##id = (number),
#include "sys.def"
#undef SYS
#define SYS(...) +1
    PTO_SYS_COUNT = 0
#include "sys.def"
#undef SYS
};
/* Name as written before "()", and its value by name or -1. */
const char *pto_sys_name(enum pto_sys sys);
int pto_sys_find(const char *name);

struct pto_scalar {
    uint8_t kind; /* enum pto_scalar_kind */
    uint16_t reg;
    union {
        int64_t i;
        double f;
    };
};

/* Are two operands written alike: one register, one built-in value, one literal? */
bool pto_scalar_same(const struct pto_scalar *a, const struct pto_scalar *b);

/* tile[slot](row, col){rows, cols}; a tile that views another one may have a byte offset instead
 * of (row, col): tile[slot](byte){rows, cols}. */
struct pto_tile_ref {
    uint16_t tile;
    struct pto_scalar slot, row, col, byte, rows, cols;
};

/* object@rank[index...]{rows, cols}: element offsets, one per dimension (or none: the start). */
struct pto_gm_ref {
    uint16_t object;
    uint8_t indices;
    struct pto_scalar rank, index[PTO_MAX_DIMS], rows, cols;
};

/* local[index] */
struct pto_local_ref {
    uint16_t local;
    struct pto_scalar index;
};

enum pto_operand_kind {
    PTO_O_NONE,
    PTO_O_SCALAR, /* source scalar or destination register */
    PTO_O_TILE,
    PTO_O_GM,
    PTO_O_LOCAL,
    PTO_O_ENUM,   /* value */
    PTO_O_LABEL,  /* value = instruction index */
    PTO_O_STRING  /* text */
};

struct pto_operand {
    uint8_t kind; /* enum pto_operand_kind */
    union {
        struct pto_scalar scalar;
        struct pto_tile_ref tile;
        struct pto_gm_ref gm;
        struct pto_local_ref local;
        uint32_t value;
        const char *text;
    };
};

struct pto_insn {
    uint16_t op;      /* enum pto_op */
    uint8_t operands; /* at most PTO_MAX_OPERANDS; left-out optional ones are PTO_O_NONE */
    uint32_t pos;     /* index into the module's positions */
    struct pto_operand *operand;
};

/* Where an instruction comes from; `parent` chains to the macro use or include that led here. */
struct pto_pos {
    uint32_t file, line, column;
    int32_t parent; /* index of another position, smaller than this one's own; PTO_NONE */
};

struct pto_register {
    const char *name; /* without '%'; temporaries of the assembler start with '_' */
    bool is_float;
};

/* Straight code with its registers: a core's program or a kernel's set-up. */
struct pto_code {
    struct pto_insn *insn;
    uint32_t insns;
    struct pto_register *reg; /* the kernel's parameters come first */
    uint32_t regs;
};

struct pto_tile {
    const char *name;
    uint8_t space, dtype, layout;
    uint32_t rows, cols;
    uint32_t slots;       /* at least 1 */
    uint32_t address;     /* byte address of slot 0 in its space */
    uint32_t slot_stride; /* bytes between slots, a multiple of 32 */
    int32_t parent;       /* tile whose bytes this one views, or PTO_NONE */
    uint32_t pitch;       /* elements from row to row (dn: column to column), of fractals the rows
                             (zz, zn: columns) of the tile that it is a window of; 0: no window */
    uint32_t pos;
};

struct pto_local {
    const char *name;
    bool is_float;
    uint32_t count; /* 64-bit elements */
    uint32_t pos;
};

struct pto_label {
    const char *name;
    uint32_t insn; /* may equal insns: the end */
};

/* Program of one kind of sub-core. */
struct pto_core_code {
    bool present;
    struct pto_code code; /* ends with the instruction `end` */
    struct pto_tile *tile;
    uint32_t tiles;
    struct pto_local *local;
    uint32_t locals;
    struct pto_label *label;
    uint32_t labels;
};

enum pto_object_kind {
    PTO_OBJ_IN,     /* bound to an input, read-only */
    PTO_OBJ_OUT,    /* result; starts poisoned */
    PTO_OBJ_INOUT,  /* bound to an input, written back as a result */
    PTO_OBJ_GM,     /* private global memory that persists over launches; starts poisoned */
    PTO_OBJ_SYM,    /* symmetric: same size on every rank, zeroed, reachable by @rank */
    PTO_OBJ_SIGNAL, /* symmetric int32 signals, one 64-byte line each */
    PTO_OBJ_VIEW,   /* another shape, type, offset or strides over the bytes of `base` */
    PTO_OBJECT_KINDS
};

struct pto_object {
    const char *name;
    uint8_t kind, dtype;
    bool optional;                          /* inputs: may be left unbound, see present() */
    bool uniform;                           /* inputs: the same bytes on every rank */
    bool flat;                              /* .in, .inout of one dimension: arrays of any shape */
    uint8_t dims;                           /* 1..PTO_MAX_DIMS */
    struct pto_scalar dim[PTO_MAX_DIMS];    /* elements, over the set-up's registers */
    bool strided;                           /* views: `stride` is given; else row major */
    struct pto_scalar stride[PTO_MAX_DIMS]; /* elements */
    int32_t base;                           /* views: an earlier object; else PTO_NONE */
    struct pto_scalar offset;               /* views: elements of this type from the base's start */
    uint32_t pos;
};

struct pto_param {
    const char *name;
    bool is_float;
    bool has_default; /* the set-up holds the `default` instruction that computes it */
    bool uniform;     /* the same value on every rank */
    uint32_t pos;
};

struct pto_kernel {
    const char *name;
    struct pto_param *param;
    uint32_t params;
    struct pto_object *object;
    uint32_t objects;
    struct pto_code setup;      /* scalar instructions only, run once per rank at launch */
    uint8_t vectors_per_block;  /* .mix 1:1 or 1:2 */
    struct pto_core_code core[PTO_CORE_KINDS];
    uint32_t pos;
};

struct pto_module {
    struct pto_arena arena;
    const char *profile; /* name of the profile it was assembled for */
    const char **file;   /* source files */
    uint32_t files;
    struct pto_pos *pos;
    uint32_t positions;
    struct pto_kernel *kernel;
    uint32_t kernels;
};

/* Bytes from one row (ND: of the tile) to the next, whole tile, and the element's place, by layout;
 * rows and columns are the declared ones. */
uint64_t pto_tile_bytes(const struct pto_tile *tile);
/* Element offset (not bytes) of (row, col) in a tile of this layout, space, type and shape. */
uint64_t pto_tile_offset(const struct pto_tile *tile, uint32_t row, uint32_t col);

/* Element types of the tile, GM and MEM operands of an instruction, in order, scratch left out;
 * returns their number.  What pto_types_match wants. */
unsigned pto_insn_types(const struct pto_kernel *kernel, const struct pto_core_code *core,
                        const struct pto_insn *insn, uint8_t *dtypes);

void pto_module_free(struct pto_module *module);

#endif
