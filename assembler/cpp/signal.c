/* Signals between ranks, and what asks for a function of the user's. */
#include "cpp/write.h"

static void put_number(struct cpp *c, const struct pto_insn *insn, unsigned operand)
{
    CPP_PUT(c, "(int32_t)(");
    cpp_scalar(c, insn->pos, &insn->operand[operand].scalar);
    CPP_PUT(c, ")");
}

/* The words of a signal: those that its extent says, one from its indices on, or all. */
static void declare_signal(struct cpp *c, const struct pto_insn *insn, unsigned operand)
{
    static const struct pto_scalar one = {.kind = PTO_S_INT, .i = 1};
    const struct pto_gm_ref *ref = &insn->operand[operand].gm;
    struct pto_scalar side[2] = {ref->rows, ref->cols};
    bool whole = ref->rows.kind == PTO_S_NONE && !ref->indices;

    for (unsigned axis = 0; axis < 2; axis++)
        if (side[axis].kind == PTO_S_NONE)
            side[axis] = one;
    cpp_declare_window(c, insn, operand, whole ? NULL : side);
}

static void notify(struct cpp *c, const struct pto_insn *insn)
{
    declare_signal(c, insn, 0);
    cpp_line(c);
    CPP_PUT(c, "comm::TNOTIFY(t0, ");
    put_number(c, insn, 1);
    CPP_PUT(c, ", comm::NotifyOp::%s);\n",
            insn->operand[2].value == PTO_NOTIFY_SET ? "Set" : "AtomicAdd");
}

/* TWAIT or TTEST of the signal `signal`, which its comparison and its value follow. */
static void put_question(struct cpp *c, const struct pto_insn *insn, const char *name,
                         unsigned signal)
{
    CPP_PUT(c, "comm::%s(t%u, ", name, signal);
    put_number(c, insn, signal + 2);
    CPP_PUT(c, ", comm::WaitCmp::%s)", cpp_comparison(insn->operand[signal + 1].value));
}

static void wait_or_test(struct cpp *c, const struct pto_insn *insn)
{
    unsigned signal = insn->op == PTO_OP_TTEST;

    declare_signal(c, insn, signal);
    cpp_line(c);
    if (signal) {
        cpp_scalar(c, insn->pos, &insn->operand[0].scalar);
        CPP_PUT(c, " = ");
    }
    put_question(c, insn, pto_op_info(insn->op)->mnemonic, signal);
    CPP_PUT(c, ";\n");
}

/* Each signal is asked in turn; the register gets its number only then, as values may use it. */
static void wait_for_any(struct cpp *c, const struct pto_insn *insn)
{
    for (unsigned signal = 1; signal < insn->operands; signal += 3)
        declare_signal(c, insn, signal);
    cpp_line(c);
    CPP_PUT(c, "int64_t first;\n");
    cpp_line(c);
    CPP_PUT(c, "do\n");
    cpp_line(c);
    CPP_PUT(c, "    first = ");
    for (unsigned signal = 1; signal < insn->operands; signal += 3) {
        put_question(c, insn, "TTEST", signal);
        CPP_PUT(c, " ? %u : ", signal / 3);
    }
    CPP_PUT(c, "-1;\n");
    cpp_line(c);
    CPP_PUT(c, "while (first < 0);\n");
    cpp_line(c);
    cpp_scalar(c, insn->pos, &insn->operand[0].scalar);
    CPP_PUT(c, " = first;\n");
}

void cpp_signal_insn(struct cpp *c, const struct pto_insn *insn)
{
    c->needs |= CPP_RANKS;
    cpp_open(c);
    if (insn->op == PTO_OP_TNOTIFY)
        notify(c, insn);
    else if (insn->op == PTO_OP_TWAIT || insn->op == PTO_OP_TTEST)
        wait_or_test(c, insn);
    else
        wait_for_any(c, insn);
    cpp_close(c);
}

void cpp_asking_insn(struct cpp *c, const struct pto_insn *insn)
{
    cpp_line(c);
    cpp_scalar(c, insn->pos, &insn->operand[0].scalar);
    if (insn->op == PTO_OP_CLOCK) {
        c->needs |= CPP_CLOCK;
        CPP_PUT(c, " = PTO_CLOCK();\n");
        return;
    }
    c->needs |= CPP_FETCH_ADD;
    CPP_PUT(c, " = PTO_FETCH_ADD(&");
    cpp_element(c, insn->pos, &insn->operand[1]);
    CPP_PUT(c, ", ");
    put_number(c, insn, 2);
    CPP_PUT(c, ");\n");
}
