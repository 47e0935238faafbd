/* The words of a command line, and of the files that it names as @FILE. */
#ifndef PTO_TOOL_WORDS_H
#define PTO_TOOL_WORDS_H

#include "arena.h"
#include "diag.h"

/* argv[0..argc-1] with the words of FILE in place of every word @FILE before "--"; *count is their
 * number, NULL stands behind the last.  Words of a file are separated by blanks and ends of lines;
 * quotes, single or double, keep them together; '#' begins a comment.  Files name no others.  What
 * is wrong goes to `diags`. */
char **tool_words(int argc, char **argv, struct pto_arena *arena, int *count,
                  struct pto_diags *diags);

#endif
