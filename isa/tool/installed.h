/* What is installed beside a program. */
#ifndef PTO_TOOL_INSTALLED_H
#define PTO_TOOL_INSTALLED_H

#include "arena.h"

/* The folder ../share/pto/kernels/lib, seen from that of the program that runs, in the arena; NULL:
 * there is none, as in a tree that was only built. */
const char *tool_installed_includes(struct pto_arena *arena);

/* The pages of the manual for a browser: ../share/doc/pto/html, or in a build tree ../site; NULL:
 * they were not made. */
const char *tool_installed_docs(struct pto_arena *arena);

#endif
