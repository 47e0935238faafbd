#include "check/clock_parcel.h"

#include <stdlib.h>
#include <string.h>

/* What the last chunk at a place said: its rows at the end that puts, itself at the one that
 * takes. */
struct clock_mail {
    const struct clock_shape *shape;
    struct last_chunk {
        uint32_t teller, version;
        struct row *row;
        struct far_chunk *chunk;
    } *last;
};

static uint32_t chunks_of(const struct clock_shape *shape)
{
    return shape->groups * shape->group_chunks;
}

struct clock_mail *clock_mail_open(const struct clock_shape *shape)
{
    struct clock_mail *mail = pto_xcalloc(1, sizeof *mail);

    mail->shape = shape;
    mail->last = pto_xcalloc(chunks_of(shape), sizeof *mail->last);
    return mail;
}

void clock_mail_close(struct clock_mail *mail)
{
    if (!mail)
        return;
    for (uint32_t i = 0; i < chunks_of(mail->shape); i++) {
        chunk_drop(mail->last[i].chunk);
        free(mail->last[i].row);
    }
    free(mail->last);
    free(mail);
}

/* ---- numbers and rows ---- */

void clock_put_number(uint64_t number, struct pto_buf *out)
{
    for (; number > 0x7f; number >>= 7)
        pto_buf_byte(out, (uint8_t)(number | 0x80));
    pto_buf_byte(out, (uint8_t)number);
}

uint64_t clock_take_number(struct reader *in)
{
    uint64_t number = 0;

    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *in->at++;

        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte <= 0x7f)
            return number;
    }
}

/* Which lanes differ, and by how much: a clock that came later may know less. */
static void put_change(const struct row *row, const struct row *since, struct pto_buf *out)
{
    uint32_t changed = 0;

    for (int i = 0; i < LANES; i++)
        changed |= (uint32_t)(row->lane[i] != since->lane[i]) << i;
    clock_put_number(changed, out);
    for (int i = 0; i < LANES; i++) {
        bool less = row->lane[i] < since->lane[i];
        uint64_t by = less ? since->lane[i] - row->lane[i] : row->lane[i] - since->lane[i];

        if (changed >> i & 1)
            clock_put_number(by << 1 | less, out);
    }
}

static void take_change(struct reader *in, struct row *row)
{
    uint32_t changed = (uint32_t)clock_take_number(in);

    for (int i = 0; i < LANES; i++)
        if (changed >> i & 1) {
            uint64_t by = clock_take_number(in);

            if (by & 1)
                row->lane[i] -= (uint32_t)(by >> 1);
            else
                row->lane[i] += (uint32_t)(by >> 1);
        }
}

void clock_put_row(const struct row *row, struct pto_buf *out)
{
    put_change(row, &(struct row){0}, out);
}

void clock_take_row(struct reader *in, struct row *row)
{
    *row = (struct row){0};
    take_change(in, row);
}

/* ---- clocks ---- */

enum { AS_BEFORE = 0 }; /* else the version, + 1 */

static void put_chunk(struct clock_mail *mail, uint32_t i, const struct far_chunk *chunk,
                      struct pto_buf *out)
{
    struct last_chunk *last = &mail->last[i];
    const uint32_t rows = mail->shape->rows;
    bool same = last->row && last->teller == chunk->teller && last->version == chunk->version;
    uint32_t changed = 0;

    if (!last->row)
        last->row = pto_xcalloc(rows, sizeof *last->row);
    for (uint32_t r = 0; r < rows && !(same && chunk->version); r++)
        changed |= (uint32_t)(memcmp(&last->row[r], &chunk->row[r], sizeof *last->row) != 0) << r;
    if (same && !changed) {
        clock_put_number(AS_BEFORE, out);
        return;
    }
    clock_put_number((uint64_t)chunk->version + 1, out);
    clock_put_number(chunk->teller, out);
    clock_put_number(changed, out);
    for (uint32_t r = 0; r < rows; r++)
        if (changed >> r & 1)
            put_change(&chunk->row[r], &last->row[r], out);
    memcpy(last->row, chunk->row, rows * sizeof *last->row);
    last->teller = chunk->teller;
    last->version = chunk->version;
}

/* A reference. */
static struct far_chunk *take_chunk(struct clock_mail *mail, uint32_t i, struct reader *in)
{
    struct last_chunk *last = &mail->last[i];
    uint64_t version = clock_take_number(in);
    struct far_chunk *chunk;
    uint32_t changed;

    if (version != AS_BEFORE) {
        chunk = clock_new_chunk(last->chunk, mail->shape);
        chunk->version = (uint32_t)(version - 1);
        chunk->teller = (uint32_t)clock_take_number(in);
        changed = (uint32_t)clock_take_number(in);
        for (uint32_t r = 0; r < mail->shape->rows; r++)
            if (changed >> r & 1)
                take_change(in, &chunk->row[r]);
        chunk_drop(last->chunk);
        last->chunk = chunk;
    }
    last->chunk->refs++;
    return last->chunk;
}

enum { KNOWS_NOTHING, KNOWS, KNOWS_PUBLISHED };

void clock_put(struct clock_mail *mail, const struct far *far, struct pto_buf *out)
{
    const struct clock_shape *shape = mail->shape;
    uint32_t before = 0;

    clock_put_number(!far ? KNOWS_NOTHING : far->published ? KNOWS_PUBLISHED : KNOWS, out);
    if (!far)
        return;
    for (uint32_t i = 0; i < chunks_of(shape); i++) {
        const struct far_chunk *chunk = far_chunk_at(
            far, (struct clock_place){(uint16_t)(i / shape->group_chunks),
                                      (uint16_t)(i % shape->group_chunks), 0});

        if (!chunk)
            continue;
        clock_put_number(i + 1 - before, out);
        put_chunk(mail, i, chunk, out);
        before = i + 1;
    }
    clock_put_number(0, out);
}

struct far *clock_take(struct clock_mail *mail, struct reader *in)
{
    const struct clock_shape *shape = mail->shape;
    uint64_t knows = clock_take_number(in), more;
    struct far *far = NULL;
    uint32_t i = 0;

    if (knows == KNOWS_NOTHING)
        return NULL;
    clock_own_far(&far, shape)->published = knows == KNOWS_PUBLISHED;
    while ((more = clock_take_number(in)) > 0) {
        struct clock_place place;

        i += (uint32_t)more;
        place = (struct clock_place){(uint16_t)((i - 1) / shape->group_chunks),
                                     (uint16_t)((i - 1) % shape->group_chunks), 0};
        clock_put_chunk(clock_group_in(far, place), place.chunk, take_chunk(mail, i - 1, in));
    }
    return far;
}
