/* Numbers as the command line writes them.  Every function reads the whole text or fails; nothing
 * depends on the locale; infinities and NaN are never accepted. */
#ifndef PTO_TOOL_NUMBER_H
#define PTO_TOOL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal or 0x hexadecimal with an optional sign and an optional suffix K, M or G (powers of
 * 1024), within int64. */
bool tool_parse_int(const char *text, size_t length, int64_t *value);
/* The number of a line, from 1, in decimal digits alone. */
bool tool_parse_line(const char *text, uint32_t *line);
/* A finite decimal number ("1.5", "-2e-3"). */
bool tool_parse_float(const char *text, size_t length, double *value);
/* A positive span of time with its unit (ps, ns, us, ms, s) as whole picoseconds. */
bool tool_parse_time(const char *text, uint64_t *ps);
/* A moment, which can be the beginning: "0us". */
bool tool_parse_moment(const char *text, uint64_t *ps);

#endif
