/* The table of instructions as `ptoas --list-ops` prints it: text for people, JSON for scripts
 * (docs/isa and tests/isa are made from that). */
#ifndef PTOAS_LIST_H
#define PTOAS_LIST_H

#include "arena.h"
#include "ops.h"

void ptoas_list_ops(struct pto_buf *out);
/* One row the way --list-ops shows it. */
void ptoas_list_op(struct pto_buf *out, const struct pto_op_info *info);
/* An array of one object per row; for scripts, so keys are only ever added. */
void ptoas_list_json(struct pto_buf *out);
/* "V", "M", "MTE2", "by path", "MTE2,MTE3", "sync" or "S". */
const char *ptoas_pipe_of(const struct pto_op_info *info);

#endif
