/* Diagnostics with their line and with the includes and macro uses around it. */
#ifndef ASM_TEXT_REPORT_H
#define ASM_TEXT_REPORT_H

#include "ast.h"
#include "text.h"

/* An error at a token, or from the first to the last token of an expression; returned for hints. */
struct pto_diag *text_error(struct asm_text *t, const struct asm_token *token, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));
struct pto_diag *text_error_expr(struct asm_text *t, const struct asm_expr *expr,
                                 const char *format, ...) __attribute__((format(printf, 3, 4)));
void text_note(struct asm_text *t, const struct asm_token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define text_hint(t, diag, ...) pto_diag_hint((t)->diags, (diag), __VA_ARGS__)
/* Hint "did you mean 'x'?" with the nearest candidate, if one is near. */
bool text_hint_nearest(struct asm_text *t, struct pto_diag *diag, const char *word,
                       const char *const *candidate, unsigned count);

#endif
