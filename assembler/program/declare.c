/* What stands outside of programs: constants, parameters, global objects, assertions.  Sizes that
 * are not constant are computed by the kernel's set-up code, which is generated here. */
#include "declare.h"

#include <string.h>

#include "assembly.h"
#include "code.h"
#include "expr.h"
#include "formula/value.h"
#include "lost.h"
#include "parse.h"
#include "symbols.h"
#include "text/position.h"
#include "type.h"

enum { MAX_PARAMS = 256 };

/* ---- .equ and .define ---- */

/* Give a symbol its value: an element type, or a number; false after an error. */
static bool constant_value(struct assembly *a, const struct asm_expr *expr,
                           struct asm_symbol *symbol)
{
    int dtype = asm_type_of(a, expr);
    const char *word = expr->token->text;

    symbol->kind = dtype < 0 ? SYM_CONSTANT : SYM_TYPE;
    symbol->index = dtype < 0 ? 0 : (uint32_t)dtype;
    if (dtype >= 0)
        return true;
    if (!formula_is_bare(expr) || !strcmp(word, "inf") || !strcmp(word, "nan") ||
        asm_symbol_find(a, NS_PLAIN, expr->token))
        return asm_constant(a, expr, "a named constant", &symbol->value);
    asm_type_hint(a, asm_error_expr(a, expr, "'%s' is neither a constant nor an element type",
                                    word),
                  word, 1 << SYM_CONSTANT | 1 << SYM_TYPE);
    return false;
}

/* A .define whose value was chosen outside: the choice stands, if it is one of the same kind. */
static void take_choice(struct assembly *a, const struct asm_stmt *stmt, struct asm_symbol *choice,
                        const struct asm_symbol *own)
{
    struct pto_diag *diag;

    choice->used = true;
    if (own->wrong || (!choice->wrong && choice->kind == own->kind))
        return;
    if (!choice->wrong) {
        diag = asm_error(a, choice->token, "'%s' is %s, the value from outside is %s",
                         stmt->name->text, own->kind == SYM_TYPE ? "an element type" : "a number",
                         own->kind == SYM_TYPE ? "a number" : "an element type");
        if (own->kind == SYM_TYPE)
            asm_type_hint(a, diag, "", 0);
        asm_note(a, stmt->name, "'%s' is defined here", stmt->name->text);
    }
    choice->kind = own->kind;
    choice->index = own->index;
    choice->value = own->value;
    choice->wrong = false;
}

void asm_constant_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    struct asm_symbol *symbol = asm_symbol_find_here(a, NS_PLAIN, stmt->name);
    bool outside = symbol && symbol->token->origin->source == a->command_line;
    struct asm_symbol own = {.value = asm_int(1)};

    if (pto_dtype_find(stmt->name->text) >= 0) {
        asm_error(a, stmt->name, "'%s' is an element type and cannot name a constant",
                  stmt->name->text);
        return;
    }
    own.wrong = !constant_value(a, stmt->expr, &own);
    if (outside && stmt->kind == TK_D_DEFINE) {
        take_choice(a, stmt, symbol, &own);
        return;
    }
    symbol = asm_symbol_define(a, NS_PLAIN, own.kind, stmt->name, asm_section_now(a), own.index);
    if (symbol) {
        symbol->value = own.value;
        symbol->wrong = own.wrong;
    } else if (outside) {
        asm_note(a, stmt->name, ".define instead of .equ lets a value from outside take its place");
    }
}

/* ---- words behind a type ---- */

enum mark { MARK_OPTIONAL = 1, MARK_UNIFORM = 2, MARK_FLAT = 4 };

/* The marks of a parameter or object, of which `possible` have a meaning there. */
static unsigned take_marks(struct assembly *a, const struct asm_stmt *stmt, unsigned possible)
{
    unsigned marks = 0;

    for (const struct asm_expr *x = stmt->marks ? stmt->marks->first : NULL; x; x = x->next) {
        const char *word = x->token->text;
        unsigned mark = !strcmp(word, "optional")  ? MARK_OPTIONAL
                        : !strcmp(word, "uniform") ? MARK_UNIFORM
                        : !strcmp(word, "flat")    ? MARK_FLAT
                                                   : 0;

        if (!mark || marks & mark || (stmt->kind == TK_D_PARAM && !(mark & possible)))
            asm_hint(a, asm_error(a, x->token, "unexpected '%s'", word),
                     stmt->kind == TK_D_PARAM
                         ? "expected 'uniform', '=' or end of line"
                         : "expected 'optional', 'uniform', 'flat' or end of line");
        else if (!(mark & possible))
            asm_error(a, x->token, mark == MARK_FLAT ? "only .in, .inout and .sym can be %s"
                                                     : "only inputs (.in) can be %s", word);
        marks |= mark;
    }
    return marks;
}

/* ---- parameters ---- */

