#include "preparation.h"

#include <string.h>

#include "place.h"

enum pto_status prepare_complain(const struct preparation *c, uint32_t pos, const char *hint,
                                 const char *message)
{
    struct pto_diag *diag =
        pto_diag_at(c->diags, PTO_ERROR, &c->launch->program->module, pos, message);

    if (hint)
        pto_diag_hint(c->diags, diag, "%s", hint);
    return PTO_ECONFIG;
}

void prepare_use_bindings(struct pto_vm *vm, const char *name)
{
    for (unsigned i = 0; i < vm->bindings; i++)
        if (!strcmp(vm->binding[i].name, name))
            vm->binding[i].used = true;
}

const struct binding *prepare_binding(const struct pto_vm *vm, int rank, const char *name)
{
    for (unsigned i = vm->bindings; i-- > 0;) {
        const struct binding *binding = &vm->binding[i];

        if ((binding->rank == rank || binding->rank == PTO_ALL_RANKS) &&
            !strcmp(binding->name, name))
            return binding;
    }
    return NULL;
}
