/* Structured control flow to compares and branches.
 *
 *   .for                      .while                  .if / .elif / .else
 *       mov counter, from         branch unless c, end    branch unless c1, next
 *       bge counter, to, end  body:                       ...
 *   body:                         ...                     jump end
 *       ...                   again:                  next:
 *   again:                        branch if c, body       branch unless c2, next'
 *       iadd counter, step    end:                        ...
 *       blt counter, to, body                         end:
 *   end:
 *
 * Arms and loops whose condition is constant and false are not assembled at all.  Outside of
 * programs there are no loops, and every .if is of this kind. */
#include "flow.h"

#include <stdlib.h>

#include "assembly.h"
#include "assign.h"
#include "code.h"
#include "expr.h"
#include "formula/value.h"
#include "parse.h"
#include "registers.h"
#include "slots.h"

/* The directive that began it. */
static int kind_of(const struct asm_block *block)
{
    return block->kind == TK_D_ENDFOR ? TK_D_FOR : block->kind;
}

static struct asm_block *innermost(struct assembly *a)
{
    return a->blocks ? &a->block[a->blocks - 1] : NULL;
}

bool asm_flow_dead(const struct assembly *a)
{
    return a->blocks && a->block[a->blocks - 1].dead;
}

uint32_t asm_flow_scope(const struct assembly *a)
{
    uint32_t scope = a->blocks;

    while (scope && (a->block[scope - 1].kind == TK_D_ORDERED ||
                     (a->block[scope - 1].kind == TK_D_IF && !a->block[scope - 1].conditional)))
        scope--;
    return scope;
}

static bool is_loop(const struct asm_block *block)
{
    return block->kind != TK_D_IF && block->kind != TK_D_ORDERED;
}

bool asm_flow_repeats(const struct assembly *a)
{
    for (uint32_t i = 0; i < a->blocks; i++)
        if (is_loop(&a->block[i]))
            return true;
    return false;
}

static struct asm_block *open_block(struct assembly *a, const struct asm_stmt *stmt)
{
    bool dead = asm_flow_dead(a);
    struct asm_block *block;

    PTO_GROW(a->block, a->blocks, a->block_capacity);
    block = &a->block[a->blocks++];
    *block = (struct asm_block){.kind = stmt->kind, .token = stmt->token, .dead_outside = dead,
                                .dead = dead, .textual = a->section != SECTION_CORE};
    if (!dead && !block->textual) {
        block->end = asm_target_new(a);
        block->again = asm_target_new(a);
        block->body = asm_target_new(a);
        block->next = asm_target_new(a);
    }
    return block;
}

/* ---- .if ---- */

/* 1 or 0; after an error 1, so that one arm is looked at. */
static int textual_condition(struct assembly *a, const struct asm_expr *expr)
{
    struct asm_value value;

    return !asm_constant(a, expr, "the condition of an .if outside of programs", &value) ||
           asm_is_true(&value);
}

/* Enter an arm under its condition; `block->next` is a fresh target. */
static void enter_arm(struct assembly *a, struct asm_block *block, const struct asm_expr *expr)
{
    int constant;

    if (block->textual)
        constant = textual_condition(a, expr);
    else if (!asm_branch(a, expr, false, block->next, &constant))
        constant = -1; /* reported; its lines are looked at all the same */
    block->dead = constant == 0;
    block->settled = constant == 1;
    block->conditional |= constant == -1;
}

/* Leave the arm that ends here, and make what follows the next one. */
static void leave_arm(struct assembly *a, struct asm_block *block, const struct asm_token *token)
{
    if (block->textual)
        return;
    if (block->conditional)
        asm_slots_leave(a, a->blocks);
    if (block->conditional && !block->dead)
        asm_emit_branch(a, token, PTO_OP_JUMP, NULL, 0, block->end);
    asm_target_place(a, block->next);
    block->next = asm_target_new(a);
}

static struct asm_block *arm_of(struct assembly *a, const struct asm_stmt *stmt)
{
    struct asm_block *block = innermost(a);

