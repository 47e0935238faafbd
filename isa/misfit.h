/* What is wrong with an instruction or a tile, and the instruction being looked at. */
#ifndef PTO_MISFIT_H
#define PTO_MISFIT_H

#include "module.h"
#include "profile.h"

enum {
    PTO_MISFIT_TEXT = 320,
    PTO_WHOLE_INSN = PTO_MAX_OPERANDS /* as operand: not one of them is at fault */
};

/* A part of an operand, or of the declaration of a tile. */
enum pto_part {
    PTO_PART_ALL,
    PTO_PART_SLOT, /* tile: the slot; declaration: their number */
    PTO_PART_ROW,
    PTO_PART_COL,
    PTO_PART_BYTE,
    PTO_PART_ROWS,
    PTO_PART_COLS,
    PTO_PART_RANK,
    PTO_PART_LAYOUT, /* declaration */
    PTO_PART_SHAPE,
    PTO_PART_STRIDE,
    PTO_PART_PITCH,
    PTO_PART_ADDRESS,
    PTO_PART_INDEX /* of the first dimension; the others follow */
};

struct pto_misfit {
    unsigned operand;           /* which one is at fault */
    unsigned part;              /* and what of it: enum pto_part */
    char text[PTO_MISFIT_TEXT]; /* "src1 has 31 valid columns, dst needs 32" */
    char hint[PTO_MISFIT_TEXT]; /* may be empty */
};

/* An instruction in its program. */
struct pto_site {
    const struct pto_profile *profile;
    const struct pto_kernel *kernel;
    const struct pto_core_code *core;
    enum pto_core_kind core_kind;
    const struct pto_insn *insn;
};

/* A number that may be unknown before the run. */
struct number {
    bool known;
    uint64_t value;
};

struct check {
    const struct pto_site *site;
    const struct pto_op_info *info;
    struct pto_misfit *misfit;
    struct number side[PTO_MAX_OPERANDS][2]; /* rows and columns of the valid regions; undefined
                                                before shape_regions */
};

void misfit_begin(struct check *c, const struct pto_site *site, struct pto_misfit *misfit);
/* Say in *misfit what is wrong about a part of an operand.  Always false. */
bool misfit_in(struct pto_misfit *misfit, unsigned operand, unsigned part, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Say how it is mended.  Always false. */
bool misfit_hint(struct pto_misfit *misfit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same of a whole operand in c->misfit; `hint` may be NULL.  Always false. */
bool misfit_about(const struct check *c, unsigned operand, const char *hint, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));
/* What the row calls an operand. */
const char *misfit_name(const struct check *c, unsigned operand);
/* The tile of an operand, or NULL. */
static inline const struct pto_tile *misfit_tile(const struct check *c, unsigned operand)
{
    const struct pto_operand *o = &c->site->insn->operand[operand];

    return operand < c->site->insn->operands && o->kind == PTO_O_TILE
               ? &c->site->core->tile[o->tile.tile] : NULL;
}
/* The object that a view names, NULL for others and for views that name no earlier one. */
const struct pto_object *misfit_base(const struct pto_kernel *kernel,
                                     const struct pto_object *object);

#endif
