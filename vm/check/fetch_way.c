/* What S does with the value of a fetch_add.
 *
 * A wait for 2 that has found 3 knows of 2 only: with other costs it goes on earlier.  So what the
 * scalar instructions behind a fetch_add make of its value, up to the next that does more than to
 * compute, is kept as its way: it can be gone once more with other values, and only what no value
 * of the same way could do without is proved.  A value that is still of use behind these
 * instructions counts as it was read.
 *
 * The same of what a TTEST or a TWAIT_ANY answers: with other costs it is another answer, and who
 * goes on alike then knows of none of them. */
#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"
#include "check/fetch.h"
#include "check/fetches.h"

enum { MOST_WALKED = 48, NO_TEMP = 255 };

/* What S has computed on the walk: the latest value of a register comes last. */
struct made {
    uint32_t reg;
    uint8_t temp; /* NO_TEMP: it does not depend on the value */
    uint64_t value;
};

/* Which bits of the value a temporary depends on; `in_place`: shifted, but none on two of them. */
struct bits {
    uint64_t mask;
    uint8_t shift;
    bool in_place;
    bool truth; /* it is 0 or 1, by which of two sides the value is on */
};

struct walk {
    const struct core *core;
    uint32_t pc;
    struct made made[MOST_WALKED + 1];
    unsigned mades;
    struct way_op op[2 * MOST_WALKED + 1];
    unsigned ops, temps;
    struct bits bits[MOST_WALKED + 1];
    uint64_t mask;
    bool ordered;
};

/* ---- the walk ---- */

static const struct made *find_made(const struct walk *walk, uint32_t reg)
{
    for (unsigned i = walk->mades; i-- > 0;)
        if (walk->made[i].reg == reg)
            return &walk->made[i];
    return NULL;
}

static void take_input(const struct walk *walk, uint32_t reg, struct way_op *op, unsigned index)
{
    const struct made *made = find_made(walk, reg);

    op->temp[index] = made ? made->temp : NO_TEMP;
    op->constant[index] = made ? made->value : walk->core->reg[reg];
}

/* What a temporary, or anything else, takes from the value. */
static struct bits bits_of(const struct walk *walk, const struct way_op *op, unsigned index)
{
    return op->temp[index] == NO_TEMP ? (struct bits){0} : walk->bits[op->temp[index]];
}

static struct bits result_bits(const struct walk *walk, const struct way_op *op)
{
    struct bits a = bits_of(walk, op, 0), b = bits_of(walk, op, 1), c = bits_of(walk, op, 2);
    const bool first = op->temp[0] != NO_TEMP;
    const struct bits *one = first ? &a : &b;
    const uint64_t constant = op->constant[first];
    struct bits made = {.mask = a.mask | b.mask | c.mask,
                        .truth = op->op == PTO_OP_ILT || op->op == PTO_OP_ILE};

    if (op->op == PTO_OP_MOV)
        return a;
    if (!one->in_place || (first && op->temp[1] != NO_TEMP))
        return made;
    if (op->op == PTO_OP_AND && constant <= UINT64_MAX >> one->shift)
        return (struct bits){one->mask & constant << one->shift, one->shift, true, false};
    if (op->op == PTO_OP_SHR && first && one->shift + constant < 64)
        return (struct bits){a.mask & UINT64_MAX << (a.shift + constant),
                             (uint8_t)(a.shift + constant), true, false};
    return made;
}

/* Do the values that give this result lie side by side? */
static bool keeps_order(const struct walk *walk, const struct way_op *op)
{
    const bool truth = op->temp[0] != NO_TEMP && walk->bits[op->temp[0]].truth;

    switch (op->op) {
    case PTO_OP_MOV:
    case PTO_OP_IADD:
    case PTO_OP_ISUB:
    case PTO_OP_ILT:
    case PTO_OP_ILE:
    case PTO_OP_BLT:
    case PTO_OP_BGE:
        return true;
    case PTO_OP_BT:
    case PTO_OP_BNE:
        return truth || !op->taken;
    case PTO_OP_BF:
    case PTO_OP_BEQ:
        return truth || op->taken;
    default:
        return false;
    }
}

