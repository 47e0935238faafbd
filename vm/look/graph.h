/* Who waits for whom, as a graph. */
#ifndef PTO_LOOK_GRAPH_H
#define PTO_LOOK_GRAPH_H

#include "vm.h"

/* In the language of Graphviz: an arrow from everybody who waits to what is waited for.
 * At most 64 sub-cores are drawn. */
void pto_vm_wait_graph(const struct pto_vm *vm, struct pto_buf *out);

#endif
