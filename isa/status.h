/* Status codes shared by all libraries: who is at fault, not what happened (that is in the
 * diagnostic or the fault report).  Every fallible public function returns one of these. */
#ifndef PTO_STATUS_H
#define PTO_STATUS_H

enum pto_status {
    PTO_OK = 0,
    PTO_EPROGRAM,  /* the kernel or object is wrong: assembly, rejected object, run-time fault */
    PTO_ECONFIG,   /* the caller's options, inputs or profile are wrong */
    PTO_EDEADLOCK, /* nothing can run and someone has not ended */
    PTO_ELIMIT,    /* a limit on simulated time or instructions was hit */
    PTO_ESYSTEM,   /* the operating system refused: file, memory map */
    PTO_EMEMORY,   /* the host has too little memory for what the input asks for */
    PTO_EINTERNAL  /* a bug of ours */
};

/* Propagate a failure; the happy path stays straight. */
#define PTO_TRY(call)                                                                              \
    do {                                                                                           \
        enum pto_status try_status_ = (call);                                                      \
        if (try_status_ != PTO_OK)                                                                 \
            return try_status_;                                                                    \
    } while (0)

#endif