static bool depends(const struct way_op *op)
{
    return op->temp[0] != NO_TEMP || op->temp[1] != NO_TEMP || op->temp[2] != NO_TEMP;
}

static void add_op(struct walk *walk, const struct way_op *op)
{
    walk->op[walk->ops++] = *op;
    walk->ordered = walk->ordered && keeps_order(walk, op);
    if (op->end != WAY_COMPUTES)
        walk->mask |= bits_of(walk, op, 0).mask | bits_of(walk, op, 1).mask;
}

/* One operation; false: it goes wrong. */
static bool compute(const struct way_op *op, const uint64_t *in, uint64_t *d)
{
    if (op->op == PTO_OP_SELECT)
        *d = in[2] ? in[0] : in[1];
    else if (op->op == PTO_OP_MOV)
        *d = in[0];
    else
        return pto_arith(op->op, in[0], in[1], d) == PTO_ARITH_FINE;
    return true;
}

static void step_branch(struct walk *walk, const struct ready_insn *insn, struct way_op *op)
{
    op->end = WAY_BRANCHES;
    op->taken =
        pto_branch_taken(insn->op, (int64_t)op->constant[0], (int64_t)op->constant[1]);
    if (depends(op))
        add_op(walk, op);
    walk->pc = op->taken ? insn->d : walk->pc + 1;
}

static bool step_value(struct walk *walk, const struct ready_insn *insn, struct way_op *op)
{
    struct made *made = &walk->made[walk->mades];

    if (!compute(op, op->constant, &made->value))
        return false;
    made->reg = insn->d;
    made->temp = NO_TEMP;
    if (depends(op)) {
        made->temp = op->d = (uint8_t)walk->temps++;
        walk->bits[op->d] = result_bits(walk, op);
        add_op(walk, op);
    }
    walk->mades++;
    walk->pc++;
    return true;
}

/* ---- what is of use behind ---- */

static bool is_reg(const struct pto_scalar *scalar, uint32_t reg)
{
    return scalar->kind == PTO_S_REG && scalar->reg == reg;
}

static bool operand_reads(const struct pto_operand *operand, uint32_t reg)
{
    const struct pto_tile_ref *tile = &operand->tile;
    const struct pto_gm_ref *gm = &operand->gm;
    bool any = false;

    switch (operand->kind) {
    case PTO_O_SCALAR:
        return is_reg(&operand->scalar, reg);
    case PTO_O_TILE:
        return is_reg(&tile->slot, reg) || is_reg(&tile->row, reg) || is_reg(&tile->col, reg) ||
               is_reg(&tile->byte, reg) || is_reg(&tile->rows, reg) || is_reg(&tile->cols, reg);
    case PTO_O_GM:
        for (unsigned i = 0; i < gm->indices; i++)
            any = any || is_reg(&gm->index[i], reg);
        return any || is_reg(&gm->rank, reg) || is_reg(&gm->rows, reg) || is_reg(&gm->cols, reg);
    case PTO_O_LOCAL:
        return is_reg(&operand->local.index, reg);
    default:
        return false;
    }
}

/* What becomes of a register in an instruction. */
static void look_at(const struct pto_insn *insn, uint32_t reg, bool *read, bool *written)
{
    const struct pto_op_info *info = pto_op_info(insn->op);

    for (unsigned i = 0; i < insn->operands; i++)
        if (insn->operand[i].kind == PTO_O_SCALAR && (info->operand[i].access & PTO_WRITE))
            *written = *written || is_reg(&insn->operand[i].scalar, reg);
        else
            *read = *read || operand_reads(&insn->operand[i], reg);
}