void asm_param_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    struct pto_kernel *kernel = a->kernel;
    bool is_float;

    if (a->params_closed) {
        asm_hint(a, asm_error(a, stmt->token,
                              "parameters come before everything else of a kernel"),
                 "move it up, right behind .kernel");
        asm_lost_before(a, NS_PLAIN, stmt->name);
        asm_lost_before(a, NS_REG, stmt->name);
        return;
    }
    if (!asm_scalar_type(a, stmt->type, &is_float))
        is_float = false;
    if (kernel->params == MAX_PARAMS) {
        asm_error(a, stmt->token, "a kernel has at most %d parameters", MAX_PARAMS);
        return;
    }
    if (!asm_symbol_define(a, NS_PLAIN, SYM_PARAM, stmt->name, a->kernel_section, kernel->params))
        return;
    if (stmt->expr) {
        PTO_GROW(a->preset, a->presets, a->preset_capacity);
        a->preset[a->presets++] = (struct asm_default){kernel->params, stmt->expr, stmt->token};
    }
    PTO_GROW(kernel->param, kernel->params, a->param_capacity);
    kernel->param[kernel->params++] = (struct pto_param){
        .name = pto_arena_strdup(&a->module->arena, stmt->name->text),
        .is_float = is_float,
        .uniform = take_marks(a, stmt, MARK_UNIFORM) != 0,
        .pos = text_position(&a->text, stmt->token)};
}

static void lower_default(struct assembly *a, const struct asm_default *preset)
{
    struct pto_param *param = &a->kernel->param[preset->param];
    struct pto_scalar scalar[2] = {{.kind = PTO_S_REG, .reg = (uint16_t)preset->param}};
    struct asm_value value;

    a->line_token = preset->token;
    a->params_pending = a->kernel->params - preset->param;
    if (!(param->is_float ? asm_eval(a, preset->expr, &value) &&
                            formula_to_float(&a->formula, preset->expr, &value)
                          : asm_eval_int(a, preset->expr, &value)))
        return;
    scalar[1] = value.scalar;
    asm_emit_scalar(a, preset->token, PTO_OP_DEFAULT, scalar, 2);
    param->has_default = true;
    asm_statement_end(a);
}

void asm_params_close(struct assembly *a)
{
    const struct asm_token *line = a->line_token;

    if (a->params_closed)
        return;
    a->params_closed = true;
    asm_code_open(a);
    for (uint32_t i = 0; i < a->presets; i++)
        lower_default(a, &a->preset[i]);
    a->params_pending = 0;
    a->line_token = line;
}

/* ---- global objects ---- */

/* Dimensions and the like stay in their registers for the whole launch. */
static bool setup_value(struct assembly *a, const struct asm_expr *expr, const char *what,
                        struct pto_scalar *scalar)
{
    struct asm_value value;

    if (!asm_eval_int(a, expr, &value))
        return false;
    if (value.scalar.kind == PTO_S_INT && value.scalar.i < 0) {
        asm_error_expr(a, expr, "%s cannot be negative", what);
        return false;
    }
    asm_hold(a, value.scalar, true);
    *scalar = value.scalar;
    return true;
}

static bool setup_values(struct assembly *a, const struct asm_list *list, const char *what,
                         struct pto_scalar *scalar)
{
    bool good = true;

    for (const struct asm_expr *x = list->first; x; x = x->next)
        good &= setup_value(a, x, what, scalar++);
    return good;
}

static bool dimensions(struct assembly *a, const struct asm_stmt *stmt, struct pto_object *object)
{
    if (stmt->list->count > PTO_MAX_DIMS) {
        asm_error(a, stmt->name, "'%s' has %u dimensions, at most %d are possible",
                  stmt->name->text, stmt->list->count, PTO_MAX_DIMS);
        return false;
    }
    object->dims = (uint8_t)stmt->list->count;
    return setup_values(a, stmt->list, "a dimension", object->dim);
}

/* Every use of a view walks down to its object.  A name may stand for an object that is not there:
 * its declaration was wrong, or is this one. */
static bool view_depth(struct assembly *a, const struct asm_stmt *stmt, int32_t base)
{
    const struct pto_kernel *kernel = a->kernel;
    int depth = 1;

    for (; base >= 0 && (uint32_t)base < kernel->objects && depth <= PTO_MAX_VIEW_DEPTH &&
           kernel->object[base].kind == PTO_OBJ_VIEW; depth++)
        base = kernel->object[base].base;
    if (depth <= PTO_MAX_VIEW_DEPTH)
        return true;
    asm_hint(a, asm_error(a, stmt->parent, "views are nested more than %d deep",
                          PTO_MAX_VIEW_DEPTH),
             "name the object itself, with the sum of the offsets");
    return false;
}

