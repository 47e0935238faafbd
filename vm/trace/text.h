/* Instructions as JSON texts with the values that their operands had: what stays the same of an
 * instruction is written once. */
#ifndef PTO_TRACE_TEXT_H
#define PTO_TRACE_TEXT_H

#include "arena.h"
#include "object.h"
#include "trace/map.h"

/* One instruction. */
struct trace_insn {
    const struct pto_insn *insn;
    const char *mnemonic;
    const char *place; /* "file:line", with quotes and escapes; NULL: not known */
    struct pto_hole *hole;
    unsigned holes;
    uint8_t *text; /* escaped; hole[i].at are bytes of it */
    size_t size;
};

struct trace_texts {
    struct pto_arena arena;
    struct trace_map numbers;
    struct trace_insn **item;
    uint32_t count, capacity;
};

/* The text of an instruction; NULL: there is none. */
const struct trace_insn *trace_text_of(struct trace_texts *texts, const struct pto_module *module,
                                       const struct pto_insn *insn);
/* What its holes take of the values of all registers and built-in functions. */
void trace_text_values(const struct trace_insn *insn, const uint64_t *registers, uint64_t *value);
/* Append it without quotes; `value`: one for each hole, NULL: they are left empty. */
void trace_text_put(const struct trace_insn *insn, const uint64_t *value, struct pto_buf *out);
void trace_texts_free(struct trace_texts *texts);

#endif
