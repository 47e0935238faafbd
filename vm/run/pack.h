/* Ranks as bytes: what goes home at the end of a run of several processes (home.c), and what a run
 * is to go on from later (state.c).
 *
 * Structures go as they are, from one build of the program to the same; a pointer in them says only
 * that there is something, which follows, and leads to the receiver's own afterwards. */
#ifndef PTO_RUN_PACK_H
#define PTO_RUN_PACK_H

#include "machine/queue.h"
#include "machine/reader.h"

/* As many bytes in place of those of `old`, which is freed. */
void *pack_take_block(struct reader *in, void *old, size_t size);

/* A sub-core but for its memories on chip, its local arrays and its payloads.  Taken, it waits as
 * it did. */
void pack_core(const struct core *core, struct pto_buf *out);
void pack_take_core(struct core *core, struct reader *in);
/* Bytes that an entry with a payload has from another rank. */
size_t pack_payload_bytes(const struct entry *entry);

/* A rank but for its sub-cores, its objects and what messages carry. */
void pack_rank(const struct rank *rank, struct pto_buf *out);
void pack_take_rank(struct rank *rank, struct reader *in);

#endif
