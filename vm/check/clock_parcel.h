/* Clocks on their way to another process: each tells only what has changed since the last one that
 * went the same way.  Both ends remember that, so what is put in order is taken in order. */
#ifndef PTO_CHECK_CLOCK_PARCEL_H
#define PTO_CHECK_CLOCK_PARCEL_H

#include "arena.h"
#include "check/clock.h"
#include "machine/reader.h"

/* One end of the way between two processes. */
struct clock_mail;

struct clock_mail *clock_mail_open(const struct clock_shape *shape);
void clock_mail_close(struct clock_mail *mail);
void clock_put(struct clock_mail *mail, const struct far *far, struct pto_buf *out);
struct far *clock_take(struct clock_mail *mail, struct reader *in);

void clock_put_row(const struct row *row, struct pto_buf *out);
void clock_take_row(struct reader *in, struct row *row);

/* Small numbers take a byte. */
void clock_put_number(uint64_t number, struct pto_buf *out);
uint64_t clock_take_number(struct reader *in);

#endif
