/* Modules without positions. */
#ifndef TESTS_UNIT_PLACES_H
#define TESTS_UNIT_PLACES_H

#include "module.h"

static inline void forget_places(struct pto_kernel *kernel)
{
    kernel->pos = 0;
    for (uint32_t k = 0; k < kernel->params; k++)
        kernel->param[k].pos = 0;
    for (uint32_t k = 0; k < kernel->objects; k++)
        kernel->object[k].pos = 0;
    for (uint32_t k = 0; k < kernel->setup.insns; k++)
        kernel->setup.insn[k].pos = 0;
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++) {
        struct pto_core_code *core = &kernel->core[kind];

        for (uint32_t k = 0; k < core->code.insns; k++)
            core->code.insn[k].pos = 0;
        for (uint32_t k = 0; k < core->tiles; k++)
            core->tile[k].pos = 0;
        for (uint32_t k = 0; k < core->locals; k++)
            core->local[k].pos = 0;
    }
}

#endif
