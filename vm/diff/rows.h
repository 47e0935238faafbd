/* What two reports say of the same things, as rows with two columns. */
#ifndef PTO_DIFF_ROWS_H
#define PTO_DIFF_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

/* What a row is about; rows stand in this order. */
enum diff_part {
    DIFF_RUN,     /* what ran, and how it ended: words */
    DIFF_TIME,    /* picoseconds from here ... */
    DIFF_RANK,
    DIFF_CAUSE,
    DIFF_BUSY,
    DIFF_WAIT,
    DIFF_REGION,
    DIFF_LINE,    /* ... to here */
    DIFF_COUNT,   /* numbers */
    DIFF_LINK,
    DIFF_RESULT,
    DIFF_WARNING,
    DIFF_FINDING, /* words that came or went */
    DIFF_PARTS
};

struct diff_row {
    enum diff_part part;
    const char *name;
    bool has[2];       /* does the first, the second report have it? */
    uint64_t number[2];
    const char *word[2]; /* not NULL: in place of the numbers */
};

struct diff_rows {
    struct pto_arena arena;
    struct diff_row *row;
    unsigned count, capacity;
};

/* Report `side` (0, 1) says this; numbers of one name are added up. */
void diff_number(struct diff_rows *rows, unsigned side, enum diff_part part, const char *name,
                 uint64_t number);
void diff_word(struct diff_rows *rows, unsigned side, enum diff_part part, const char *name,
               const char *word);
/* One row for each thing, only those that differ, the greatest difference of a part first; returns
 * their number. */
unsigned diff_settle(struct diff_rows *rows);
void diff_free(struct diff_rows *rows);

void diff_text(const struct diff_rows *rows, struct pto_buf *out);
void diff_json(const struct diff_rows *rows, struct pto_buf *out);

#endif
