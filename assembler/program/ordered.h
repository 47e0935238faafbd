/* .ordered blocks: vector instructions that depend on each other, with the barriers between them
 * left to the assembler. */
#ifndef ASM_PROGRAM_ORDERED_H
#define ASM_PROGRAM_ORDERED_H

#include "module.h"
#include "text/ast.h"

struct assembly;

/* What V was told to read or write since the last barrier. */
struct asm_vector_access {
    uint16_t tile;
    struct pto_scalar slot;
    bool writes;
};

struct asm_ordered {
    bool open;
    bool applies;                  /* the instruction being lowered takes the extent */
    const struct asm_list *extent; /* of tile operands that have none; NULL: none was written */
    struct asm_vector_access *access;
    uint32_t accesses, access_capacity;
    bool any;     /* V was told something in this block */
    bool unknown; /* ways have met since the last barrier: V may be doing anything */
};

/* .ordered, when its block has been opened; and its end. */
void asm_ordered_open(struct assembly *a, const struct asm_stmt *stmt);
void asm_ordered_close(struct assembly *a);
/* Around the lowering of an instruction. */
void asm_ordered_before(struct assembly *a, unsigned op);
/* The instruction emitted last; `first` is the first one that its statement became. */
void asm_ordered_after(struct assembly *a, uint32_t first);
/* The extent of a tile operand that has none of its own, or NULL. */
const struct asm_list *asm_ordered_extent(const struct assembly *a);
/* Ways meet here; `repeats`: at the head of a loop. */
void asm_ordered_meet(struct assembly *a, bool repeats);

#endif
