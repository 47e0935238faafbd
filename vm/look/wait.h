/* Who waits for what: the one description of a wait.
 *
 * Fault texts, JSON, wait graphs and the debugger tell a wait in words of their own; what there is
 * to tell stands here.  Looking changes nothing, and works on a machine that runs, has paused or
 * has died. */
#ifndef PTO_LOOK_WAIT_H
#define PTO_LOOK_WAIT_H

#include "vm.h"

enum pto_wait_kind {
    PTO_WAIT_NONE,     /* it runs, or has nothing to do */
    PTO_WAIT_ENDED,    /* S: the program is at its end */
    PTO_WAIT_ROOM,     /* S: room in a queue */
    PTO_WAIT_FLAG,     /* a token */
    PTO_WAIT_TRANSFER, /* a pipe: the other phase of a transfer, whose token is the machine's own */
    PTO_WAIT_EARLIER,  /* a pipe at a barrier: its earlier work */
    PTO_WAIT_EMPTY,    /* S: its pipes to be empty */
    PTO_WAIT_SIGNAL,   /* S in TWAIT or TWAIT_ANY */
    PTO_WAIT_CROSS,    /* a count of a cross-core flag, or a pipe: of a flag inside the block */
    PTO_WAIT_SYNC_ALL, /* S: the other participants */
    PTO_WAIT_EVENT,    /* S: an event of the DMA engine */
    PTO_WAIT_STORES    /* S at dsb: a rank that has died to acknowledge what was sent to it */
};

enum {
    PTO_WAIT_SIGNALS = 3, /* that one instruction can wait for */
    PTO_WAIT_ELEMENT = 96 /* characters that name a signal */
};

/* A window of signals that is compared. */
struct pto_wait_signal {
    const char *object; /* as the rank names it; a view's base */
    const char *name;   /* as the kernel names it */
    uint64_t byte;      /* of the window's first element in the kernel's object */
    char element[PTO_WAIT_ELEMENT]; /* the same as the kernel writes it: "sync[3]" */
    uint32_t rows, cols;
    int comparison; /* PTO_CMP_* */
    int64_t value;
    int32_t now; /* the first element */
};

struct pto_wait {
    uint8_t kind;     /* enum pto_wait_kind; of NONE and ENDED nothing else is set */
    uint64_t since_ps;
    uint64_t entry;   /* of the queue, as events count them; 0: of S */
    const struct pto_module *module;
    const struct pto_insn *insn; /* that waits */
    uint8_t queue;    /* ROOM: the queue that is full */
    uint8_t src, dst; /* FLAG, TRANSFER: from pipe, to pipe */
    unsigned id;      /* the same: event; CROSS: place of the flag, as events tell it */
    char flag[PTO_CROSS_NAME]; /* CROSS: "cross-core flag 3" */
    bool queued;      /* FLAG: the set stands in the queue of its pipe, or is on its way */
    int scope;        /* SYNC_ALL: PTO_SYNC_* */
    uint64_t event;   /* EVENT */
    unsigned signals; /* SIGNAL: one of them ends the wait */
    struct pto_wait_signal signal[PTO_WAIT_SIGNALS];
};

/* What a queue of a sub-core waits for; PTO_PIPE_S: its scalar unit. */
struct pto_wait pto_vm_wait(const struct pto_vm *vm, int rank, unsigned core, unsigned queue);
/* Does the wait end only when somebody else does something that is not under way yet? */
bool pto_wait_hopeless(const struct pto_wait *wait);

#endif