    if (!block || block->kind != TK_D_IF) {
        asm_error(a, stmt->token, "there is no .if that this .%s could belong to",
                  stmt->token->text);
        return NULL;
    }
    if (block->has_else) {
        asm_error(a, stmt->token, "this .%s comes after the .else", stmt->token->text);
        asm_note(a, block->token, "the .if begins here");
        return NULL;
    }
    block->has_else = stmt->kind == TK_D_ELSE;
    return block;
}

static void next_arm(struct assembly *a, const struct asm_stmt *stmt)
{
    struct asm_block *block = arm_of(a, stmt);

    if (!block || block->dead_outside)
        return;
    if (block->settled) {
        block->dead = true;
        return;
    }
    leave_arm(a, block, stmt->token);
    block->dead = false;
    if (stmt->kind == TK_D_ELIF)
        enter_arm(a, block, stmt->expr);
    else
        block->settled = true;
}

static void close_if(struct assembly *a, struct asm_block *block)
{
    if (block->conditional)
        asm_slots_leave(a, a->blocks);
    asm_target_place(a, block->next);
}

/* ---- loops ---- */

/* A value that must not change while the loop runs. */
static bool loop_value(struct assembly *a, const struct asm_expr *expr, struct pto_scalar *scalar)
{
    struct asm_value value;
    struct pto_scalar copy[2];

    if (!asm_eval_int(a, expr, &value))
        return false;
    *scalar = value.scalar;
    if (value.scalar.kind == PTO_S_REG && value.scalar.reg >= a->kernel->params &&
        !asm_code(a)->reg[value.scalar.reg].temporary) {
        copy[0] = asm_temporary(a, expr->begin, false);
        copy[1] = value.scalar;
        asm_emit_scalar(a, expr->begin, PTO_OP_MOV, copy, 2);
        *scalar = copy[0];
    }
    asm_hold(a, *scalar, true);
    return true;
}

static bool loop_step(struct assembly *a, const struct asm_stmt *stmt, struct asm_block *block)
{
    struct pto_operand operand[2] = {{.kind = PTO_O_SCALAR}, {.kind = PTO_O_STRING}};
    struct pto_scalar scalar[3] = {{0}, {.kind = PTO_S_INT}, {0}};

    block->step = (struct pto_scalar){.kind = PTO_S_INT, .i = 1};
    if (stmt->step && !loop_value(a, stmt->step, &block->step))
        return false;
    if (block->step.kind == PTO_S_INT) {
        if (block->step.i > 0)
            return true;
        asm_error_expr(a, stmt->step, "the step must be at least 1; .for ... downto counts down");
        return false;
    }
    scalar[0] = asm_temporary(a, stmt->token, false);
    scalar[2] = block->step;
    asm_emit_scalar(a, stmt->step->begin, PTO_OP_ILT, scalar, 3);
    operand[0].scalar = scalar[0];
    operand[1].text = "the step of a .for must be at least 1";
    asm_emit(a, stmt->step->begin, PTO_OP_ASSERT, 2, operand);
    asm_release(a, scalar[0]);
    return true;
}

/* Set the counter to its first value, *from; false after an error. */
static bool loop_counter(struct assembly *a, const struct asm_stmt *stmt, struct asm_block *block,
                         struct asm_value *from)
{
    bool taken;
    int32_t reg;

    if (!asm_eval_int(a, stmt->expr, from)) {
        asm_register_write(a, stmt->name, false);
        return false;
    }
    reg = asm_register_take(a, stmt->name, from, &taken);
    if (reg == PTO_NONE)
        return false;
    if (asm_code(a)->reg[reg].is_float) {
        asm_error(a, stmt->name, "%%%s is a float, a loop counts with an integer",
                  stmt->name->text);
        return false;
    }
    block->counter = (struct pto_scalar){.kind = PTO_S_REG, .reg = (uint16_t)reg};
    return taken || asm_assign(a, stmt->expr, (uint16_t)reg, *from);
}

