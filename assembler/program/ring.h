/* Rings (.fifo): their declaration, and the check that both sides use them. */
#ifndef ASM_PROGRAM_RING_H
#define ASM_PROGRAM_RING_H

#include "module.h"
#include "text/ast.h"

struct assembly;

/* A ring (.fifo): slots in global memory that one kind of sub-core fills and the other empties. */
struct asm_ring {
    const struct asm_token *token; /* name in the declaration */
    bool wrong;                    /* reported: its uses are not looked at */
    enum pto_core_kind producer;
    int32_t object[PTO_CORE_KINDS]; /* what each kind of sub-core sees: the slots, or its part */
    bool split;                     /* the vector sub-cores see a part of each slot */
    uint32_t rows[PTO_CORE_KINDS], cols[PTO_CORE_KINDS]; /* of a slot, or of the part */
    uint32_t slots;
    int64_t flags; /* cross-core flag of data, that of free slots follows */
    bool used[PTO_CORE_KINDS];
    unsigned pipe; /* enum pto_pipe whose flag hands filled slots over; 0: not known yet */
    /* In the open core: how many slots were taken, and the one taken last (PTO_NONE: none yet). */
    int32_t position, slot;
};

void asm_ring_statement(struct assembly *a, const struct asm_stmt *stmt);
/* The ring that a cross-core flag belongs to, or NULL. */
const struct asm_ring *asm_ring_of_flag(const struct assembly *a, int64_t flag);
/* At the end of a kernel: every ring is filled and emptied. */
void asm_rings_close(struct assembly *a);

#endif
