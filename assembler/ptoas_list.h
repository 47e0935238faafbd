/* The table of instructions as text, for `ptoas --list-ops`. */
#ifndef PTOAS_LIST_H
#define PTOAS_LIST_H

#include "arena.h"

void ptoas_list_ops(struct pto_buf *out);

#endif