/* Branch to `target` if the counter has not reached (`go_on`) or has reached the limit. */
static void loop_branch(struct assembly *a, const struct asm_block *block, bool go_on,
                        uint32_t target)
{
    struct pto_scalar scalar[2] = {block->down ? block->limit : block->counter,
                                   block->down ? block->counter : block->limit};

    asm_emit_branch(a, block->token, go_on ? PTO_OP_BLT : PTO_OP_BGE, scalar, 2, target);
}

/* Is it known that the body runs at least once? */
static bool surely_runs(const struct pto_scalar *from, const struct pto_scalar *to, bool down)
{
    return from->kind == PTO_S_INT && to->kind == PTO_S_INT &&
           (down ? to->i < from->i : from->i < to->i);
}

static void open_for(struct assembly *a, const struct asm_stmt *stmt, struct asm_block *block)
{
    struct asm_value from;
    bool good;

    block->down = stmt->down;
    good = loop_value(a, stmt->to, &block->limit);
    good &= loop_step(a, stmt, block);
    if (!loop_counter(a, stmt, block, &from) || !good) {
        block->kind = TK_D_ENDFOR; /* the end emits nothing */
        return;
    }
    if (!surely_runs(&from.scalar, &block->limit, stmt->down))
        loop_branch(a, block, false, block->end);
    asm_target_place(a, block->body);
    asm_ordered_meet(a, true);
}

static void close_for(struct assembly *a, struct asm_block *block)
{
    struct pto_scalar scalar[3] = {block->counter, block->counter, block->step};
    bool subtract = block->down && block->step.kind != PTO_S_INT;

    asm_slots_leave(a, a->blocks);
    asm_target_place(a, block->again);
    if (block->kind == TK_D_FOR) {
        if (block->down && !subtract)
            scalar[2].i = -block->step.i;
        asm_emit_scalar(a, block->token, subtract ? PTO_OP_ISUB : PTO_OP_IADD, scalar, 3);
        loop_branch(a, block, true, block->body);
    }
    asm_hold(a, block->limit, false);
    asm_hold(a, block->step, false);
}

static void open_while(struct assembly *a, const struct asm_stmt *stmt, struct asm_block *block)
{
    int constant;

    block->condition = asm_branch(a, stmt->expr, false, block->end, &constant) ? stmt->expr : NULL;
    block->dead = block->condition && constant == 0;
    asm_target_place(a, block->body);
    asm_ordered_meet(a, true);
}

static void close_while(struct assembly *a, struct asm_block *block)
{
    int constant;

    if (block->dead)
        return;
    asm_slots_leave(a, a->blocks);
    asm_target_place(a, block->again);
    if (block->condition && asm_branch(a, block->condition, true, block->body, &constant) &&
        constant == 1)
        asm_emit_branch(a, block->token, PTO_OP_JUMP, NULL, 0, block->body);
}

/* .break and .continue */
static void leave_loop(struct assembly *a, const struct asm_stmt *stmt)
{
    for (uint32_t i = a->blocks; i-- > 0;) {
        const struct asm_block *block = &a->block[i];

        if (!is_loop(block))
            continue;
        asm_slots_branch(a, i + 1);
        asm_emit_branch(a, stmt->token, PTO_OP_JUMP, NULL, 0,
                        stmt->kind == TK_D_BREAK ? block->end : block->again);
        return;
    }
    asm_error(a, stmt->token, ".%s needs a loop around it", stmt->token->text);
}

/* ---- the ends ---- */

static const char *block_name(int kind)
{
    switch (kind) {
    case TK_D_IF:
        return "if";
    case TK_D_WHILE:
        return "while";
    case TK_D_ORDERED:
        return "ordered";
    default:
        return "for";
    }
}

static int opened_by(int end)
{
    switch (end) {
    case TK_D_ENDIF:
        return TK_D_IF;
    case TK_D_ENDWHILE:
        return TK_D_WHILE;
    case TK_D_ENDORDERED:
        return TK_D_ORDERED;
    default:
        return TK_D_FOR;
    }
}

