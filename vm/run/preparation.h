/* What prepare.c and objects.c share: one launch on one rank in preparation. */
#ifndef PTO_RUN_PREPARATION_H
#define PTO_RUN_PREPARATION_H

#include "machine/machine.h"

struct preparation {
    struct pto_vm *vm;
    struct launch *launch;
    struct rank *rank;
    struct bound_object *bound;
    uint64_t *param;
    bool *given;
    const uint64_t *reg; /* the set-up's registers when it has run */
    struct pto_diags *diags;
};

/* Say what is wrong with a declaration, at its place; `hint` may be NULL.  Always PTO_ECONFIG. */
enum pto_status prepare_complain(const struct preparation *c, uint32_t pos, const char *hint,
                                 const char *message);
/* The contents given for an object on a rank, the last word counts; NULL: none. */
const struct binding *prepare_binding(const struct pto_vm *vm, int rank, const char *name);
/* Whatever was given under a name has an object that takes it, on some rank. */
void prepare_use_bindings(struct pto_vm *vm, const char *name);

#define COMPLAIN(c, pos, hint, ...)                                                                \
    prepare_complain(c, pos, hint, pto_arena_printf(&(c)->vm->arena, __VA_ARGS__))

#endif
