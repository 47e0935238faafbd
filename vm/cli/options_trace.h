/* Values of the options that say what a trace holds. */
#ifndef PTO_CLI_OPTIONS_TRACE_H
#define PTO_CLI_OPTIONS_TRACE_H

#include "arena.h"
#include "cli/trace_choice.h"
#include "tool/options.h"

/* Everything, with the usual limits. */
void cli_trace_defaults(struct trace_choice *choice);
/* Understand the value of --trace-...; false: the option is none of these. */
bool cli_trace_option(const struct tool_value *v, struct trace_choice *choice,
                      struct pto_arena *arena);

#endif
