/* Element types in the text: words of the language, constants that stand for them, and what can be
 * asked about them.  A type is no number: it goes where a type stands, or into a comparison. */
#include "type.h"

#include <string.h>

#include "assembly.h"
#include "expr.h"
#include "formula/value.h"
#include "symbols.h"

/* What a name stands for that is no word of the language. */
static int type_of_symbol(const struct asm_symbol *symbol)
{
    if (symbol && symbol->kind == SYM_CONSTANT && symbol->wrong)
        return PTO_F32; /* reported: it fits everywhere */
    return symbol && symbol->kind == SYM_TYPE ? (int)symbol->index : PTO_NONE;
}

int asm_type_find(struct assembly *a, const struct asm_token *word)
{
    int dtype = pto_dtype_find(word->text);

    return dtype >= 0 ? dtype : type_of_symbol(asm_symbol_find(a, NS_PLAIN, word));
}

static bool offers_type(struct assembly *a, const struct asm_expr *expr)
{
    return expr->kind == EX_CHOICE ? offers_type(a, expr->left) || offers_type(a, expr->right)
                                   : asm_type_of(a, expr) >= 0;
}

/* After an error f32, which fits everywhere. */
static int type_of_choice(struct assembly *a, const struct asm_expr *expr)
{
    struct asm_value condition;

    if (!asm_constant(a, expr->condition, "what chooses an element type", &condition))
        return PTO_F32;
    return asm_type_of(a, asm_is_true(&condition) ? expr->left : expr->right);
}

int asm_type_of(struct assembly *a, const struct asm_expr *expr)
{
    const struct asm_symbol *symbol;

    if (expr->kind == EX_CHOICE && offers_type(a, expr))
        return type_of_choice(a, expr);
    if (!formula_is_bare(expr))
        return PTO_NONE;
    symbol = asm_symbol_find(a, NS_PLAIN, expr->token);
    if (!symbol)
        return pto_dtype_find(expr->token->text);
    return symbol->kind == SYM_TYPE ? (int)symbol->index : PTO_NONE;
}

void asm_type_hint(struct assembly *a, struct pto_diag *diag, const char *word, unsigned kinds)
{
    const char *names[PTO_DTYPE_COUNT];
    struct pto_buf list = {0};

    for (unsigned i = 0; i < PTO_DTYPE_COUNT; i++) {
        names[i] = pto_dtype_name(i);
        pto_buf_printf(&list, " %s", names[i]);
    }
    if (!asm_hint_nearest(a, diag, word, names, PTO_DTYPE_COUNT) &&
        !asm_symbol_hint(a, diag, NS_PLAIN, kinds, word))
        asm_hint(a, diag, "the element types are%s", pto_buf_text(&list));
    pto_buf_free(&list);
}

int asm_dtype(struct assembly *a, const struct asm_token *type)
{
    int dtype = asm_type_find(a, type);

    if (dtype < 0)
        asm_type_hint(a, asm_error(a, type, "there is no element type '%s'", type->text),
                      type->text, 1 << SYM_TYPE);
    return dtype;
}

bool asm_scalar_type(struct assembly *a, const struct asm_token *type, bool *is_float)
{
    int dtype = asm_type_find(a, type);

    *is_float = !strcmp(type->text, "f64");
    if (*is_float || dtype == PTO_I64)
        return true;
    asm_hint(a, asm_error(a, type, "'%s' is not a type of scalars", type->text),
             "expected i64 or f64");
    return false;
}

bool asm_compares_types(void *context, const struct asm_expr *expr)
{
    struct assembly *a = context;

    return expr->kind == EX_BINARY &&
           (asm_type_of(a, expr->left) >= 0 || asm_type_of(a, expr->right) >= 0);
}

bool asm_compare_types(void *context, const struct asm_expr *expr, struct asm_value *d)
{
    struct assembly *a = context;
    int x = asm_type_of(a, expr->left), y = asm_type_of(a, expr->right);
    const struct asm_expr *other = x < 0 ? expr->left : expr->right;
    struct pto_diag *diag;

    if (expr->op != PTO_OPERATOR_EQ && expr->op != PTO_OPERATOR_NE) {
        asm_error_expr(a, expr, "element types can be compared with == and != only");
        return false;
    }
    if (x < 0 || y < 0) {
        diag = asm_error_expr(a, other, "an element type is compared with something else");
        if (formula_is_bare(other))
            asm_type_hint(a, diag, other->token->text, 1 << SYM_TYPE);
        return false;
    }
    *d = asm_int((x == y) == (expr->op == PTO_OPERATOR_EQ));
    return true;
}
