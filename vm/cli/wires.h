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
/* The ranks at the ends of a link, or the rank; -1: none, or a place between ranks. */
void cli_change_ranks(const struct pto_change *change, int rank[2]);
/* Append "link 2-3", "link 2-3: down", and that with " from 40.000 us until 60.000 us". */
void cli_change_of(const struct pto_change *change, struct pto_buf *text);
void cli_change_what(const struct pto_change *change, struct pto_buf *text);
void cli_change_text(const struct pto_change *change, struct pto_buf *text);
/* All of them, if there are any, and the kind that a report names. */
void cli_changes_json(const struct pto_vm *vm, struct cli_json *json);
enum pto_change_kind cli_change_kind(const char *name);
/* Was the link between two ranks taken down at that time? */
bool cli_is_down(const struct pto_vm *vm, int from, int to, uint64_t time);

#endif
