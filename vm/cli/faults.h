/* A fault, deadlock or limit of the machine as a message like a compiler's, and as JSON. */
#ifndef PTO_CLI_FAULTS_H
#define PTO_CLI_FAULTS_H

#include "cli/json.h"
#include "diag.h"
#include "lines.h"
#include "vm.h"

enum { CLI_TIME_BYTES = 40 };

/* "12.345 us" in `text` of CLI_TIME_BYTES; returns it. */
const char *cli_time_text(uint64_t ps, char *text);
/* "fault", "deadlock", "limit" or "error". */
const char *cli_fault_kind(const struct pto_fault *fault);
/* Append the message; `label` replaces the kind if not NULL ("warning").  The source line is shown
 * if its file can be read. */
void cli_fault_text(const struct pto_fault *fault, const char *label, bool colour,
                    struct pto_buf *out);
/* Append the warnings of a run, a few of them if not `verbose`, and the fault, deadlock or limit
 * that ended it. */
void cli_end_text(struct pto_vm *vm, bool verbose, bool colour, struct pto_buf *out);
/* Append "FILE:LINE:COLUMN: " of a position, or nothing without one.  What stands in a library is
 * named by the line of the program that led there. */
void cli_place_head(const struct pto_module *module, int32_t pos, struct pto_buf *out);
/* Append that line with a caret, where it was included or expanded from, and the way into the
 * library.  `lines` keeps the file that was read last, for the next place. */
void cli_place_text(const struct pto_module *module, int32_t pos, struct pto_lines *lines,
                    struct pto_buf *out);
void cli_fault_json(const struct pto_fault *fault, const char *key, struct cli_json *json);

#endif
