/* What a text has of functions, of calls and of tiles whose valid region it changes, found once:
 * each of its lines may be one. */
#ifndef ASM_MLIR_FUNCTIONS_H
#define ASM_MLIR_FUNCTIONS_H

#include <stdbool.h>

#include "mlir/tree.h"

enum { MLIR_MAX_CALLED = 1 << 17 }; /* operations that calls bring in, all together */

struct mlir_functions {
    struct mlir_node **function; /* by name; of one name, the first of the text is first */
    struct mlir_node **partner;  /* for each of them (together.h); NULL: none */
    const struct mlir_node **call; /* `call @F(..)`: the @F of each */
    const char **called;         /* the names that calls name, sorted */
    const char **changed;        /* those of tiles whose valid region is changed, sorted */
    uint32_t functions, function_capacity, calls, call_capacity, changes, change_capacity;
    uint32_t looked_at, brought_in; /* operations of called functions: for rings, and as code */
};

void mlir_functions_find(struct mlir_functions *f, const struct mlir_text *tree);
void mlir_functions_free(struct mlir_functions *f);
bool mlir_is_function(const struct mlir_node *node);
const char *mlir_function_name(const struct mlir_node *function);
/* The first of what stands in the brackets of `func.func @F(..)`; NULL: nothing. */
const struct mlir_node *mlir_arguments(const struct mlir_node *function);
/* Is it a call of a function with a name? */
bool mlir_is_call(const struct mlir_node *op);
/* The place of the function of a name in `function`; `functions`: there is none. */
uint32_t mlir_function_place(const struct mlir_functions *f, const char *name);
/* The function of a name, or NULL. */
struct mlir_node *mlir_function(const struct mlir_functions *f, const char *name);
bool mlir_is_called(const struct mlir_functions *f, const char *name);
/* Does any function change the valid region of a tile of this name, or one that it is given to? */
bool mlir_is_changed(const struct mlir_functions *f, const char *tile);

#endif
