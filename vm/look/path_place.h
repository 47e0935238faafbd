/* Where time goes, and for what. */
#ifndef PTO_LOOK_PATH_PLACE_H
#define PTO_LOOK_PATH_PLACE_H

#include "vm.h"

enum pto_cause {
    PTO_CAUSE_COMPUTE, /* the vector unit and the cube */
    PTO_CAUSE_MEMORY,  /* bytes between memories of the rank */
    PTO_CAUSE_LINK,    /* bytes and signals between ranks */
    PTO_CAUSE_SYNC,    /* what flags, signals and barriers cost by themselves */
    PTO_CAUSE_ISSUE,   /* the scalar unit at work */
    PTO_CAUSE_LAUNCH,  /* a launch begins */
    PTO_CAUSES
};

enum { PTO_CRITICAL_LINK = PTO_QUEUE_COUNT }; /* in place of a pipe: between ranks */

/* Where time is spent, or waited. */
struct pto_critical_place {
    const struct pto_module *module;
    const struct pto_insn *insn; /* NULL: none */
};

#endif
