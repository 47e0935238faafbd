/* Lines of cases.txt: a command line of ptovm each. */
#ifndef PTO_TEST_CASES_H
#define PTO_TEST_CASES_H

#include "arena.h"

enum { CASE_WORDS = 64, CASE_BYTES = 4096 };

/* Split a line at blanks, with the program before it and `first` (a NULL at the end) between;
 * "$INPUTS" becomes the folder of inputs, '#' begins a comment.  The number of words; 0: nothing in
 * it. */
int case_split(char *line, const char *const *first, const char *inputs, struct pto_arena *arena,
               char **word);

#endif
