/* What works on rings, as plain instructions. */
#ifndef ASM_PROGRAM_RING_CODE_H
#define ASM_PROGRAM_RING_CODE_H

#include "ring.h"
#include "text/ast.h"

struct assembly;

/* At the beginning of a program, and before each of its ends. */
void asm_rings_open(struct assembly *a);
void asm_rings_drain(struct assembly *a);
/* A pseudo-instruction that a row fits; expressions by operand of the row. */
void asm_ring_instruction(struct assembly *a, const struct asm_stmt *stmt, unsigned op,
                          const struct asm_expr *const *expr);
/* Object and leading indices of the slot that was taken last; false after an error at `x`. */
bool asm_ring_slot(struct assembly *a, const struct asm_expr *x, const struct asm_ring *ring,
                   struct pto_gm_ref *ref);

#endif
