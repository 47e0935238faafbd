/* Values of options that name ranks and links.  Of what is wrong the table of the option hears, and
 * false is returned. */
#ifndef PTO_CLI_OPTIONS_RANKS_H
#define PTO_CLI_OPTIONS_RANKS_H

#include "tool/options.h"
#include "vm.h"

/* "0-1", `length` characters. */
bool cli_read_link(const struct tool_value *v, const char *text, size_t length,
                   struct pto_link *link);
/* "0-1=4", or with names of places, which are kept in the arena */
bool cli_read_slow_link(const struct tool_value *v, struct pto_arena *arena,
                        struct pto_slow_link *slow);
/* "3=2.5" */
bool cli_read_slow_rank(const struct tool_value *v, struct pto_slow_rank *slow);
/* "3@12.5us" */
bool cli_read_dead_rank(const struct tool_value *v, struct pto_dead_rank *dead);

#endif
