/* Operands at issue: slots, offsets, extents and bounds become words of a queue entry.
 *
 * All of it is checked here, once; a fault is raised for the instruction that S is executing.  The
 * words become views when a phase completes (memory.h). */
#ifndef PTO_MACHINE_RESOLVE_H
#define PTO_MACHINE_RESOLVE_H

#include "machine.h"

/* Register `reg` of a core as an integer, or `absent` for NO_REGISTER. */
static inline int64_t register_or(const struct core *core, uint32_t reg, int64_t absent)
{
    return reg == NO_REGISTER ? absent : (int64_t)core->reg[reg];
}

/* An extent, in elements; rows = NOT_GIVEN: the text names none. */
#define NOT_GIVEN INT64_MIN
struct extent {
    int64_t rows, cols;
};

/* Resolve a tile operand into one word, or two with an offset.  `given` is used where the operand
 * names no valid region (rows NOT_GIVEN: the whole tile). */
bool resolve_tile(struct core *core, const struct ready_operand *operand,
                         struct extent given, uint64_t *word);
/* TASSIGN: slot 0 of the tile, and of the tiles that view it, lies at `address` from now on. */
bool resolve_assign(struct core *core, const struct ready_operand *operand, int64_t address);
/* The extent that an operand names, rows = NOT_GIVEN if none. */
struct extent resolve_extent(const struct core *core, const struct ready_operand *operand);
/* What is left of the operand's object from its index on. */
struct extent resolve_rest(const struct core *core, const struct ready_operand *operand);
/* Resolve a GM operand with this extent into GM_WORDS words. */
bool resolve_gm(struct core *core, const struct ready_operand *operand,
                       struct extent extent, uint64_t *word);
/* A window that an instruction looks things up in: its own extent, else what is left of the object
 * from its index on; only of this rank. */
bool resolve_table(struct core *core, const struct ready_operand *operand, uint64_t *word);
/* Resolve a signal operand: its extent, or one element, or (without indices) the whole object. */
bool resolve_signal(struct core *core, const struct ready_operand *operand,
                           uint64_t *word);
/* Address of the tile in its space, with slot and byte offset. */
bool resolve_address(struct core *core, const struct ready_operand *operand, uint32_t *address);

#endif
