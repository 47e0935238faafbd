/* What PyPTO's runtime tells a kernel of the ranks: CommContext, an array of 64-bit words.
 * Source: its comm_layout.h. */
#ifndef PTO_COMM_CONTEXT_H
#define PTO_COMM_CONTEXT_H

enum {
    COMM_RANK = 2,      /* this word has the rank and, above COMM_RANK_BITS, how many there are */
    COMM_RANK_BITS = 32,
    COMM_WINDOWS = 4    /* from this word on: where the window of each rank begins */
};

#endif
