/* The DMA engine of a sub-core: it copies windows of global memory, here and to or from other
 * ranks, beside the pipes and without staging in UB (TPUT_ASYNC, TGET_ASYNC).
 *
 * Submissions start in their order, the start-up time after their issue at the earliest; the next
 * one starts when the bytes of the last have passed the engine, and completions stay in order.  A
 * put is complete when it is acknowledged.  Flags, barriers and dsb know nothing of the engine: S
 * asks for its events. */
#ifndef PTO_UNITS_DMA_H
#define PTO_UNITS_DMA_H

#include "issue.h"
#include "machine/queue.h"

/* A launch starts: events are counted from 1 again. */
void dma_begin(struct core *core, uint64_t now);
/* S executes TPUT_ASYNC or TGET_ASYNC, async_wait, async_test; the clock is at S's time. */
enum issue_result dma_submit(struct core *core, const struct ready_op *op);
enum issue_result dma_wait(struct core *core, const struct ready_op *op);
enum issue_result dma_test(struct core *core, const struct ready_op *op);
/* The engine's event has come. */
void dma_run(struct core *core);
/* What another rank sent for the submission at this place of the ring; takes the payload over. */
void dma_reply(struct core *core, uint32_t place, uint8_t *payload);
/* The sub-core has ended: complain if it never asked for its last events. */
void dma_report_left(struct core *core);
void dma_free(struct core *core);

#endif
