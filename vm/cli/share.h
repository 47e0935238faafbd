/* Shares in percent. */
#ifndef PTO_CLI_SHARE_H
#define PTO_CLI_SHARE_H

#include "arena.h"

/* Append it with one decimal, rounded half up, in whole numbers: the same on every host. */
void cli_share_text(uint64_t part, uint64_t whole, unsigned width, struct pto_buf *out);

#endif
