/* Options that name ranks and links: their values are added to lists.  Of what is wrong the table
 * of the option hears. */
#ifndef PTO_CLI_OPTIONS_RANKS_H
#define PTO_CLI_OPTIONS_RANKS_H

#include "tool/options.h"
#include "vm.h"

/* "0-1,2-3@40us": from a time on, or "@40us..60us" until another; ranks, or names of places.  Texts
 * are kept in the arena. */
void cli_add_links(const struct tool_value *v, struct pto_arena *arena, struct pto_link **list,
                   int *count, int *capacity);
/* "0-1=4", "0-1=4@40us", "0-1=4/1" */
void cli_add_slow_link(const struct tool_value *v, struct pto_arena *arena,
                       struct pto_slow_link **list, int *count, int *capacity);
/* "3=2.5", "3=2.5@40us" */
void cli_add_slow_rank(const struct tool_value *v, struct pto_arena *arena,
                       struct pto_slow_rank **list, int *count, int *capacity);
/* "3@12.5us" */
void cli_add_dead_rank(const struct tool_value *v, struct pto_dead_rank **list, int *count,
                       int *capacity);

#endif
