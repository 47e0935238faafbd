/* What differs about links and ranks. */
#ifndef PTO_CLI_WIRES_H
#define PTO_CLI_WIRES_H

#include "cli/options.h"

struct cli_json;

/* Append what is down, slow or dead, and when, for sums that tell machines apart. */
void cli_put_wires(const struct cli_options *options, struct pto_buf *text);
/* Is a change in force at a time; is it not so all the time? */
bool cli_change_holds(const struct pto_change *change, uint64_t time);
bool cli_change_is_timed(const struct pto_change *change);
/* Append "link 2-3: down", and that with " from 40.000 us until 60.000 us". */
void cli_change_what(const struct pto_change *change, struct pto_buf *text);
void cli_change_text(const struct pto_change *change, struct pto_buf *text);
/* All of them, if there are any. */
void cli_changes_json(const struct pto_vm *vm, struct cli_json *json);
/* Was the link between two ranks taken down at that time? */
bool cli_is_down(const struct pto_vm *vm, int from, int to, uint64_t time);

#endif
