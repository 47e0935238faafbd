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

struct binding *prepare_binding(const struct pto_vm *vm, int rank, const char *name)
{
    for (unsigned i = vm->bindings; i-- > 0;) {
        struct binding *binding = &vm->binding[i];

        if ((binding->rank == rank || binding->rank == PTO_ALL_RANKS) &&
            !strcmp(binding->name, name))
            return binding;
    }
    return NULL;
}
