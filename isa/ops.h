/* The instruction table: everything the tools know about an instruction comes from its row in
 * ops.def, and is looked up here.  See docs/architecture.md for how to add one. */
#ifndef PTO_OPS_H
#define PTO_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "enums.h"
#include "space.h"

enum { PTO_PIPE_COUNT = PTO_PIPE_ALL }; /* real pipes, S included */

/* The queues of a sub-core: its pipes, and behind them its DMA engine, which is no pipe: flags,
 * barriers and profiles cannot name it. */
enum { PTO_DMA = PTO_PIPE_COUNT, PTO_QUEUE_COUNT };
const char *pto_queue_name(unsigned queue); /* "MTE2", ..., "DMA" */

/* Kinds of operand. */
enum pto_kind {
    PTO_K_NONE,
    PTO_K_INT,    /* scalar source: integer register or literal */
    PTO_K_FLOAT,  /* scalar source: float register or literal */
    PTO_K_NUM,    /* scalar source of either type */
    PTO_K_INT_REG,   /* scalar destination, integer register */
    PTO_K_FLOAT_REG, /* scalar destination, float register */
    PTO_K_ANY_REG,   /* scalar destination of either type */
    PTO_K_TILE,   /* tile with optional slot, offset, extent */
    PTO_K_GM,     /* global object with optional rank, index, extent */
    PTO_K_MEM,    /* one element of a tile, global object or local array: for ld, st, fetch_add */
    PTO_K_ENUM,   /* keyword of the set `set` */
    PTO_K_LABEL,  /* branch target */
    PTO_K_STRING,
    PTO_K_REST,   /* any number of PTO_K_NUM up to the operand limit: print */
    PTO_K_RING    /* ring, pseudo-instructions only */
};

enum pto_access {
    PTO_READ = 1,
    PTO_WRITE = 2,
    PTO_OPTIONAL = 4,
    PTO_SCRATCH = 8,
    PTO_WINDOW = 16, /* tile: an offset (row, col) may stand */
    PTO_ARROW = 32   /* written behind "->" instead of a comma */
};

enum {
    PTO_MAX_OPERANDS = 12,
    PTO_MAX_DIMS = 6,
    PTO_MAX_REGISTERS = 1024,
    PTO_EVENT_LIMIT = 8,      /* no profile may have more event ids per pair of pipes */
    PTO_CROSS_FLAG_LIMIT = 16, /* nor more cross-core flags */
    PTO_INTRA_BLOCK_FLAGS = 16 /* between the cube and one vector sub-core of its block */
};

/* What an operand's valid region must be, shapes.def. */
#define SHAPE(id, ...) PTO_SHAPE_OF_##id,
enum pto_shape {
#include "shapes.def"
    PTO_SHAPE_COUNT
};
#undef SHAPE

/* What a scalar operand's value must be. */
enum pto_limit {
    PTO_LIMIT_NONE,
    PTO_LIMIT_ELEMENT,      /* a value of the type of operand 0: whole and in range for integers */
    PTO_LIMIT_ELEMENT_OF_1, /* the same of operand 1 */
    PTO_LIMIT_DIVISOR,      /* ELEMENT, not 0 for integers */
    PTO_LIMIT_SHIFT,        /* ELEMENT, 0 to the bits of the type less 1 */
    PTO_LIMIT_ROUNDS,       /* 7 or 10 */
    PTO_LIMIT_RUN,          /* columns of a sorted run: a multiple of 64; 4 divide operand 0 */
    PTO_LIMIT_ADDRESS       /* of operand 0 in its space: aligned, and the tile ends inside */
};

struct pto_operand_spec {
    uint8_t kind;    /* enum pto_kind */
    uint8_t access;  /* enum pto_access bits */
    uint16_t spaces; /* PTO_K_TILE: mask of 1 << enum pto_space */
    uint8_t set;     /* PTO_K_ENUM: enum pto_enum */
    int8_t preset;   /* PTO_K_ENUM, optional: value when absent */
    uint8_t rule;    /* tile and GM: enum pto_shape; scalar source: enum pto_limit */
    const char *name;
};