static void has_no_end(struct assembly *a, const struct asm_block *block)
{
    int kind = kind_of(block);

    asm_hint(a, asm_error(a, block->token, "this .%s has no .end%s", block_name(kind),
                          block_name(kind)),
             "write .end%s where it ends", block_name(kind));
}

/* The innermost block, when those are told and left that have no end although one around them, of
 * this kind, ends here.  A dead block decides nothing any more. */
static struct asm_block *leave_unended(struct assembly *a, int opens)
{
    uint32_t around = a->blocks;

    while (around && kind_of(&a->block[around - 1]) != opens)
        around--;
    for (; around && a->blocks > around; a->blocks--) {
        if (!a->passed_over)
            has_no_end(a, innermost(a));
        if (kind_of(innermost(a)) == TK_D_ORDERED)
            asm_ordered_close(a);
    }
    return innermost(a);
}

static void close_block(struct assembly *a, const struct asm_stmt *stmt)
{
    int opens = opened_by(stmt->kind);
    struct asm_block *block = leave_unended(a, opens);
    int kind = block ? kind_of(block) : 0;

    if (kind != opens) {
        struct pto_diag *diag = asm_error(a, stmt->token, "there is no .%s that this .%s could end",
                                          block_name(opens), stmt->token->text);

        if (block)
            asm_note(a, block->token, "the .%s that begins here is still open", block_name(kind));
        else
            asm_hint(a, diag, "leave it out, or write .%s where the block begins",
                     block_name(opens));
        return;
    }
    if (!block->dead_outside && !block->textual) {
        a->line_token = block->token; /* what a loop does at its end belongs to its head */
        if (opens == TK_D_FOR)
            close_for(a, block);
        else if (opens == TK_D_WHILE)
            close_while(a, block);
        else if (opens == TK_D_ORDERED)
            asm_ordered_close(a);
        else
            close_if(a, block);
        asm_target_place(a, block->end);
    }
    a->blocks--;
}

void asm_flow_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    struct asm_block *block;

    switch (stmt->kind) {
    case TK_D_IF:
    case TK_D_FOR:
    case TK_D_WHILE:
    case TK_D_ORDERED:
        block = open_block(a, stmt);
        if (block->dead)
            return;
        if (stmt->kind == TK_D_ORDERED)
            asm_ordered_open(a, stmt);
        else if (stmt->kind == TK_D_IF)
            enter_arm(a, block, stmt->expr);
        else if (stmt->kind == TK_D_FOR)
            open_for(a, stmt, block);
        else
            open_while(a, stmt, block);
        return;
    case TK_D_ELIF:
    case TK_D_ELSE:
        next_arm(a, stmt);
        return;
    case TK_D_BREAK:
    case TK_D_CONTINUE:
        leave_loop(a, stmt);
        return;
    default:
        close_block(a, stmt);
    }
}

void asm_flow_broken(struct assembly *a, const struct asm_token *token)
{
    struct asm_stmt stmt = {.kind = token->kind, .token = token};
    bool loop = token->kind == TK_D_FOR || token->kind == TK_D_WHILE;
    struct asm_block *block;

    if (a->section == SECTION_LOST || (token->kind != TK_D_IF && !loop) ||
        (loop && a->section != SECTION_CORE))
        return;
    if (stmt.kind == TK_D_FOR)
        stmt.kind = TK_D_ENDFOR; /* the end emits nothing */
    block = open_block(a, &stmt);
    block->conditional = !block->textual;
    block->settled = block->textual; /* one arm is enough */
}

/* An .if without run-time conditions only decides what is read, and may go on behind a program. */
void asm_flow_close(struct assembly *a)
{
    uint32_t keep = 0;

    while (keep < a->blocks && a->section != SECTION_MODULE && a->block[keep].kind == TK_D_IF &&
           !a->block[keep].conditional)
        a->block[keep++].textual = true;
    asm_ordered_close(a);
    for (; a->blocks > keep; a->blocks--) {
        if (!a->passed_over && !a->text.cut_short)
            has_no_end(a, innermost(a));
    }
}
