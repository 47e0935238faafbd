/* The objects of global memory before a run: shapes, bindings, bytes. */
#ifndef PTO_RUN_OBJECTS_H
#define PTO_RUN_OBJECTS_H

#include "preparation.h"

/* Give every object of all launches a number, the same on every rank. */
void objects_number(struct pto_vm *vm);
/* An object with other dimensions than the data that were given for it: a message, if parameter
 * `index` is one of them; else PTO_OK. */
enum pto_status objects_other_dims(const struct preparation *c, uint32_t index);
/* The number of dimensions of what was given, as the object takes it, and the dimensions. */
unsigned objects_given_dims(const struct pto_object *object, const struct binding *binding,
                            uint64_t *dim);
/* Before the set-up asks present(): is an optional input given? */
void objects_presume(struct preparation *c);
/* Behind the set-up: shape of object `index` of the kernel, checked against what was given. */
enum pto_status objects_shape(struct preparation *c, uint32_t index);
/* Symmetric objects are equally large on all ranks. */
enum pto_status objects_check_symmetry(struct pto_vm *vm, struct pto_diags *diags);
/* Every object of a rank gets its place in the rank's global memory. */
void objects_place(struct pto_vm *vm);
/* Memory for all objects, with what was given. */
enum pto_status objects_allocate(struct pto_vm *vm, struct pto_diags *diags);

#endif
