#include "route.h"

static unsigned path_end(const struct pto_core_code *core, const struct pto_operand *operand)
{
    return operand->kind == PTO_O_TILE ? core->tile[operand->tile.tile].space : PTO_PATH_GM;
}

/* The first operand is the destination, the second the source. */
int pto_route_pipe(const struct pto_profile *profile, const struct pto_core_code *core,
                   const struct pto_insn *insn)
{
    const struct pto_op_info *info = pto_op_info(insn->op);
    const struct pto_path *path;

    if (info->class != PTO_TILE)
        return -1;
    switch (info->route) {
    case PTO_ON_V:
        return PTO_PIPE_V;
    case PTO_ON_M:
        return PTO_PIPE_M;
    case PTO_ON_MTE2:
        return PTO_PIPE_MTE2;
    case PTO_ON_PATH:
        path = &profile->path[path_end(core, &insn->operand[1])][path_end(core, &insn->operand[0])];
        return path->exists ? path->pipe : -1;
    default:
        return -1;
    }
}
