/* Functions that are launched together: one of the cube and one of the vector sub-cores, of which
 * one names the other as the peer of a pipe. */
#ifndef ASM_MLIR_TOGETHER_H
#define ASM_MLIR_TOGETHER_H

#include "mlir/functions.h"

/* Find the partners of all functions.  Each has one at most: of several, the first by the names of
 * the functions that import. */
void mlir_pair_up(struct mlir_functions *f);
/* The function with a body that is launched together with this one; NULL: none, or one of the two
 * is called by another function, which launches both then. */
struct mlir_node *mlir_partner(const struct mlir_functions *f, const struct mlir_node *function);
/* The name of the kernel that two such functions are: F for F_aic and F_aiv, else the cube's. */
const char *mlir_name_together(struct mlir_text *t, const struct mlir_functions *f,
                               const struct mlir_node *one, const struct mlir_node *other);
/* A function that calls both, as upstream's entries do, with the arguments of both: those of one
 * name are one.  NULL after an error: they differ in type. */
struct mlir_node *mlir_call_together(struct mlir_text *t, const struct mlir_functions *f,
                                     const struct mlir_node *one, const struct mlir_node *other);

#endif
