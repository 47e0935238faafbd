/* A stopped machine, party by party: what every scalar unit and every pipe is at, what it did last,
 * and what nearly ended its wait.  For the reports of deadlocks and limits. */
#ifndef PTO_LOOK_PARTIES_H
#define PTO_LOOK_PARTIES_H

#include "vm.h"

/* An instruction in the text of a program. */
struct pto_party_place {
    const struct pto_module *module; /* NULL: none */
    int32_t pos;
    const char *mnemonic;
};

/* Something that a wait does not accept, or has not got yet. */
struct pto_party_near {
    const char *text; /* "a token MTE2, V, 1 exists" */
    struct pto_party_place place;
};

enum { PTO_PARTY_NEAR = 4 };

struct pto_party {
    int rank;
    const char *core, *pipe; /* NULL: the whole rank has ended its launches so far */
    const char *state;     /* "waits", "runs", "idle", "ended", "died" */
    const char *wants;     /* "set_flag MTE2, V, 0"; NULL if it does not wait */
    struct pto_party_place at;   /* where it has come to; none: an empty queue */
    struct pto_party_place last; /* what a pipe completed last in this launch, if known */
    uint64_t last_ps;           /* when */
    struct pto_party_near near[PTO_PARTY_NEAR];
    unsigned nears;
};

/* All parties; the list and its texts belong to the
 * arena.  Returns their number. */
unsigned pto_vm_parties(const struct pto_vm *vm, struct pto_arena *arena, struct pto_party **list);

#endif