/* Does any way from there read the register before it gets another value? */
static bool search_live(const struct pto_code *code, uint32_t from, uint32_t reg)
{
    bool *seen = pto_xcalloc(code->insns + 1, sizeof *seen), read = false;
    uint32_t *todo = pto_xmalloc((code->insns + 1) * sizeof *todo), left = 0;

    todo[left++] = from;
    seen[from] = true;
    while (left > 0 && !read) {
        const uint32_t pc = todo[--left];
        const struct pto_insn *insn = &code->insn[pc];
        uint32_t next = pc + 1, branch = next;
        bool written = false;

        look_at(insn, reg, &read, &written);
        if (written || insn->op == PTO_OP_END)
            continue;
        for (unsigned i = 0; i < insn->operands; i++)
            if (insn->operand[i].kind == PTO_O_LABEL)
                branch = insn->operand[i].value;
        if (insn->op == PTO_OP_JUMP)
            next = branch;
        for (uint32_t to = next;; to = branch) {
            if (to < code->insns && !seen[to]) {
                seen[to] = true;
                todo[left++] = to;
            }
            if (to == branch)
                break;
        }
    }
    free(seen);
    free(todo);
    return read;
}

static bool is_live(struct pto_check *check, const struct pto_code *code, uint32_t from,
                    uint32_t reg)
{
    struct fetch_live *known = fetch_live_slot(check, from * 31 + reg);

    if (known->code != code || known->from != from || known->reg != reg)
        *known = (struct fetch_live){code, from, reg, search_live(code, from, reg)};
    return known->live;
}

/* Is it of the caches or of the sub-core's own pipes alone, whatever the value was? */
static bool is_passed_over(const struct walk *walk)
{
    const struct pto_insn *insn = &walk->core->ready->code->insn[walk->pc];
    bool read = false, written = false;

    switch (insn->op) {
    case PTO_OP_DCCI:
    case PTO_OP_DSB:
    case PTO_OP_PIPE_BARRIER:
    case PTO_OP_SET_FLAG:
    case PTO_OP_WAIT_FLAG:
        break;
    default:
        return false;
    }
    for (unsigned i = 0; i < walk->mades; i++)
        if (walk->made[i].temp != NO_TEMP)
            look_at(insn, walk->made[i].reg, &read, &written);
    return !read;
}

/* One instruction; false: it is more than arithmetic, or goes wrong. */
static bool step(struct walk *walk)
{
    const struct ready_code *ready = walk->core->ready;
    const struct ready_insn *insn = &ready->insn[walk->pc];
    const unsigned inputs = ready->code->insn[walk->pc].operands - 1u;
    struct way_op op = {.op = insn->op, .temp = {NO_TEMP, NO_TEMP, NO_TEMP}};

    if (insn->op == PTO_OP_JUMP) {
        walk->pc = insn->d;
        return true;
    }
    if (is_passed_over(walk)) {
        walk->pc++;
        return true;
    }
    if (!pto_branch_is(insn->op) && !pto_arith_is(insn->op) && insn->op != PTO_OP_MOV &&
        insn->op != PTO_OP_SELECT)
        return false;
    take_input(walk, insn->a, &op, 0);
    if (inputs > 1)
        take_input(walk, insn->b, &op, 1);
    if (insn->op == PTO_OP_SELECT)
        take_input(walk, insn->c, &op, 2);
    if (!pto_branch_is(insn->op))
        return step_value(walk, insn, &op);
    step_branch(walk, insn, &op);
    return true;
}

/* What is still of use where the walk ends is to be as it was. */
static void keep_rest(struct pto_check *check, struct walk *walk)
{
    const struct ready_code *ready = walk->core->ready;

    for (unsigned i = 0; i < walk->mades; i++) {
        const struct made *made = &walk->made[i];
        struct way_op op = {.op = PTO_OP_BEQ, .end = WAY_KEEPS, .taken = true,
                            .temp = {made->temp, NO_TEMP, NO_TEMP},
                            .constant = {0, made->value}};

        if (made->temp != NO_TEMP && find_made(walk, made->reg) == made &&
            is_live(check, ready->code, walk->pc, made->reg))
            add_op(walk, &op);
    }
}

