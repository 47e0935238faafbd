/* Parts of a sub-core that most sub-cores of most launches have no use for: pipes that get no
 * entry, the DMA engine, transfers in chunks, conditions on signals, memories on chip.  They are
 * made with their first use; until then all sub-cores have the same ones, which nobody writes to,
 * so that whoever looks at them need not ask.  Machines that go step by step have all of them from
 * the beginning, in one block of a rank: snapshots restore it where it lies. */
#ifndef PTO_MACHINE_PARTS_H
#define PTO_MACHINE_PARTS_H

#include "machine.h"

/* All of a sub-core. */
struct core_parts {
    struct pipe pipe[PTO_PIPE_COUNT];
    struct dma dma;
    struct series series;
    struct waits waits;
    struct signal_wait condition[SIGNAL_WAITS]; /* of these */
    struct chip chip;
};

/* One for each bit of a set of parts; pipes have the bits of their numbers. */
enum { PART_DMA = PTO_PIPE_COUNT, PART_SERIES, PART_WAITS };

/* A new sub-core; `all`: zeros for all its parts, NULL: it begins without. */
void parts_begin(struct core *core, struct core_parts *all);
/* Which ones it has of its own. */
uint32_t parts_made(const struct core *core);
/* One of its own, in the state of a launch's beginning if it had none. */
struct pipe *parts_make_pipe(struct core *core, unsigned number);
struct dma *parts_make_dma(struct core *core);
struct series *parts_make_series(struct core *core);
/* With room for so many conditions; those of before are gone. */
struct waits *parts_make_waits(struct core *core, unsigned conditions);
/* It is no part of a set: whoever keeps a sub-core keeps its memories one by one. */
struct chip *parts_make_chip(struct core *core);
/* A launch begins. */
void parts_launch(struct core *core, uint64_t now);
void parts_free(struct core *core);

#endif
