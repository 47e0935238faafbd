/* What this host has. */
#ifndef PTO_DATA_HOST_H
#define PTO_DATA_HOST_H

#include <stdint.h>

/* Bytes of memory that this process may still take: what is available on the host, and in the
 * control groups that it is in.  `root`: where /proc and /sys lie, "" but in tests.  0: unknown. */
uint64_t cli_host_memory(const char *root);
/* Bytes that this process has in memory, 0 if nobody says.  May be called by a signal handler. */
uint64_t cli_host_resident(void);

/* Seconds of this host's clock, from a point in the past. */
double cli_host_seconds(void);
/* Picoseconds until the clock says `end`; 1: it is over, since a limit of 0 would be any time. */
uint64_t cli_host_time_left(double end);

/* Processors that this process may use, at most PTO_MAX_THREADS. */
int cli_host_processors(void);

#endif