/* Bits from 31 on are the sign. */
static uint32_t fold_mask(uint64_t mask)
{
    return (uint32_t)(mask & INT32_MAX) | (mask >> 31 ? UINT32_C(1) << 31 : 0);
}

/* From the instruction at which S is, which gives this value, to the next that does more than to
 * compute. */
static void walk_on(struct pto_check *check, struct walk *walk, const struct core *core,
                    int64_t value)
{
    const struct ready_code *ready = core->ready;

    walk->core = core;
    walk->pc = core->pc + 1;
    walk->made[0] = (struct made){ready->op[ready->insn[core->pc].d].operand[0].reg, 0,
                                  (uint64_t)value};
    walk->bits[0] = (struct bits){UINT64_MAX, 0, true, false};
    walk->mades = walk->temps = 1;
    walk->ops = 0;
    walk->mask = 0;
    walk->ordered = true;
    for (unsigned i = 0; i < MOST_WALKED && step(walk); i++)
        continue;
    keep_rest(check, walk);
}

static struct way *make_way(const struct walk *walk)
{
    struct way *way;

    if (!walk->mask)
        return NULL;
    way = pto_xcalloc(1, sizeof *way + walk->ops * sizeof *walk->op);
    way->ops = walk->ops;
    way->mask = fold_mask(walk->mask);
    way->ordered = walk->ordered;
    memcpy(way->op, walk->op, walk->ops * sizeof *walk->op);
    return way;
}

struct way *way_of_core(struct pto_check *check, const struct core *core, int64_t value)
{
    struct walk walk; /* too large to be cleared */

    walk_on(check, &walk, core, value);
    return make_way(&walk);
}

struct way *way_of_wait(struct condition c)
{
    struct way *way = pto_xcalloc(1, sizeof *way);

    way->waits = true;
    way->condition = c;
    way->mask = UINT32_MAX;
    way->ordered = true;
    return way;
}

/* ---- once more, with another value ---- */

bool way_goes(const struct way *way, int64_t value, bool alike)
{
    uint64_t temp[MOST_WALKED + 1] = {(uint64_t)value};

    if (way->waits)
        return signal_holds(way->condition, value);
    for (unsigned i = 0; i < way->ops; i++) {
        const struct way_op *op = &way->op[i];
        uint64_t in[3];

        for (unsigned j = 0; j < 3; j++)
            in[j] = op->temp[j] == NO_TEMP ? op->constant[j] : temp[op->temp[j]];
        if (op->end == WAY_COMPUTES) {
            if (!compute(op, in, &temp[op->d]))
                return false;
        } else if ((op->end == WAY_BRANCHES || alike) &&
                   pto_branch_taken(op->op, (int64_t)in[0], (int64_t)in[1]) != op->taken) {
            return false;
        }
    }
    return true;
}

bool way_is_of_answer(struct pto_check *check, const struct core *core, int64_t answer,
                      int64_t answers)
{
    struct walk walk;
    struct way *way;
    bool same = false;

    walk_on(check, &walk, core, answer);
    if (core->ready->code->insn[walk.pc].op == PTO_OP_TTEST)
        return true;
    way = make_way(&walk);
    for (int64_t other = 0; other < answers && !same; other++)
        same = other != answer && (!way || way_goes(way, other, true));
    free(way);
    return !same;
}

bool way_is_same(const struct way *a, const struct way *b)
{
    return a->waits == b->waits && a->ops == b->ops &&
           a->condition.comparison == b->condition.comparison &&
           a->condition.value == b->condition.value &&
           !memcmp(a->op, b->op, a->ops * sizeof *a->op);
}
