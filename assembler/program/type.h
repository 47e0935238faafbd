/* Element types, by their words and through constants. */
#ifndef ASM_PROGRAM_TYPE_H
#define ASM_PROGRAM_TYPE_H

#include "diag.h"
#include "formula/value.h"
#include "text/ast.h"

struct assembly;

/* enum pto_dtype that a word stands for, where a type is meant; -1: none. */
int asm_type_find(struct assembly *a, const struct asm_token *word);
/* The same for an expression, where a number could be meant. */
int asm_type_of(struct assembly *a, const struct asm_expr *expr);
/* Hint "did you mean" among the types and the symbols of these kinds, or the list of types. */
void asm_type_hint(struct assembly *a, struct pto_diag *diag, const char *word, unsigned kinds);
/* enum pto_dtype, or -1 after an error. */
int asm_dtype(struct assembly *a, const struct asm_token *type);
/* i64 or f64; false after an error. */
bool asm_scalar_type(struct assembly *a, const struct asm_token *type, bool *is_float);
/* Is a side of this operator an element type?  Then it is computed by the second one.  `context`
 * is the assembly. */
bool asm_compares_types(void *context, const struct asm_expr *expr);
bool asm_compare_types(void *context, const struct asm_expr *expr, struct asm_value *d);

#endif
