/* What a party knows at some point: of its own sub-core and of all others.  Every instruction has
 * such a frame or two, so what is done with them costs no call. */
#ifndef PTO_CHECK_KNOWN_H
#define PTO_CHECK_KNOWN_H

#include "check/clock.h"

struct frame {
    struct row row;   /* of its own sub-core */
    struct far *far;  /* of all others; a reference */
    uint32_t version; /* far clocks of one sub-core only grow: the larger version knows more */
    bool apart;       /* but this one has what a pipe learned by itself */
};

static inline void frame_drop(struct frame *frame)
{
    far_drop(frame->far);
    frame->far = NULL;
}

static inline void frame_set_far(struct frame *into, const struct frame *from)
{
    if (into->far != from->far) {
        far_share(from->far);
        far_drop(into->far);
        into->far = from->far;
    }
    into->version = from->version;
    into->apart = from->apart;
}

static inline void frame_set(struct frame *into, const struct frame *from)
{
    row_copy(&into->row, &from->row);
    frame_set_far(into, from);
}

static inline struct frame frame_copy(const struct frame *frame)
{
    struct frame copy = *frame;

    far_share(copy.far);
    return copy;
}

/* A far clock that did not come by way of S. */
static inline void frame_learn_apart(struct frame *into, struct far *far)
{
    far_join(&into->far, far);
    into->apart = true;
}

static inline void frame_join_apart(struct frame *into, const struct frame *from)
{
    if (into->far != from->far)
        frame_learn_apart(into, from->far);
    into->version = from->version > into->version ? from->version : into->version;
}

/* Both are of one sub-core. */
static inline void frame_join(struct frame *into, const struct frame *from)
{
    row_join(&into->row, &from->row);
    if (into->apart || from->apart)
        frame_join_apart(into, from);
    else if (from->version > into->version)
        frame_set_far(into, from);
}

/* Scalar stores stay behind where S itself does not publish them. */
static inline void row_hold_stores(struct row *row)
{
    row->lane[LANE_STORE] = row->lane[LANE_PUBLIC_STORE];
}

#endif
