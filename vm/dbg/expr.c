#include "dbg/expr.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tool/number.h"
#include "dbg/place.h"

enum { NESTING_LIMIT = 64 };

struct parser {
    struct expr_scope scope;
    const struct pto_code *code; /* registers by name; NULL: none exist */
    bool values;                 /* else only the form is looked at: every value is 1 */
    const char *at;
    unsigned depth;
    struct pto_buf *error;
};

static bool parse_binary(struct parser *p, int level, struct expr_value *value);

__attribute__((format(printf, 2, 3))) static bool fail(struct parser *p, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (p->error->size == 0)
        pto_buf_printf(p->error, "%s", text);
    return false;
}

static void skip_blanks(struct parser *p)
{
    p->at += strspn(p->at, " \t");
}

/* Number of a register in a program by its name (without '%'), or of the only one that macro uses
 * made of it; -1: none. */
static int find_register(const struct pto_code *code, const char *name, size_t length)
{
    int only = -1;
    unsigned copies = 0;

    for (uint32_t i = 0; code && i < code->regs; i++) {
        if (dbg_is_name(code->reg[i].name, name, length))
            return (int)i;
        if (dbg_is_copy(code->reg[i].name, name, length)) {
            only = (int)i;
            copies++;
        }
    }
    return copies == 1 ? only : -1;
}

static struct expr_value integer(int64_t i)
{
    return (struct expr_value){.i = i};
}

static struct expr_value from_bits(bool is_float, uint64_t bits)
{
    struct expr_value value = {.is_float = is_float, .i = (int64_t)bits};

    if (is_float)
        memcpy(&value.f, &bits, sizeof value.f);
    return value;
}

static bool parse_register(struct parser *p, struct expr_value *value)
{
    const char *name = ++p->at;
    size_t length = dbg_name_length(name);
    int reg = find_register(p->code, name, length);

    if (length == 0)
        return fail(p, "a register name is missing after '%%'");
    if (reg < 0)
        return fail(p, "there is no register '%%%.*s' here, or several macro uses have one",
                    (int)length, name);
    p->at += length;
    if (!p->values)
        *value = (struct expr_value){.is_float = p->code->reg[reg].is_float, .i = 1, .f = 1};
    else
        *value = from_bits(p->code->reg[reg].is_float,
                           pto_vm_register(p->scope.dbg->launch.vm, p->scope.rank, p->scope.core,
                                           (unsigned)reg));
    return true;
}

static bool parse_number(struct parser *p, struct expr_value *value)
{
    size_t length = strspn(p->at, "0123456789abcdefABCDEFxX.KMG");
    const char *at = p->at;

    /* 1e-3: the sign belongs to the number */
    if (length > 1 && !memchr(at, 'x', length) && (at[length - 1] | 32) == 'e' &&
        (at[length] == '-' || at[length] == '+'))
        length += 1 + strspn(at + length + 1, "0123456789");
    *value = integer(0);
    if (tool_parse_int(at, length, &value->i)) {
        p->at += length;
        return true;
    }
    value->is_float = true;
    if (!tool_parse_float(at, length, &value->f))
        return fail(p, "'%.*s' is no number", (int)length, at);
    p->at += length;
    return true;
}

/* Built-in values; what a kernel sees of the launch follows from its sub-core and its mix. */
static bool system_value(const struct expr_scope *at, int sys, int64_t *value)
{
    const struct pto_vm *vm = at->dbg->launch.vm;
    struct pto_core_info info;
    unsigned vectors, blocks;

    pto_vm_core(vm, at->rank, at->core, &info);
    vectors = info.kernel ? info.kernel->vectors_per_block : 1;
    blocks = pto_vm_cores(vm) / (1 + at->dbg->launch.profile.vectors_per_core);
    switch (sys) {
    case PTO_SYS_RANK: *value = at->rank; return true;
    case PTO_SYS_NRANKS: *value = pto_vm_ranks(vm); return true;
    case PTO_SYS_BLOCK_ID: *value = info.block; return true;
    case PTO_SYS_BLOCK_NUM: *value = blocks; return true;
    case PTO_SYS_SUB_ID: *value = info.sub; return true;
    case PTO_SYS_SUB_NUM: *value = vectors; return true;
    case PTO_SYS_VEC_ID: *value = (int64_t)info.block * vectors + info.sub; return true;
    case PTO_SYS_VEC_COUNT: *value = (int64_t)blocks * vectors; return true;
    default: return false;
    }
}

