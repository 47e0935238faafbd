/* The way from process to process: what goes along with a message, and what processes tell each
 * other of clocks. */
#ifndef PTO_CHECK_TRAVEL_PARCEL_H
#define PTO_CHECK_TRAVEL_PARCEL_H

#include "check/clock_parcel.h"
#include "check/internal.h"

struct mailboxes;

/* NULL where one process has all ranks. */
struct mailboxes *mailboxes_open(const struct pto_check *check);
void mailboxes_close(struct mailboxes *all);
/* The ways to a process, and from it. */
struct clock_mail *mail_to(const struct pto_check *check, int process);
struct clock_mail *mail_from(const struct pto_check *check, int process);
/* Of the probe: a message leaves for another process; one has come. */
void parcel_leave(void *context, const struct message *message, struct pto_buf *out);
void parcel_come(void *context, struct message *message, struct reader *in);
/* A release, and the frame of a party. */
void parcel_put_release(struct clock_mail *mail, const struct pto_check *check,
                        const struct release *release, struct pto_buf *out);
struct release *parcel_take_release(struct clock_mail *mail, struct pto_check *check,
                                    struct reader *in);

#endif
