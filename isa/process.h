/* What the programs have in common as processes. */
#ifndef PTO_PROCESS_H
#define PTO_PROCESS_H

/* Exit status of a program for which the host has no memory left. */
enum { PTO_EXIT_MEMORY = 71 };

/* First thing in main: a file that gets too large is an error of the write, not the end of the
 * program; and what is meant for a standard stream that is closed goes into no file. */
void pto_process_begin(void);

#endif