static bool parse_system(struct parser *p, struct expr_value *value)
{
    size_t length = dbg_name_length(p->at);
    char *name = pto_xstrndup(p->at, length);
    int sys = pto_sys_find(name);
    bool good;

    free(name);
    *value = integer(1);
    good = sys >= 0 && (!p->values || system_value(&p->scope, sys, &value->i));
    if (!good)
        return fail(p, "'%.*s' is no number, %%register or built-in value such as rank()",
                    (int)length, p->at);
    p->at += length;
    skip_blanks(p);
    if (strncmp(p->at, "()", 2) != 0)
        return fail(p, "'()' is missing after a built-in value");
    p->at += 2;
    return true;
}

static bool parse_group(struct parser *p, struct expr_value *value)
{
    p->at++;
    if (!parse_binary(p, 0, value))
        return false;
    skip_blanks(p);
    if (*p->at != ')')
        return fail(p, "')' is missing");
    p->at++;
    return true;
}

static bool parse_unary(struct parser *p, struct expr_value *value)
{
    bool good;

    skip_blanks(p);
    if (++p->depth > NESTING_LIMIT)
        return fail(p, "the expression is nested too deeply");
    if (*p->at == '-' || *p->at == '!') {
        char sign = *p->at++;

        good = parse_unary(p, value);
        if (good && sign == '!') {
            *value = integer(!expr_is_true(value));
        } else if (good) {
            value->i = (int64_t)(0 - (uint64_t)value->i);
            value->f = -value->f;
        }
    } else if (*p->at == '(') {
        good = parse_group(p, value);
    } else if (*p->at == '%') {
        good = parse_register(p, value);
    } else if (isdigit((unsigned char)*p->at) || *p->at == '.') {
        good = parse_number(p, value);
    } else if (isalpha((unsigned char)*p->at) || *p->at == '_') {
        good = parse_system(p, value);
    } else {
        good = *p->at ? fail(p, "a value is expected at '%s'", p->at)
                      : fail(p, "a value is missing");
    }
    p->depth--;
    return good;
}

/* ---- operators ---- */

enum operator { OR, AND, EQ, NE, LE, GE, LT, GT, ADD, SUB, MUL, DIV };

/* In this order, so that <= is not taken for <. */
static const struct {
    const char *text;
    int level;
} OPERATOR[] = {
    [OR] = {"||", 0}, [AND] = {"&&", 1}, [EQ] = {"==", 2}, [NE] = {"!=", 2},
    [LE] = {"<=", 2}, [GE] = {">=", 2},  [LT] = {"<", 2},  [GT] = {">", 2},
    [ADD] = {"+", 3}, [SUB] = {"-", 3},  [MUL] = {"*", 4}, [DIV] = {"/", 4},
};
enum { OPERATORS = sizeof OPERATOR / sizeof *OPERATOR, LEVELS = 5 };

static double as_float(const struct expr_value *value)
{
    return value->is_float ? value->f : (double)value->i;
}

bool expr_is_true(const struct expr_value *value)
{
    return value->is_float ? value->f != 0 : value->i != 0;
}

static bool apply_int(int op, int64_t a, int64_t b, int64_t *result)
{
    switch (op) {
    case EQ: *result = a == b; return true;
    case NE: *result = a != b; return true;
    case LE: *result = a <= b; return true;
    case GE: *result = a >= b; return true;
    case LT: *result = a < b; return true;
    case GT: *result = a > b; return true;
    case ADD: *result = (int64_t)((uint64_t)a + (uint64_t)b); return true;
    case SUB: *result = (int64_t)((uint64_t)a - (uint64_t)b); return true;
    case MUL: *result = (int64_t)((uint64_t)a * (uint64_t)b); return true;
    default:
        if (b == 0 || (a == INT64_MIN && b == -1))
            return false;
        *result = a / b;
        return true;
    }
}

static struct expr_value apply_float(int op, double a, double b)
{
    switch (op) {
    case EQ: return integer(a == b);
    case NE: return integer(a != b);
    case LE: return integer(a <= b);
    case GE: return integer(a >= b);
    case LT: return integer(a < b);
    case GT: return integer(a > b);
    case ADD: return (struct expr_value){.is_float = true, .f = a + b};
    case SUB: return (struct expr_value){.is_float = true, .f = a - b};
    case MUL: return (struct expr_value){.is_float = true, .f = a * b};
    default: return (struct expr_value){.is_float = true, .f = a / b};
    }
}

