/* Instructions of the scalar unit, and synchronisation. */
#include "cpp/write.h"
#include "operators.h"

static const struct pto_scalar *scalar_of(const struct pto_insn *insn, unsigned operand)
{
    return &insn->operand[operand].scalar;
}

static void put_operand(struct cpp *c, const struct pto_insn *insn, unsigned operand)
{
    cpp_scalar(c, insn->pos, scalar_of(insn, operand));
}

/* Text with the operands 1, 2 and 3 of an instruction in place of `@`, `#` and `$`. */
static void put_form(struct cpp *c, const struct pto_insn *insn, const char *form)
{
    for (; *form; form++)
        if (*form == '@' || *form == '#' || *form == '$')
            put_operand(c, insn, *form == '@' ? 1 : *form == '#' ? 2 : 3);
        else
            pto_buf_byte(c->out, (uint8_t)*form);
}

/* What no operator of C++ computes as it is written here; NULL: one does, or nothing. */
static const char *form_of(unsigned op)
{
    switch (op) {
    case PTO_OP_MOV:    return "@";
    case PTO_OP_SELECT: return "@ ? # : $";
    case PTO_OP_IMOD:   return "@ % #";
    case PTO_OP_CDIV:   return "@ / # + (@ % # > 0)";
    case PTO_OP_IMIN:
    case PTO_OP_FMIN:   return "@ < # ? @ : #";
    case PTO_OP_IMAX:
    case PTO_OP_FMAX:   return "@ > # ? @ : #";
    case PTO_OP_FSQRT:  return "sqrt(@)";
    case PTO_OP_ITOF:   return "(PTO_REAL)@";
    case PTO_OP_FTOI:   return "(int64_t)@";
    case PTO_OP_F32_BITS: return "pto_f32_bits(@)"; /* of CPP_F32_BITS */
    case PTO_OP_BITS_F32: return "pto_bits_f32(@)";
    default:            return NULL;
    }
}

/* An optional input that is not given is no pointer. */
static void ask_for_input(struct cpp *c, const struct pto_insn *insn)
{
    cpp_line(c);
    put_operand(c, insn, 0);
    CPP_PUT(c, " = ");
    cpp_name(c, c->kernel->object[insn->operand[1].gm.object].name, "_gm != nullptr;\n");
}

static void compute(struct cpp *c, const struct pto_insn *insn)
{
    const char *form = form_of(insn->op);
    int operator = pto_operator_of(insn->op);

    if (!form && (operator < 0 || pto_operator(operator)->fixity != PTO_INFIX)) {
        cpp_refuse(c, insn->pos, "%s has no counterpart in C++", pto_op_info(insn->op)->mnemonic);
        return;
    }
    if (insn->op == PTO_OP_F32_BITS || insn->op == PTO_OP_BITS_F32)
        c->needs |= CPP_F32_BITS;
    cpp_line(c);
    put_operand(c, insn, 0);
    CPP_PUT(c, " = ");
    if (form)
        put_form(c, insn, form);
    else {
        put_operand(c, insn, 1);
        CPP_PUT(c, " %s ", pto_operator(operator)->text);
        put_operand(c, insn, 2);
    }
    CPP_PUT(c, ";\n");
}

static void access_memory(struct cpp *c, const struct pto_insn *insn)
{
    bool loads = insn->op == PTO_OP_LD;
    const struct pto_operand *element = &insn->operand[loads];

    if (element->kind == PTO_O_TILE) {
        cpp_tile_access(c, insn);
        return;
    }
    cpp_line(c);
    if (loads) {
        put_operand(c, insn, 0);
        CPP_PUT(c, " = ");
        if (element->kind == PTO_O_GM && c->code->reg[scalar_of(insn, 0)->reg].is_float)
            CPP_PUT(c, "(PTO_REAL)");
    }
    cpp_element(c, insn->pos, element);
    if (!loads) {
        CPP_PUT(c, " = ");
        if (element->kind == PTO_O_GM)
            CPP_PUT(c, "(%s)", cpp_type(c->kernel->object[element->gm.object].dtype));
        put_operand(c, insn, 1);
    }
    CPP_PUT(c, ";\n");
}

/* ---- synchronisation ---- */

static const char *pipe_of(const struct pto_insn *insn, unsigned operand)
{
    return pto_enum_keyword(PTO_ENUM_PIPE, (int)insn->operand[operand].value);
}

/* The events between MTE2 and MTE3 that upstream's TPUT and TGET take for themselves, the first
 * ones; the program's are numbered behind them.
 * Source: pto-isa, include/pto/comm/a2a3/TPut.hpp. */
enum { TRANSFER_EVENTS = 2 };

static unsigned first_event(const struct cpp *c, const struct pto_insn *insn)
{
    uint32_t from = insn->operand[0].value, to = insn->operand[1].value;
    bool shared = (from == PTO_PIPE_MTE2 && to == PTO_PIPE_MTE3) ||
                  (from == PTO_PIPE_MTE3 && to == PTO_PIPE_MTE2);

    return shared && c->transfers ? TRANSFER_EVENTS : 0;
}

static void flag(struct cpp *c, const struct pto_insn *insn)
{
    const struct pto_scalar *event = scalar_of(insn, 2);
    unsigned first = first_event(c, insn);

    if (event->kind == PTO_S_INT && event->i + first >= c->profile->events)
        cpp_refuse(c, insn->pos, "event %d has no counterpart in C++: TPUT and TGET take %d of "
                   "those between MTE2 and MTE3", (int)event->i, TRANSFER_EVENTS);
    cpp_line(c);
    CPP_PUT(c, "%s(PIPE_%s, PIPE_%s, (event_t)%s", pto_op_info(insn->op)->mnemonic,
            pipe_of(insn, 0), pipe_of(insn, 1), first ? "(" : "");
    put_operand(c, insn, 2);
    if (first)
        CPP_PUT(c, " + %u)", first);
    CPP_PUT(c, ");\n");
}

