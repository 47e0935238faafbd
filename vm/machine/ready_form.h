/* The ready form: a program resolved for the machine, immutable while it runs.
 *
 * Registers, built-in values and literals share one register file, so that every scalar operand is
 * a register index; tile and global operands are prepared views whose rest is known at issue. */
#ifndef PTO_MACHINE_READY_FORM_H
#define PTO_MACHINE_READY_FORM_H

#include "module.h"
#include "ops/op.h"
#include "profile.h"

#define NO_REGISTER UINT32_MAX

/* A scalar instruction, or the index of a ready operation; parallel to the code's insn array. */
struct ready_insn {
    uint16_t op;      /* enum pto_op */
    uint16_t c;       /* register of a condition: no literal, so it is among the first */
    uint32_t d, a, b; /* registers, branch target in d; others: d = index of the ready operation */
};

struct ready_operand {
    uint8_t kind;        /* enum pto_operand_kind */
    bool is_float;       /* scalars: the register holds an f64 */
    bool whole_tile;     /* tiles: no valid region given */
    bool has_offset;     /* tiles: (row, col) given: a second word */
    uint8_t abroad;      /* tiles of another sub-core of the block: 1 + its number in the block */
    uint8_t access;      /* enum pto_access */
    uint8_t word;        /* first word in the queue entry */
    uint8_t indices;
    uint16_t object;     /* GM: index in the kernel */
    uint32_t root;       /* number of the tile that has the bytes, below all views */
    const struct pto_tile *tile;
    uint32_t bytes;      /* of the tile */
    uint8_t piece_shift; /* of its space, see memory.h */
    uint64_t pieces;     /* a bit for each that the tile may reach, from that of its address on */
    uint32_t limit;      /* tile views with a byte offset: bytes of the parent's slot */
    uint32_t slot, row, col, byte, rows, cols, rank; /* registers or NO_REGISTER */
    uint32_t index[PTO_MAX_DIMS];
    uint32_t reg;        /* scalar source or destination; local arrays: index register */
    uint32_t local;      /* first element of the .local array */
    uint32_t local_count;
    int32_t value;       /* keyword, or string number */
    const char *text;
    struct op_view view; /* what is known before the launch */
};

/* A word of a queue entry that S makes from registers: a scalar; a tile with a slot or without, as
 * it was declared or with a valid region; or the first of a window of this rank that is as large as
 * the tile. */
struct ready_word {
    uint8_t kind;  /* enum ready_word_kind */
    uint32_t tile; /* number among those of the sub-core */
    uint32_t reg;  /* of the scalar; of the slot, or NO_REGISTER */
    uint32_t rows, cols; /* registers of the valid region, or NO_REGISTER */
    uint32_t slots, stride;
    uint64_t declared; /* the tile's word, but for its address (entry.h) */
};
enum ready_word_kind { WORD_SCALAR, WORD_DECLARED, WORD_REGION, WORD_WINDOW };

/* What a phase takes. */
struct phase_cost {
    uint64_t occupancy; /* picoseconds until the pipe may start its next phase */
    uint64_t latency;   /* picoseconds from the end of the occupancy to completion */
    uint64_t bytes;     /* moved, for transfers */
};

enum { ASK_SHAPE = PTO_MAX_OPERANDS };

/* How S carries an instruction out. */
enum ready_way {
    WAY_CLASS, /* as its class says (units/scalar.c) */
    WAY_TILE,  /* it puts a phase into the queue of a pipe ... */
    WAY_FLAG   /* ... or a flag, or a barrier */
};

/* An instruction with structured operands. */
struct ready_op {
    const struct pto_insn *insn;
    const struct pto_op_info *info;
    op_function *function;
    const struct pto_path *path; /* transfers */
    uint8_t way;                 /* enum ready_way */
    uint8_t entry;               /* WAY_FLAG: enum entry_kind */
    uint8_t src, dst;            /* the same: pipes */
    uint32_t event;              /* the same: register, or NO_REGISTER: 0 */
    bool always_costs;           /* `cost` is what it takes each time, but for ... */
    struct phase_cost cost;      /* ... slow ranks, jitter and what is shared */
    const struct ready_word *word; /* all of an entry's; NULL: they take more than registers */
    uint8_t pipe;
    bool unwaited;               /* nobody waits for what it waits for */
    bool skipped;                /* takes its time and moves no bytes (run/payload.h) */
    bool steady;                 /* it may run later than it completes (steady.h) */
    uint8_t operands;
    uint8_t words;               /* used of a queue entry */
    uint8_t unit_bytes;          /* widest element among the tiles */
    int8_t extent_gm, extent_tile; /* transfers: operand numbers of the GM and the tile side */
    int8_t atomic;               /* operand number of the atomic operation, or -1 */
    uint16_t reads, writes;      /* operands of which it may touch bytes, a bit each (effect.h) */
    uint8_t like[PTO_MAX_OPERANDS]; /* it takes a region as large as that operand's, or ASK_SHAPE */
    uint8_t size[PTO_MAX_OPERANDS]; /* bytes of an element */
    /* Macro instructions: the phases that a chunk issues.  Collectives: which side (0 destination,
     * 1 source) is on the peer, which one is split between the peers, -1 none. */
    struct ready_op *load, *store, *copy, *combine;
    int8_t peer_side, split_side;
    struct ready_operand operand[PTO_MAX_OPERANDS];
};

struct ready_code {
    const struct pto_module *module;
    const struct pto_kernel *kernel;
    const struct pto_core_code *core; /* NULL for a set-up */
    const struct pto_code *code;
    struct ready_insn *insn;
    struct ready_op *op;
    uint32_t ops;
    uint32_t first_sys, first_literal, registers;
    uint64_t *literal; /* registers - first_literal values */
    uint32_t local_words;
    bool tiles_move[PTO_SPACE_COUNT];     /* TASSIGN moves tiles of the space */
    bool reaches_abroad;                  /* some tile is another sub-core's */
    uint32_t space_used[PTO_SPACE_COUNT]; /* bytes of each space that the tiles reach */
};

#endif
