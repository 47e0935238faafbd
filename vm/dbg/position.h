/* Going to a position, forward and back.  A position is an event number (state.h). */
#ifndef PTO_DBG_POSITION_H
#define PTO_DBG_POSITION_H

#include "dbg/state.h"

/* The position of the next event of this number; answers what is there. */
bool position_goto(struct dbg *dbg, uint64_t event);
/* The first event at or after this time. */
bool position_time(struct dbg *dbg, uint64_t time_ps);
/* A place to come back to. */
struct position_target {
    uint64_t event;
    uint64_t another; /* the run is another one from this event on; UINT64_MAX: it is the same */
    int rank;         /* focus */
    unsigned core;
};
/* The place, with what was changed by hand at its event. */
bool position_return(struct dbg *dbg, const struct position_target *target);
/* Without a word: to the end of the run, or to an event that it has passed. */
bool position_end(struct dbg *dbg);
bool position_back(struct dbg *dbg, uint64_t event);
/* From the start to the present position; false: answered. */
bool position_again(struct dbg *dbg);
/* Back by so many instructions of the focused sub-core. */
bool position_step_back(struct dbg *dbg, uint64_t count);
/* The same by source lines; out of the macro use. */
bool position_line_back(struct dbg *dbg, uint64_t count);
bool position_leave_back(struct dbg *dbg);
/* Back to where a breakpoint stopped, or would have. */
bool position_break_back(struct dbg *dbg);

#endif
