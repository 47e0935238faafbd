/* Control flow: branches of the program as loops, choices and, what is left, goto. */
#include <stdlib.h>

#include "cpp/write.h"

static uint32_t target_of(const struct pto_insn *insn)
{
    return insn->operand[insn->operands - 1].value;
}

static bool branches(const struct pto_insn *insn)
{
    return insn->operands && insn->operand[insn->operands - 1].kind == PTO_O_LABEL;
}

/* What a branch asks, or its opposite. */
static void put_condition(struct cpp *c, const struct pto_insn *insn, bool opposite)
{
    static const char *const sign[][2] = {{"<", ">="}, {">=", "<"}, {"==", "!="}, {"!=", "=="}};
    unsigned row = insn->op == PTO_OP_BLT   ? 0
                   : insn->op == PTO_OP_BGE ? 1
                   : insn->op == PTO_OP_BEQ ? 2
                                            : 3;

    if (insn->op == PTO_OP_BT || insn->op == PTO_OP_BF)
        CPP_PUT(c, "%s", (insn->op == PTO_OP_BF) == opposite ? "" : "!");
    cpp_scalar(c, insn->pos, &insn->operand[0].scalar);
    if (insn->op == PTO_OP_BT || insn->op == PTO_OP_BF)
        return;
    CPP_PUT(c, " %s ", sign[row][opposite]);
    cpp_scalar(c, insn->pos, &insn->operand[1].scalar);
}

static void put_label(struct cpp *c, uint32_t at)
{
    if (c->label[at])
        CPP_PUT(c, "L%u:;\n", at);
}

static void put_goto(struct cpp *c, const struct pto_insn *insn)
{
    c->label[target_of(insn)] = true;
    cpp_line(c);
    if (insn->op != PTO_OP_JUMP) {
        CPP_PUT(c, "if (");
        put_condition(c, insn, false);
        CPP_PUT(c, ") ");
    }
    CPP_PUT(c, "goto L%u;\n", target_of(insn));
}

/* The last conditional branch before `end` that goes back to `first`: a loop ends there. */
static uint32_t loop_end(const struct cpp *c, uint32_t first, uint32_t end)
{
    for (uint32_t at = end; at-- > first;) {
        const struct pto_insn *insn = &c->code->insn[at];

        if (branches(insn) && insn->op != PTO_OP_JUMP && target_of(insn) == first)
            return at;
    }
    return end;
}

static void range(struct cpp *c, uint32_t first, uint32_t end);

static void line(struct cpp *c, const char *text)
{
    cpp_line(c);
    CPP_PUT(c, "%s", text);
}

static void inside(struct cpp *c, uint32_t first, uint32_t end)
{
    c->depth++;
    range(c, first, end);
    c->depth--;
}

static void put_loop(struct cpp *c, uint32_t first, uint32_t last)
{
    line(c, "do {\n");
    inside(c, first, last);
    if (last > first)
        put_label(c, last);
    line(c, "} while (");
    put_condition(c, &c->code->insn[last], false);
    CPP_PUT(c, ");\n");
}

/* A branch over what follows; returns where it goes on. */
static uint32_t put_choice(struct cpp *c, uint32_t at, uint32_t end)
{
    const struct pto_insn *insn = &c->code->insn[at], *last;
    uint32_t other = target_of(insn), after = other;

    line(c, "if (");
    put_condition(c, insn, true);
    CPP_PUT(c, ") {\n");
    last = &c->code->insn[other - 1];
    if (other - 1 > at && last->op == PTO_OP_JUMP && target_of(last) > other &&
        target_of(last) <= end && !c->label[other - 1]) {
        inside(c, at + 1, other - 1);
        line(c, "} else {\n");
        after = target_of(last);
        inside(c, other, after);
    } else {
        inside(c, at + 1, other);
    }
    line(c, "}\n");
    return after;
}

/* Instructions first to end - 1, without the branch back to `first` of a loop around them. */
static void range(struct cpp *c, uint32_t first, uint32_t end)
{
    for (uint32_t at = first; at < end;) {
        const struct pto_insn *insn = &c->code->insn[at];
        uint32_t last = loop_end(c, at, end);

        if (last < end) {
            if (last == at)
                put_label(c, at);
            put_loop(c, at, last);
            at = last + 1;
            continue;
        }
        put_label(c, at);
        if (branches(insn) && insn->op != PTO_OP_JUMP && target_of(insn) > at &&
            target_of(insn) <= end) {
            at = put_choice(c, at, end);
            continue;
        }
        if (branches(insn))
            put_goto(c, insn);
        else if (insn->op == PTO_OP_END && at + 1 < c->code->insns)
            line(c, "return;\n");
        else if (insn->op != PTO_OP_END)
            cpp_insn(c, insn);
        at++;
    }
}

static uint32_t labels(const struct cpp *c)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i <= c->code->insns; i++)
        count += c->label[i];
    return count;
}

/* Where gotos lead shows only when everything has been written, which may take further gotos. */
static void find_labels(struct cpp *c)
{
    struct pto_buf *out = c->out, unread = {0};
    struct pto_diags *diags = c->diags, unheard = {0};
    unsigned errors = c->errors;
    uint32_t before;

    c->out = &unread;
    c->diags = &unheard;
    do {
        before = labels(c);
        unread.size = 0;
        range(c, 0, c->code->insns);
    } while (labels(c) != before);
    pto_buf_free(&unread);
    pto_diags_free(&unheard);
    c->out = out;
    c->diags = diags;
    c->errors = errors;
}

void cpp_flow(struct cpp *c)
{
    c->label = pto_xcalloc((size_t)c->code->insns + 1, sizeof *c->label);
    find_labels(c);
    range(c, 0, c->code->insns);
    put_label(c, c->code->insns);
    free(c->label);
    c->label = NULL;
}