/* Who carries an instruction out. */
enum pto_class {
    PTO_SCALAR, /* scalar unit, registers only */
    PTO_FLOW,   /* scalar unit: branch, end */
    PTO_ACCESS, /* scalar unit touches memory or the clock */
    PTO_SYNC,   /* flags, barriers, fences, signals: scalar unit or a pipe */
    PTO_TILE,   /* one phase on one pipe */
    PTO_MACRO,  /* the scalar unit issues several phases (TPUT, TGET) */
    PTO_ASYNC,  /* the scalar unit hands a copy over to the DMA engine */
    PTO_PSEUDO  /* lowered to others by the assembler: never in an object */
};

/* How the pipe of a PTO_TILE instruction is found. */
enum pto_route {
    PTO_ON_NONE,
    PTO_ON_V,
    PTO_ON_M,
    PTO_ON_MTE2,
    PTO_ON_PATH /* by the profile's path from the space of the source to that of the destination;
                   global memory counts as a space of its own (PTO_PATH_GM) */
};

enum { PTO_NO_NUMBER = UINT16_MAX };

struct pto_op_info {
    const char *mnemonic;
    enum pto_class class;
    enum pto_route route;
    uint8_t cost;          /* enum pto_cost, PTO_TILE only */
    const char *types;     /* legal element types, see pto_types_match */
    const char *types_a5;  /* those that profiles of level a5 add, or (-) lack; "" none */
    const char *meaning;   /* one line */
    uint16_t number;       /* in objects; pseudo-instructions: PTO_NO_NUMBER */
    uint8_t operands;      /* number of specs */
    struct pto_operand_spec operand[PTO_MAX_OPERANDS];
};

#define PTO_OP(id, ...) PTO_OP_##id,
enum pto_op {
#include "ops.def"
    PTO_OP_COUNT
};
#undef PTO_OP

/* Pseudo-instructions are numbered behind the instructions. */
#define PTO_OP(id, ...)
#define PTO_PSEUDO_OP(id, ...) PTO_OP_##id,
enum pto_pseudo_op {
    PTO_PSEUDO_BASE = PTO_OP_COUNT - 1,
#include "ops.def"
    PTO_ROW_COUNT
};
#undef PTO_OP
#undef PTO_PSEUDO_OP

/* Cost classes: what the profile prices. */
#define COST(id, name, unit, meaning) PTO_COST_##id,
#define COST_LIKE(id, name, unit, like, meaning) PTO_COST_##id,
enum pto_cost {
#include "cost.def"
    PTO_COST_COUNT
};
#undef COST
#undef COST_LIKE

extern const struct pto_op_info pto_op_rows[PTO_ROW_COUNT];
static inline const struct pto_op_info *pto_op_info(unsigned op)
{
    return &pto_op_rows[op];
}
/* The instruction that has this number in objects, or -1. */
int pto_op_numbered(unsigned number);
/* First row with this mnemonic (exact case), or -1, among the instructions or among the
 * pseudo-instructions.  Several rows may share one: pto_op_next gives the next with the same
 * mnemonic, or -1. */
int pto_op_find(const char *mnemonic);
int pto_pseudo_op_find(const char *mnemonic);
int pto_op_next(unsigned op);

/* The same for whoever asks often: rows by a hash of their mnemonics. */
struct pto_op_index {
    int16_t head[256], next[PTO_ROW_COUNT]; /* rows of one hash in order; -1: no more */
};
void pto_op_index_make(struct pto_op_index *index);
/* First row with this mnemonic, pseudo-instructions included, or -1; the next after `op`, or -1. */
int pto_op_index_find(const struct pto_op_index *index, const char *mnemonic);
int pto_op_index_next(const struct pto_op_index *index, unsigned op);

/* Do the element types of the tile, GM and MEM operands (in operand order, scratch left out) fit
 * the row?  The `types` text is a list of alternatives separated by blanks; each names one type for
 * all operands ("f16"), or one per operand separated by commas ("f32,f16,f16"), where "*" fits any.
 * "" means that any types fit.  `a5`: the profile's level allows types_a5 too, and lacks those that
 * stand there behind a minus. */
bool pto_types_match(const struct pto_op_info *info, bool a5, const uint8_t *dtypes,
                     unsigned count);

#endif
