/* Events as text, their history, and the live trace. */
#ifndef PTO_DBG_EVENT_H
#define PTO_DBG_EVENT_H

#include "dbg/state.h"

/* Keyword of an event kind ("complete"), and back (-1: none). */
const char *event_name(int kind);
int event_find(const char *name, size_t length);
/* Remember the event and print it if the trace is on. */
void event_record(struct dbg *dbg, const struct pto_event *event);
/* One line; `issue`: what its instruction was issued with, NULL: not known. */
void event_say(struct dbg *dbg, const struct pto_event *event, const struct dbg_issue *issue);
/* The last `count` events. */
void event_say_history(struct dbg *dbg, uint64_t count);
/* Free the history. */
void event_forget(struct dbg *dbg);

#endif
