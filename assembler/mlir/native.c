/* Lines of this project's own language in upstream's text. */
#include <string.h>

#include "mlir/tree.h"
#include "ops.h"

/* How upstream writes an instruction; NULL: it does not. */
static const char *upstream_name(struct mlir_text *t, const char *instruction)
{
    static const struct {
        const char *name, *instruction;
    } row[] = {
#define MLIR_INTEGER(...)
#define MLIR_REAL(...)
#define MLIR_OP(name, instruction, how) {name, instruction},
#include "mlir/mlir_ops.def"
#undef MLIR_OP
#undef MLIR_INTEGER
#undef MLIR_REAL
    };

    if (!strcmp(instruction, "set_flag") || !strcmp(instruction, "wait_flag"))
        return pto_arena_printf(&t->arena, "pto.%s[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]",
                                instruction);
    if (!strcmp(instruction, "pipe_barrier"))
        return "pto.barrier <PIPE_V>";
    if (!strcmp(instruction, "set_flag_dev"))
        return "pto.sync.set <PIPE_FIX>, 0";
    if (!strcmp(instruction, "wait_flag_dev"))
        return "pto.sync.wait <PIPE_V>, 0";
    if (!strcmp(instruction, "TLOAD") || !strcmp(instruction, "TSTORE"))
        return instruction[1] == 'L' ? "pto.tload ins(WINDOW : T) outs(TILE : T)"
                                     : "pto.tstore ins(TILE : T) outs(WINDOW : T)";
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++)
        if (!strcmp(row[i].instruction, instruction))
            return pto_arena_printf(&t->arena, "%s ins(..) outs(..)", row[i].name);
    return NULL;
}

bool mlir_native(struct mlir_text *t, const struct mlir_node *word)
{
    const char *upstream;
    struct pto_diag *diag;

    if (pto_op_find(word->text) < 0)
        return false;
    upstream = upstream_name(t, word->text);
    diag = mlir_error(t, word, "'%s' is an instruction of this project's language, not an "
                      "operation of upstream's", word->text);
    if (upstream)
        pto_diag_hint(t->diags, diag, "upstream writes %s", upstream);
    return true;
}