/* The message of a cross-core flag: base 1, then mode and id, four bits each. */
static void cross_flag(struct cpp *c, const struct pto_insn *insn)
{
    if (c->profile->a5) {
        cpp_refuse(c, insn->pos, "%s has no counterpart in C++ of level a5",
                   pto_op_info(insn->op)->mnemonic);
        return;
    }
    cpp_line(c);
    if (insn->op == PTO_OP_WAIT_FLAG_DEV) {
        CPP_PUT(c, "wait_flag_dev(");
        put_operand(c, insn, 0);
    } else {
        CPP_PUT(c, "ffts_cross_core_sync(PIPE_%s, 1 | (", pipe_of(insn, 0));
        put_operand(c, insn, 1);
        CPP_PUT(c, " & 3) << 4 | (");
        put_operand(c, insn, 2);
        CPP_PUT(c, " & 15) << 8");
    }
    CPP_PUT(c, ");\n");
}

static void intra_block_flag(struct cpp *c, const struct pto_insn *insn)
{
    cpp_line(c);
    CPP_PUT(c, "%s(PIPE_%s, ", pto_op_info(insn->op)->mnemonic, pipe_of(insn, 0));
    put_operand(c, insn, 1);
    CPP_PUT(c, ");\n");
}

/* The barrier over all sub-cores of one kind, as upstream's SYNCALL makes it of cross-core flags 11
 * (cube) and 14 (vector).  Source: pto-isa, include/pto/npu/a2a3/SyncAll.hpp. */
static void barrier_of_all(struct cpp *c, const struct pto_insn *insn)
{
    bool cube = insn->operand[0].value == PTO_SYNC_AIC;
    unsigned id = cube ? 11 : 14;

    if (c->profile->a5 || insn->operand[0].value == PTO_SYNC_ALL) {
        cpp_refuse(c, insn->pos, "this sync_all has no counterpart in C++");
        return;
    }
    cpp_line(c);
    CPP_PUT(c, "pipe_barrier(PIPE_ALL);\n");
    cpp_line(c);
    CPP_PUT(c, "ffts_cross_core_sync(PIPE_%s, 1 | %u << 8);\n", cube ? "FIX" : "MTE3", id);
    cpp_line(c);
    CPP_PUT(c, "wait_flag_dev(%u);\n", id);
}

static void line(struct cpp *c, const char *text)
{
    cpp_line(c);
    CPP_PUT(c, "%s\n", text);
}

static void synchronise(struct cpp *c, const struct pto_insn *insn)
{
    switch (insn->op) {
    case PTO_OP_SET_FLAG:
    case PTO_OP_WAIT_FLAG:
        flag(c, insn);
        break;
    case PTO_OP_PIPE_BARRIER:
    case PTO_OP_TSYNC:
        cpp_line(c);
        CPP_PUT(c, "pipe_barrier(PIPE_%s);\n", pipe_of(insn, 0));
        break;
    case PTO_OP_SET_FLAG_DEV:
    case PTO_OP_WAIT_FLAG_DEV:
        cross_flag(c, insn);
        break;
    case PTO_OP_SET_INTRA_BLOCK:
    case PTO_OP_WAIT_INTRA_BLOCK:
        intra_block_flag(c, insn);
        break;
    case PTO_OP_SYNC_ALL:
        barrier_of_all(c, insn);
        break;
    case PTO_OP_TNOTIFY:
    case PTO_OP_TWAIT:
    case PTO_OP_TTEST:
    case PTO_OP_TWAIT_ANY2:
    case PTO_OP_TWAIT_ANY3:
        cpp_signal_insn(c, insn);
        break;
    case PTO_OP_DSB:
        line(c, "dsb(DSB_DDR);");
        break;
    case PTO_OP_DCCI:
    case PTO_OP_DCCI_AT: /* all of it has that line, too */
        line(c, "dcci((__gm__ void *)0, ENTIRE_DATA_CACHE);");
        break;
    default:
        cpp_refuse(c, insn->pos, "%s has no counterpart in C++", pto_op_info(insn->op)->mnemonic);
    }
}

void cpp_insn(struct cpp *c, const struct pto_insn *insn)
{
    const struct pto_op_info *info = pto_op_info(insn->op);

    if (insn->op == PTO_OP_DEFAULT) /* whoever calls the function gives all parameters */
        return;
    if (insn->op == PTO_OP_ASSERT) {
        cpp_line(c);
        CPP_PUT(c, "/* assert left out: ");
        put_operand(c, insn, 0);
        CPP_PUT(c, " */\n");
    } else if (insn->op == PTO_OP_LD || insn->op == PTO_OP_ST) {
        access_memory(c, insn);
    } else if (insn->op == PTO_OP_FETCH_ADD || insn->op == PTO_OP_CLOCK) {
        cpp_asking_insn(c, insn);
    } else if (insn->op == PTO_OP_TRACE_BEGIN || insn->op == PTO_OP_TRACE_END) {
        return; /* the trace of a chip is another one's */
    } else if (insn->op == PTO_OP_PRESENT) {
        ask_for_input(c, insn);
    } else if (info->class == PTO_SCALAR) {
        compute(c, insn);
    } else if (info->class == PTO_SYNC) {
        synchronise(c, insn);
    } else if (info->class == PTO_TILE || insn->op == PTO_OP_TPUT || insn->op == PTO_OP_TGET) {
        cpp_tile_insn(c, insn);
    } else {
        cpp_refuse(c, insn->pos, "%s has no counterpart in C++", info->mnemonic);
    }
}
