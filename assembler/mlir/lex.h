/* Bytes of upstream text to tokens. */
#ifndef ASM_MLIR_LEX_H
#define ASM_MLIR_LEX_H

#include "mlir/tree.h"

/* Fill in t->token; the last one is the end.  Errors are told, and set t->broken. */
void mlir_lex(struct mlir_text *t);

#endif
