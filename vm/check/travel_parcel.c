#include "check/travel_parcel.h"

#include <stdlib.h>

#include "check/travel.h"

struct mailboxes {
    struct mailbox {
        struct clock_mail *to, *from;
        uint32_t *told; /* [sub-core][lane]: epoch up to which it has heard what they did */
    } *of; /* each process */
    int processes;
};

enum { LOGGED_LANES = LANE_STORE + 1 };

struct mailboxes *mailboxes_open(const struct pto_check *check)
{
    const struct pto_carrier *carrier = check->vm->options.carrier;
    struct mailboxes *all;

    if (!carrier)
        return NULL;
    all = pto_xcalloc(1, sizeof *all);
    all->processes = carrier->processes;
    all->of = pto_xcalloc((size_t)carrier->processes, sizeof *all->of);
    for (int p = 0; p < carrier->processes; p++) {
        struct mailbox *box = &all->of[p];

        if (p == carrier->process)
            continue;
        box->to = clock_mail_open(&check->shape);
        box->from = clock_mail_open(&check->shape);
        box->told = pto_xcalloc((size_t)check->cores * LOGGED_LANES, sizeof *box->told);
    }
    return all;
}

void mailboxes_close(struct mailboxes *all)
{
    if (!all)
        return;
    for (int p = 0; p < all->processes; p++) {
        clock_mail_close(all->of[p].to);
        clock_mail_close(all->of[p].from);
        free(all->of[p].told);
    }
    free(all->of);
    free(all);
}

struct clock_mail *mail_to(const struct pto_check *check, int process)
{
    return check->mail->of[process].to;
}

struct clock_mail *mail_from(const struct pto_check *check, int process)
{
    return check->mail->of[process].from;
}

/* ---- parts of a flight ---- */

static void put_access(const struct pto_check *check, const struct access *access,
                       struct pto_buf *out)
{
    clock_put_number(access->core, out);
    clock_put_number(access->epoch, out);
    clock_put_number(access->pc, out);
    clock_put_number(access->serial, out);
    clock_put_number(access->told, out);
    clock_put_number(access->act, out);
    clock_put_number(access->lane, out);
    clock_put_number(check_code_number(check, access->code), out);
    clock_put_number(access->time, out);
}

static void take_access(const struct pto_check *check, struct reader *in, struct access *access)
{
    *access = (struct access){.core = (uint32_t)clock_take_number(in)};
    access->epoch = (uint32_t)clock_take_number(in);
    access->pc = (uint32_t)clock_take_number(in);
    access->serial = (uint32_t)clock_take_number(in);
    access->told = (uint32_t)clock_take_number(in);
    access->act = (uint32_t)clock_take_number(in);
    access->lane = (uint8_t)clock_take_number(in);
    access->code = check->code[clock_take_number(in)];
    access->time = clock_take_number(in);
}

void parcel_put_release(struct clock_mail *mail, const struct pto_check *check,
                        const struct release *release, struct pto_buf *out)
{
    clock_put_number(release->core, out);
    clock_put_number(release->epoch, out);
    clock_put_number(release->pc, out);
    clock_put_number(release->act, out);
    clock_put_number(check_code_number(check, release->code), out);
    clock_put_number(release->time, out);
    clock_put_row(&release->frame.row, out);
    clock_put(mail, release->frame.far, out);
}

struct release *parcel_take_release(struct clock_mail *mail, struct pto_check *check,
                                    struct reader *in)
{
    struct release *release = clock_take_release(&check->shape, sizeof *release);

    *release = (struct release){.refs = 1};
    release->core = (uint32_t)clock_take_number(in);
    release->epoch = (uint32_t)clock_take_number(in);
    release->pc = (uint32_t)clock_take_number(in);
    release->act = (uint32_t)clock_take_number(in);
    release->code = check->code[clock_take_number(in)];
    release->time = clock_take_number(in);
    clock_take_row(in, &release->frame.row);
    release->frame.far = clock_take(mail, in);
    release->told = far_tell(release->frame.far, release->core, &release->frame.row, &check->shape,
                             release->epoch);
    return release;
}

/* What the lane of an access did last, as far as the other process has not heard of it. */
static void put_log(struct mailbox *box, const struct pto_check *check,
                    const struct flight *flight, struct pto_buf *out)
{
    const struct access *access = &flight->access;
    uint32_t *told = &box->told[access->core * LOGGED_LANES + access->lane];
    uint32_t first = access->epoch >= LOG_SEEN ? access->epoch - LOG_SEEN + 1 : 1;

    first = *told >= first ? *told + 1 : first;
    clock_put_number(first <= access->epoch ? access->epoch + 1 - first : 0, out);
    for (uint32_t epoch = first; epoch <= access->epoch; epoch++) {
        const struct logged *entry = history_at(flight->luggage.log, epoch);

        clock_put_number(entry ? check_code_number(check, entry->code) + 1 : 0, out);
        clock_put_number(entry ? entry->pc : 0, out);
    }
    *told = access->epoch > *told ? access->epoch : *told;
}

/* Here the lane is what has been heard of it. */
static void take_log(struct pto_check *check, struct reader *in, struct flight *flight)
{
    const struct access *access = &flight->access;
    struct log_page **log = check->core[access->core].log[access->lane];
    uint32_t count = (uint32_t)clock_take_number(in);

    for (uint32_t i = 0; i < count; i++) {
        uint64_t code = clock_take_number(in);
        uint32_t pc = (uint32_t)clock_take_number(in);

        history_note(log, access->epoch + 1 - count + i,
                     (struct logged){code ? check->code[code - 1] : NULL, pc});
    }
    history_share(flight->luggage.log, log);
}

/* ---- messages ---- */

static bool has_flight(const struct message *message)
{
    return message->kind == MESSAGE_PUT || message->kind == MESSAGE_NOTIFY ||
           (message->kind == MESSAGE_REQUEST && !message->bare);
}

void parcel_leave(void *context, const struct message *message, struct pto_buf *out)
{
    struct pto_check *check = context;
    struct mailbox *box = &check->mail->of[check->vm->owner[message->target]];
    const struct flight *flight;
    bool same;

    if (!has_flight(message))
        return;
    flight = travel_flight(check, message->tag);
    put_access(check, &flight->access, out);
    put_log(box, check, flight, out);
    if (flight->release) {
        parcel_put_release(box->to, check, flight->release, out);
    } else {
        clock_put_row(&flight->frame.row, out);
        clock_put(box->to, flight->frame.far, out);
    }
    same = !flight->release && flight->luggage.issued == flight->frame.far;
    pto_buf_byte(out, same);
    if (!same)
        clock_put(box->to, flight->luggage.issued, out);
    travel_end(check, message->tag);
}

void parcel_come(void *context, struct message *message, struct reader *in)
{
    struct pto_check *check = context;
    struct clock_mail *mail = mail_from(check, check->vm->owner[message->source]);
    struct flight *flight;

    if (!has_flight(message))
        return;
    message->tag = travel_new(check);
    flight = travel_flight(check, message->tag);
    take_access(check, in, &flight->access);
    take_log(check, in, flight);
    if (message->kind == MESSAGE_NOTIFY) {
        flight->release = parcel_take_release(mail, check, in);
    } else {
        clock_take_row(in, &flight->frame.row);
        flight->frame.far = clock_take(mail, in);
    }
    if (*in->at++)
        flight->luggage.issued = far_share(flight->frame.far);
    else
        flight->luggage.issued = clock_take(mail, in);
}