static bool view(struct assembly *a, const struct asm_stmt *stmt, struct pto_object *object)
{
    const struct asm_symbol *base = asm_symbol_find(a, NS_PLAIN, stmt->parent);
    struct pto_diag *diag;

    object->offset = (struct pto_scalar){.kind = PTO_S_INT};
    if (!base || base->kind != SYM_OBJECT) {
        diag = asm_error(a, stmt->parent, "there is no global object '%s' here",
                         stmt->parent->text);
        asm_symbol_hint(a, diag, NS_PLAIN, 1 << SYM_OBJECT, stmt->parent->text);
        return false;
    }
    object->base = (int32_t)base->index;
    if (!view_depth(a, stmt, object->base))
        return false;
    if (stmt->expr && !setup_value(a, stmt->expr, "an offset", &object->offset))
        return false;
    if (!stmt->strides)
        return true;
    if (stmt->strides->count != object->dims) {
        asm_error_expr(a, stmt->strides->first, "'%s' has %u dimensions and needs as many "
                       "strides, not %u", stmt->name->text, object->dims, stmt->strides->count);
        return false;
    }
    object->strided = true;
    return setup_values(a, stmt->strides, "a stride", object->stride);
}

static const struct {
    int directive;
    enum pto_object_kind kind;
} object_kinds[] = {
    {TK_D_IN, PTO_OBJ_IN},         {TK_D_OUT, PTO_OBJ_OUT},
    {TK_D_INOUT, PTO_OBJ_INOUT},   {TK_D_GM, PTO_OBJ_GM},
    {TK_D_SYM, PTO_OBJ_SYM},       {TK_D_SIGNAL, PTO_OBJ_SIGNAL},
    {TK_D_VIEW, PTO_OBJ_VIEW},
};

static enum pto_object_kind object_kind(int directive)
{
    unsigned i = 0;

    while (object_kinds[i].directive != directive)
        i++;
    return object_kinds[i].kind;
}

int32_t asm_object_add(struct assembly *a, const struct asm_token *place, const char *name,
                       struct pto_object object)
{
    struct pto_kernel *kernel = a->kernel;

    if (kernel->objects == ASM_MAX_NAMES) {
        asm_error(a, place, "a kernel has at most %d global objects", ASM_MAX_NAMES);
        return PTO_NONE;
    }
    object.name = pto_arena_strdup(&a->module->arena, name);
    PTO_GROW(kernel->object, kernel->objects, a->object_capacity);
    kernel->object[kernel->objects] = object;
    return (int32_t)kernel->objects++;
}

void asm_object_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    struct pto_object object = {.kind = (uint8_t)object_kind(stmt->kind), .base = PTO_NONE};
    int dtype = stmt->type ? asm_dtype(a, stmt->type) : PTO_I32;
    unsigned marks;

    asm_params_close(a);
    marks = take_marks(a, stmt, stmt->kind == TK_D_IN ? MARK_OPTIONAL | MARK_UNIFORM | MARK_FLAT
                                : stmt->kind == TK_D_INOUT || stmt->kind == TK_D_SYM ? MARK_FLAT
                                                                                     : 0);
    object.dtype = (uint8_t)(dtype < 0 ? PTO_F32 : dtype);
    object.optional = marks & MARK_OPTIONAL;
    object.uniform = marks & MARK_UNIFORM;
    object.flat = marks & MARK_FLAT;
    object.pos = text_position(&a->text, stmt->token);
    if (dimensions(a, stmt, &object) && stmt->kind == TK_D_VIEW)
        view(a, stmt, &object);
    if (asm_symbol_define(a, NS_PLAIN, SYM_OBJECT, stmt->name, a->kernel_section,
                          a->kernel->objects))
        asm_object_add(a, stmt->token, stmt->name->text, object);
}

void asm_mix_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    if (stmt->name->i != 1 || stmt->type->i < 1 || stmt->type->i > 2) {
        asm_error(a, stmt->name, "a block has one cube sub-core and one or two vector sub-cores");
        return;
    }
    if (a->rings) {
        asm_hint(a, asm_error(a, stmt->token, "'.mix' comes after a .fifo"),
                 "rings are divided among the vector sub-cores: say first how many there are");
        return;
    }
    a->kernel->vectors_per_block = (uint8_t)stmt->type->i;
}

/* ---- assertions ---- */

static void emit_assert(struct assembly *a, const struct asm_stmt *stmt, struct asm_value value)
{
    struct pto_operand operand[2] = {{.kind = PTO_O_SCALAR}, {.kind = PTO_O_STRING}};

    if (value.is_float && !formula_compare_zero(&a->formula, stmt->expr, false, &value))
        return;
    operand[0].scalar = value.scalar;
    operand[1].text = pto_arena_strdup(&a->module->arena, stmt->text->text);
    asm_emit(a, stmt->token, PTO_OP_ASSERT, 2, operand);
}

void asm_assert_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    struct asm_value value;
    bool in_module = a->section == SECTION_MODULE;

    if (!in_module && a->section != SECTION_CORE)
        asm_params_close(a);
    if (!(in_module ? asm_constant(a, stmt->expr, "an assertion outside of kernels", &value)
                    : asm_eval(a, stmt->expr, &value)))
        return;
    if (!asm_is_constant(&value))
        emit_assert(a, stmt, value);
    else if (!asm_is_true(&value))
        asm_error_expr(a, stmt->expr, "assertion failed: %s", stmt->text->text);
}
