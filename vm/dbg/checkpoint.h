/* Places in a run that somebody has given a name, to come back to.  A checkpoint remembers what was
 * changed by hand up to there: who comes back to one of an altered run is on that run again. */
#ifndef PTO_DBG_CHECKPOINT_H
#define PTO_DBG_CHECKPOINT_H

#include "dbg/state.h"

/* The name of the checkpoint of this index; NULL behind the last. */
const char *checkpoint_name(const struct dbg *dbg, unsigned index);
/* Go there; false: answered. */
bool checkpoint_return(struct dbg *dbg, const char *name, size_t length);
/* Those that `names` lists go; all, if it lists none.  False: answered. */
bool checkpoint_delete(struct dbg *dbg, const char *names);
/* The command `info checkpoints`. */
bool checkpoint_info(struct dbg *dbg, const char *args);
void checkpoint_free(struct dbg *dbg);

#endif
