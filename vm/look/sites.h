/* Numbers for instructions, in the order in which they are met, from 1 on.  Those of one mnemonic
 * in one line are one: a macro that is used twice, a line that takes two flags. */
#ifndef PTO_LOOK_SITES_H
#define PTO_LOOK_SITES_H

#include "path_place.h"

struct sites {
    struct pto_critical_place *place; /* [0]: none */
    uint32_t count, capacity;
    uint32_t *slot; /* hash table of numbers, a power of two; 0: free */
    uint32_t slots;
};

void sites_begin(struct sites *sites);
void sites_free(struct sites *sites);
uint32_t sites_number(struct sites *sites, const struct pto_module *module,
                      const struct pto_insn *insn);

#endif
