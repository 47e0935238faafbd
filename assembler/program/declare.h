/* What stands outside of programs: constants, parameters, global objects, assertions. */
#ifndef ASM_PROGRAM_DECLARE_H
#define ASM_PROGRAM_DECLARE_H

#include "module.h"
#include "text/ast.h"

struct assembly;

struct asm_default { /* of a parameter, lowered when all parameters are known */
    uint32_t param;
    struct asm_expr *expr;
    const struct asm_token *token;
};

void asm_constant_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_param_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_object_statement(struct assembly *a, const struct asm_stmt *stmt);
/* Append to the kernel's objects; its index, or PTO_NONE after an error at `place`. */
int32_t asm_object_add(struct assembly *a, const struct asm_token *place, const char *name,
                       struct pto_object object);
void asm_mix_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_assert_statement(struct assembly *a, const struct asm_stmt *stmt);
/* Everything but parameters comes after this: it lowers their defaults. */
void asm_params_close(struct assembly *a);

#endif
