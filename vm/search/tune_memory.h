/* What searches have found, in a file, so that the same search need not be made again.  A search
 * has a key that stands for all that it depends on, so that what is remembered is what it would
 * find (docs/decisions/0055-values-that-are-searched.md). */
#ifndef PTO_SEARCH_TUNE_MEMORY_H
#define PTO_SEARCH_TUNE_MEMORY_H

#include "search/tune.h"

/* What the search that was begun has found before: of each axis the index of its best value.
 * *known false: it is not known.  PTO_ECONFIG: `diags` tells what is wrong with the file. */
enum pto_status tune_recall(const struct tune *tune, struct tune_found *found, unsigned *choice,
                            bool *known, struct pto_diags *diags);
/* Remember what it has found; false: it is not, of which `diags` warns where a place was named. */
bool tune_remember(const struct tune *tune, struct pto_diags *diags);

#endif
