/* Ending a run: the one place where faults, deadlocks and limits are recorded. */
#ifndef PTO_MACHINE_FAULT_H
#define PTO_MACHINE_FAULT_H

#include "machine.h"

/* The instruction at `pc` of the core faults on `pipe` at `time`; the rank stops.  Of several
 * faults the earliest (time, rank) is reported.  Always returns false, so that checks can say
 * `return fault_raise(...)`. */
bool fault_raise(struct core *core, uint32_t pc, unsigned pipe, uint64_t time, const char *hint,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));
/* A limit was hit: the rank stops, and the report says what everybody was doing. */
void fault_limit(struct rank *rank, const char *message, const char *hint);
/* A remark that does not stop the run: the instruction at `pc` left something at the end of a
 * sub-core that nobody waited for. */
void fault_leftover(struct core *core, uint32_t pc, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Make the earliest fault of a rank the machine's. */
void fault_collect(struct pto_vm *vm);
/* Nothing can run and someone has not ended. */
void fault_deadlock(struct pto_vm *vm);
/* Tokens left behind make a run that otherwise ended well fail. */
void fault_report_leftovers(struct pto_vm *vm);
/* Everything that waits, one party a line. */
void fault_describe_waits(const struct pto_vm *vm, struct pto_buf *out);

/* Source position of an instruction for messages, "file:line" (in the machine's arena). */
const char *fault_place(const struct core *core, uint32_t pc);

#endif