static bool apply(struct parser *p, int op, struct expr_value *a, const struct expr_value *b)
{
    int64_t result;

    if (op == OR || op == AND) {
        bool left = expr_is_true(a), right = expr_is_true(b);

        *a = integer(op == OR ? left || right : left && right);
    } else if (a->is_float || b->is_float) {
        *a = apply_float(op, as_float(a), as_float(b));
    } else {
        if (!apply_int(op, a->i, b->i, &result)) {
            if (p->values)
                return fail(p, "a division has no result");
            result = 1;
        }
        *a = integer(result);
    }
    return true;
}

static int find_operator(const char *text, int level)
{
    for (int op = 0; op < OPERATORS; op++)
        if (!strncmp(text, OPERATOR[op].text, strlen(OPERATOR[op].text)))
            return OPERATOR[op].level == level ? op : -1;
    return -1;
}

static bool parse_binary(struct parser *p, int level, struct expr_value *value)
{
    struct expr_value right = {0};

    if (level == LEVELS)
        return parse_unary(p, value);
    if (!parse_binary(p, level + 1, value))
        return false;
    for (;;) {
        int op;

        skip_blanks(p);
        op = find_operator(p->at, level);
        if (op < 0)
            return true;
        p->at += strlen(OPERATOR[op].text);
        if (!parse_binary(p, level + 1, &right) || !apply(p, op, value, &right))
            return false;
    }
}

/* ---- from outside ---- */

bool expr_prefix(const struct expr_scope *scope, const char **text, struct expr_value *value,
                 struct pto_buf *error)
{
    struct pto_core_info info;
    struct parser p = {.scope = *scope, .values = true, .at = *text, .error = error};
    bool good;

    pto_vm_core(scope->dbg->launch.vm, scope->rank, scope->core, &info);
    p.code = info.module ? &info.code->code : NULL;
    good = parse_binary(&p, 0, value);
    skip_blanks(&p);
    *text = p.at;
    return good;
}

bool expr_evaluate(const struct expr_scope *scope, const char *text, struct expr_value *value,
                   struct pto_buf *error)
{
    if (!expr_prefix(scope, &text, value, error))
        return false;
    if (*text == '\0')
        return true;
    pto_buf_printf(error, "'%s' is not understood", text);
    return false;
}

bool expr_operand(const struct expr_scope *scope, const struct pto_scalar *scalar, int64_t *value)
{
    struct pto_core_info info;

    switch (scalar->kind) {
    case PTO_S_INT:
        *value = scalar->i;
        return true;
    case PTO_S_REG:
        pto_vm_core(scope->dbg->launch.vm, scope->rank, scope->core, &info);
        *value = (int64_t)pto_vm_register(scope->dbg->launch.vm, scope->rank, scope->core,
                                          scalar->reg);
        return info.module && !info.code->code.reg[scalar->reg].is_float;
    case PTO_S_SYS:
        return system_value(scope, scalar->reg, value);
    default:
        return false;
    }
}

struct check {
    struct dbg *dbg;
    const char *text;
    bool good;
    struct pto_buf error; /* of the last program */
};

static void check_program(void *context, const struct dbg_place *start)
{
    struct check *check = context;
    struct parser p = {.scope = {.dbg = check->dbg}, .code = &start->code->code,
                       .at = check->text, .error = &check->error};
    struct expr_value value;

    if (check->good)
        return;
    check->error.size = 0;
    check->good = parse_binary(&p, 0, &value);
    skip_blanks(&p);
    if (check->good && *p.at != '\0') {
        check->good = false;
        pto_buf_printf(&check->error, "'%s' is not understood", p.at);
    }
}

bool expr_check(struct dbg *dbg, const char *text, struct pto_buf *error)
{
    struct check check = {.dbg = dbg, .text = text};

    place_each_program(dbg, check_program, &check);
    if (!check.good)
        pto_buf_append(error, check.error.data, check.error.size);
    pto_buf_free(&check.error);
    return check.good;
}

static void say_float(struct dbg *dbg, double value)
{
    char text[40];
    int digits = 1;

    do {
        snprintf(text, sizeof text, "%.*g", digits, value);
    } while (strtod(text, NULL) != value && digits++ < 17);
    dbg_say(dbg, "%s", text);
}

void expr_say_value(struct dbg *dbg, const struct expr_value *value)
{
    if (value->is_float)
        say_float(dbg, value->f);
    else
        dbg_say(dbg, "%lld", (long long)value->i);
}
