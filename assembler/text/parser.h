/* Lines to statements. */
#ifndef ASM_TEXT_PARSER_H
#define ASM_TEXT_PARSER_H

#include "ast.h"
#include "text.h"

/* NULL: empty, or an error that was reported. */
struct asm_stmt *text_parse_line(struct asm_text *t, struct asm_token *token, uint32_t count);

/* The expression that a line consists of; NULL after an error. */
const struct asm_expr *text_parse_expression(struct asm_text *t, struct asm_token *token,
                                             uint32_t count);

#endif
