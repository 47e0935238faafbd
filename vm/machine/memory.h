/* The one door to bytes: global memory, on-chip spaces, and views of them.
 *
 * Units and operations reach bytes through the views made here from operands that were resolved and
 * checked at issue (resolve.h), so observation at this door cannot be bypassed.  Who only looks at
 * a machine from outside (look/, check/) reads the objects' and spaces' bytes as they stand. */
#ifndef PTO_MACHINE_MEMORY_H
#define PTO_MACHINE_MEMORY_H

#include "machine.h"

/* Spaces are poisoned in at most 64 pieces of at least 4 KiB: the logarithm of their size. */
unsigned memory_piece_shift(uint32_t capacity);
/* The bytes of an operand's tile, whose slot begins at the address; poisoned before their first use
 * in a launch. */
uint8_t *memory_tile(struct core *core, const struct ready_operand *operand, uint32_t address);
/* The bytes of a whole space, all of them poisoned that were not used yet; NULL: the program uses
 * none of it. */
uint8_t *memory_space(struct core *core, unsigned space);
/* A space that a sub-core had, without the bytes of the pieces that it had reached: the caller
 * fills them. */
void memory_restore_space(struct core *core, unsigned space, uint32_t size, uint64_t reached);
/* The words of all its .local arrays, which a launch begins with zeros. */
uint64_t *memory_locals(struct core *core);
/* View of a resolved tile operand, for who is not an instruction of a queue: nothing is due there
 * (due.h). */
void memory_tile_view(struct core *core, const struct ready_operand *operand,
                      const uint64_t *word, struct op_view *view);
/* View of a resolved GM operand on the core's own rank; nothing is due there. */
void memory_gm_view(const struct core *core, const uint64_t *word, struct op_view *view);
/* View of a window of an object of a rank, as a message describes it. */
void memory_message_view(const struct rank *rank, const struct message *message,
                         struct op_view *view);
/* Bytes from view->data to an element. */
int64_t memory_element_offset(const struct op_view *view, uint32_t row, uint32_t col);
/* An object of the kernel as the current launch declares it, and its name. */
static inline const struct bound_object *memory_object(const struct core *core, uint32_t object)
{
    const struct rank *rank = core->rank;

    return &rank->vm->launch[rank->launch].bound[rank->number][object];
}
const char *memory_object_name(const struct core *core, uint32_t object);

/* What the function of a tile entry sees now.  A window on another rank is packed, in the entry's
 * payload: what a reply brought, or room for what is to be sent. */
void memory_fill_args(struct core *core, const struct entry *entry, struct op_args *args);
/* The room that functions need beside their operands: `scratch` is the caller's to free. */
void memory_give_room(struct op_args *args, struct pto_vm *vm);

/* On-chip memories and registers of a sub-core at the start of a launch: poisoned. */
void memory_reset(struct core *core);
/* The sub-core has ended: give back its registers, and its memories unless others of its block may
 * reach them. */
void memory_release(struct core *core);
/* Allocate an object's bytes: zeroed if it is symmetric or will be filled from outside, poisoned
 * otherwise; false if the host has no such memory. */
bool memory_allocate(struct pto_vm *vm, struct object *object, bool filled);
void memory_free(struct rank *rank);

#endif
