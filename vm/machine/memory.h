/* The one door to bytes: global memory, on-chip spaces, and views of them.
 *
 * Operands are resolved when the scalar unit issues an instruction (slots, offsets, extents and
 * bounds are checked then, once) and become views when a phase completes.  Nothing else makes
 * pointers from addresses, so observation at this door cannot be bypassed. */
#ifndef PTO_MACHINE_MEMORY_H
#define PTO_MACHINE_MEMORY_H

#include "machine.h"

enum { POISON = 0xff }; /* NaN in every float type, -1 in signed integers */

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
bool memory_resolve_tile(struct core *core, const struct ready_operand *operand,
                         struct extent given, uint64_t *word);
/* TASSIGN: slot 0 of the tile, and of the tiles that view it, lies at `address` from now on. */
bool memory_assign_tile(struct core *core, const struct ready_operand *operand, int64_t address);
/* The extent that an operand names, rows = NOT_GIVEN if none. */
struct extent memory_operand_extent(const struct core *core, const struct ready_operand *operand);
/* What is left of the operand's object from its index on. */
struct extent memory_rest(const struct core *core, const struct ready_operand *operand);
/* Resolve a GM operand with this extent into GM_WORDS words. */
bool memory_resolve_gm(struct core *core, const struct ready_operand *operand,
                       struct extent extent, uint64_t *word);
/* A window that an instruction looks things up in: its own extent, else what is left of the object
 * from its index on; only of this rank. */
bool memory_resolve_table(struct core *core, const struct ready_operand *operand, uint64_t *word);
/* Resolve a signal operand: its extent, or one element, or (without indices) the whole object. */
bool memory_resolve_signal(struct core *core, const struct ready_operand *operand,
                           uint64_t *word);

/* View of a resolved tile operand. */
void memory_tile_view(struct core *core, const struct ready_operand *operand,
                      const uint64_t *word, struct op_view *view);
/* View of a resolved GM operand on the core's own rank. */
void memory_gm_view(const struct core *core, const uint64_t *word, struct op_view *view);
/* View of a window of an object of a rank, as a message describes it. */
void memory_message_view(const struct rank *rank, const struct message *message,
                         struct op_view *view);
const struct bound_object *memory_object(const struct core *core, uint32_t object);

/* Address of one element for ld and st: in GM, a tile or a .local array; NULL after a fault. */
void *memory_element(struct core *core, const struct ready_operand *operand, uint8_t *dtype);

/* On-chip memories and registers of a sub-core at the start of a launch: poisoned. */
void memory_reset(struct core *core);
/* Allocate an object's bytes: zeroed if symmetric, poisoned otherwise, or what was bound; false if the host has
 * no such memory. */
bool memory_allocate(struct object *object);
void memory_free(struct rank *rank);

#endif
