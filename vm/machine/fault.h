/* Ending a run: the one place where faults, deadlocks and limits are recorded. */
#ifndef PTO_MACHINE_FAULT_H
#define PTO_MACHINE_FAULT_H

#include "machine.h"

/* The instruction at `pc` of the core faults on `pipe` at `time`; the rank stops.  Of several
 * faults the earliest (time, rank) is reported.  Always returns false, so that checks can say
 * `return fault_raise(...)`. */
bool fault_raise(struct core *core, uint32_t pc, unsigned pipe, uint64_t time, const char *hint,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));
/* The instruction that S is executing faults. */
#define FAULT_HERE(core, hint, ...)                                                                \
    fault_raise(core, (core)->pc, PTO_PIPE_S, (core)->time, hint, __VA_ARGS__)
/* A limit was hit: the rank stops. */
void fault_limit(struct rank *rank, const char *message, const char *hint);
/* A remark that does not stop the run: the instruction at `pc` left something at the end of a
 * sub-core that nobody waited for. */
void fault_leftover(struct core *core, uint32_t pc, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Behind a window: the earliest fault of a rank becomes the machine's, its remarks are gathered. */
void fault_collect(struct pto_vm *vm);
/* Nothing can run and someone has not ended. */
void fault_deadlock(struct pto_vm *vm);
/* Tokens left behind make a run that otherwise ended well fail. */
void fault_report_leftovers(struct pto_vm *vm);
/* Index of the instruction's position in its module, PTO_NONE if it has none. */
int32_t fault_position(const struct core *core, uint32_t pc);
/* Source position of an instruction for messages, "file:line" (in the rank's arena). */
const char *fault_place(const struct core *core, uint32_t pc);
/* The values of the named registers in the operands of what S is executing, " (%off = 4096)", or ""
 * (in the rank's arena). */
const char *fault_registers(const struct core *core);

#endif
