/* One write of one of the runs, as it is told: the instruction with what it was issued with, and
 * the bytes that it left. */
#ifndef PTO_TWIN_DETAIL_H
#define PTO_TWIN_DETAIL_H

#include "twin/side.h"

struct twin_detail {
    struct twin_unit unit; /* which write: */
    uint64_t index;        /* the how-manieth of the unit */
    uint64_t entry;
    struct twin_side *side;
    uint64_t seen;
    bool found;
    struct twin_write write;
    struct pto_buf text, where, core; /* "TADD ta[0] ...", "a.pto:24", "aiv0.1" */
    struct pto_buf bytes;  /* stretch after stretch */
    struct pto_place place;
    struct pto_stretch *stretch;
    unsigned stretches;
    uint8_t dtype;
    const struct pto_register *reg; /* of its program, */
    uint64_t *value;       /* and what they held when it was issued */
    unsigned registers;    /* 0: not known */
    unsigned dims;         /* of an object */
    int64_t stride[PTO_MAX_DIMS];
};

/* Run the side once more up to that write. */
enum pto_status twin_detail_take(struct twin_detail *detail, struct pto_diags *diags,
                                 int *stopped_by);
/* Where the element of this number among its bytes lies: "y@0[192]", "ub+0x40". */
void twin_detail_place(const struct twin_detail *detail, uint64_t element, struct pto_buf *out);
/* What it is; "" behind the last. */
void twin_detail_value(const struct twin_detail *detail, uint64_t element, struct pto_buf *out);
/* What a register of the first write held at the second; false: the same, the second has no such
 * register, or it is the assembler's own. */
bool twin_detail_other(const struct twin_detail d[2], unsigned number, uint64_t *value);
void twin_detail_register(const struct pto_register *reg, uint64_t bits, struct pto_buf *out);
void twin_detail_free(struct twin_detail *detail);

#endif
