/* Since when an element of a signal has been what somebody waits for. */
#ifndef PTO_LOOK_PATH_SIGNAL_H
#define PTO_LOOK_PATH_SIGNAL_H

#include <stdint.h>

#include "vm.h"

/* A value that an element got. */
struct signal_change {
    int64_t value, before;
    uint32_t point;   /* of what brought it */
    uint64_t wake_ps; /* when somebody who waited for it would go on */
};

enum { SIGNAL_CHANGES = 8 }; /* of one element that are kept: the latest ones */

struct signal_element {
    uint64_t number;
    int rank; /* -1: free */
    uint32_t changes;
    struct signal_change change[SIGNAL_CHANGES];
};

struct signals {
    struct signal_element *element; /* hash table, a power of two */
    uint32_t count, slots;
};

void signals_free(struct signals *signals);
/* The element of `event`, an ELEMENT, has changed at `point`. */
void signals_note(struct signals *signals, const struct pto_event *event, uint32_t point);
/* The change since which the element of `event`, a HELD, is as it is wanted; NULL: it was before
 * all that is known, or something else than a notify wrote it. */
const struct signal_change *signals_since(const struct signals *signals,
                                          const struct pto_event *event);

#endif
