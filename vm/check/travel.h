/* What goes from rank to rank, and what comes along with it.
 *
 * A message that will touch bytes, or notify, takes with it what its access and its verdict there
 * need of the sub-core that it is from: what that knows, knew when it issued the entry, and has
 * done last.  Where it lands the access becomes a visitor, one of each entry and rank.  So a rank
 * is judged by what it has itself and by what has come to it, whichever process has the others
 * (travel_parcel.c, docs/decisions/0053-the-checker-in-processes.md). */
#ifndef PTO_CHECK_TRAVEL_H
#define PTO_CHECK_TRAVEL_H

#include "check/internal.h"

/* Of what its lane did, a visitor knows its own entry and those before it, so many in all. */
enum { LOG_SEEN = LOG_ENTRIES / 2 };

/* What comes along with an access. */
struct luggage {
    struct far *issued; /* what S knew at its issue; a reference */
    struct log_page *log[LOG_PAGES]; /* of its lane */
};

/* On its way. */
struct flight {
    bool busy;
    struct frame frame;
    struct access access;
    struct luggage luggage;
    struct release *release; /* a notify */
};

void travels_create(struct pto_check *check);
void travels_free(struct pto_check *check);
/* Something leaves for another rank: the entry that the record is of, or a notify of S, whose
 * release is taken over.  Its number, to be given back by travel_end. */
uint32_t travel_entry(struct pto_check *check, const struct check_core *core,
                      const struct record *record);
uint32_t travel_notify(struct pto_check *check, const struct check_core *core,
                       struct release *release, uint32_t serial);
/* A free flight, to be filled in. */
uint32_t travel_new(struct pto_check *check);
/* Until another one leaves. */
struct flight *travel_flight(struct pto_check *check, uint32_t tag);
void travel_end(struct pto_check *check, uint32_t tag);
/* It touches the rank's bytes now: the visitor. */
uint32_t travel_arrive(struct pto_check *check, const struct rank *rank,
                       const struct flight *flight);

/* What S of an access knew at its issue, and what its lane did at an epoch, NULL if that is not
 * known any more. */
struct far *travel_far_at(const struct pto_check *check, const struct access *access);
const struct logged *travel_logged(const struct pto_check *check, const struct access *access,
                                   uint32_t epoch);

/* Nothing refers to the access any more; that was said of all of them. */
void travel_forget(struct pto_check *check, struct access *access);
void travel_swept(struct pto_check *check);

#endif
