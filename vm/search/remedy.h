/* Changes of the texts that could heal a run, the most plausible first: what can stand there is
 * taken from what is missing of pairs, from the parties of the first finding or of the waits of a
 * deadlock, and from how the texts themselves synchronise.  repair.h tries them. */
#ifndef PTO_SEARCH_REMEDY_H
#define PTO_SEARCH_REMEDY_H

#include "search/ailment.h"

struct cli_insertion {
    struct cli_sheet *sheet;
    uint32_t line; /* before it */
    const char *text;
};

enum { CLI_REMEDY_INSERTIONS = 2 };

struct cli_remedy {
    struct cli_insertion insertion[CLI_REMEDY_INSERTIONS]; /* the last place of a text first */
    unsigned insertions;
    unsigned rank, number; /* lower: sooner; in the order in which they were thought of */
};

/* In the order in which to try them; returns their number. */
unsigned cli_remedies(const struct cli_ailment *ailment, struct pto_arena *arena,
                      struct cli_remedy **list);

#endif
