/* What one rank sends to another. */
#ifndef PTO_MACHINE_MESSAGE_H
#define PTO_MACHINE_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

/* MESSAGE_LOST: to whose instruction it was, `source` has sent something to rank `rows`, and at the
 * time `value` it met a link that was down.
 * MESSAGE_LEAVING, to the rank itself: a reply whose bytes take turns with others has left. */
enum message_kind { MESSAGE_PUT, MESSAGE_NOTIFY, MESSAGE_REQUEST, MESSAGE_REPLY, MESSAGE_CROSS,
                    MESSAGE_LOST, MESSAGE_LEAVING };

struct message {
    uint64_t sent, departure; /* of the last byte */
    unsigned launch;          /* of the sender */
    uint32_t pc;              /* the instruction that sent it; of a reply, that asked */
    uint64_t arrival;         /* until it is exchanged: if it meets no others */
    uint64_t sequence;        /* per source */
    int source, target;
    uint8_t kind;
    uint8_t dtype, operation; /* atomic or notify operation */
    uint8_t pipe;             /* of the requester; PTO_DMA: its DMA engine */
    uint16_t core;            /* requester; cross-core flag: target sub-core */
    uint32_t entry;           /* requester's queue counter or place in the engine's ring;
                                 cross-core flag: id */
    uint32_t object;          /* number of the symmetric object */
    bool bare;                /* a request: the reply needs no bytes */
    uint32_t tag;             /* the probe's number of it, unless it is a reply or bare */
    uint64_t offset;          /* bytes */
    uint32_t rows, cols;
    int64_t row_stride, col_stride;
    int64_t value;
    uint64_t bytes;
    uint8_t *payload;
};

/* A transfer that takes turns with others on the way out of its rank (units/turns.c).  Its owner is
 * entry `number` of a pipe, or of the DMA engine, of sub-core `core`; of a reply, message `number`
 * of the rank, with TURN_REPLY for a queue. */
struct turn {
    uint64_t flow;    /* those of a flow leave one after the other */
    uint64_t left;    /* work of the link, in picoseconds, for the flow until this one is through */
    uint64_t at;      /* when that much was left */
    uint64_t carry;   /* work that the link had done by then and that no flow has got */
    uint64_t through; /* the link has done its part, if nobody else comes */
    uint64_t end;     /* and so has all else; 0: not known yet */
    uint64_t floor;   /* it does not end before */
    uint64_t way;     /* its bytes come to the link so much later */
    uint64_t after;   /* it completes so much later */
    uint64_t number;
    uint32_t port;
    int to;
    uint16_t core;
    uint8_t queue;
    bool more; /* another of its flow is behind it */
};

enum { TURN_REPLY = UINT8_MAX };

/* What a rank has sent to another. */
struct link {
    uint64_t bytes, messages;
    uint64_t free_at; /* when its bandwidth is free again; of a mesh, where a link is a wire */
    uint32_t peer;    /* the other one, counted from 1; 0: nothing is in this place */
};

/* A table of those that there are, found by the peer (links.h). */
struct links {
    struct link *slot;
    uint32_t slots, used; /* slots: a power of 2, or 0 */
};

#endif
