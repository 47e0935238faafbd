/* What stands below the first line of a message. */
#ifndef PTO_CLI_DETAILS_H
#define PTO_CLI_DETAILS_H

#include "arena.h"

/* Append lines of details, indented, none longer than messages are. */
void cli_details_text(const char *text, struct pto_buf *out);

#endif
