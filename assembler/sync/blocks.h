/* The structure of a program: blocks in blocks, found again in its branches.  Internal to the room.
 *
 * A block is the body of a loop, an arm of a choice, or the program.  In the block around it, a
 * loop or a choice is one item, an instruction is another.  What stands at a point of a block is
 * executed as often as everything else that stands in this block itself: flags that are set at one
 * point of it and waited for at another are in balance.  A loop that is left or begun again in its
 * middle is opaque: nothing of that kind is known inside. */
#ifndef ASM_SYNC_BLOCKS_H
#define ASM_SYNC_BLOCKS_H

#include "module.h"

struct block {
    uint32_t start, end;  /* instructions start..end-1 */
    uint32_t first, last; /* the item that it belongs to in its parent: first..last-1 */
    uint32_t parent;      /* the program's own: itself */
    unsigned depth;
    bool loop, opaque;
};

struct blocks {
    const struct pto_core_code *core;
    struct block *block; /* 0: the program */
    uint32_t blocks, capacity;
    uint32_t *of;        /* by instruction: the innermost block */
    bool *live;          /* by instruction: can it be reached? */
    uint32_t *again;     /* by instruction: last branch backward to it, 0: none */
    bool *twice;         /* by instruction: more than one branch backward to it */
};

void blocks_find(struct blocks *blocks, const struct pto_core_code *core);
void blocks_free(struct blocks *blocks);
/* Where an instruction may go on other than at the next one: its target; for an `end` before the
 * last instruction that one; -1: nowhere. */
int64_t blocks_target(const struct pto_core_code *core, uint32_t at);
/* Does nothing follow an instruction at the next one? */
bool blocks_leaves(const struct pto_core_code *core, uint32_t at);
/* The innermost block around both. */
uint32_t blocks_common(const struct blocks *blocks, uint32_t a, uint32_t b);
/* The item of `block` that holds something which stands at `at` in the block `inner`. */
struct span {
    uint32_t first, end;
} blocks_item(const struct blocks *blocks, uint32_t block, uint32_t inner, uint32_t at);
/* Is the block a loop's body, or in one? */
bool blocks_repeats(const struct blocks *blocks, uint32_t block);
/* Does `outer` hold `inner`, or is it the same? */
bool blocks_holds(const struct blocks *blocks, uint32_t outer, uint32_t inner);

#endif
