/* The rules of the scalar caches, private to vm/check. */
#ifndef PTO_CHECK_CACHE_H
#define PTO_CHECK_CACHE_H

#include "check/internal.h"

enum { LINE_BYTES = 64 }; /* of the scalar cache */

/* A line of global memory: what S knew when it was dropped. */
struct cache_line {
    bool used;
    uint32_t object;
    uint64_t number;
    struct frame fresh;
};

/* cache.c */
void cache_maintain(void *context, struct core *source, const struct ready_operand *place,
                    const void *address); /* dcci: both of, or of one line */
void cache_write_back(struct pto_check *check, struct check_core *core);
void cache_drop(struct check_core *core);
void cache_forget_lines(struct check_core *core);
/* What S knew when it last dropped the line of this byte alone; NULL: not since it dropped all. */
const struct frame *cache_line_fresh(const struct check_core *core, uint32_t object,
                                     uint64_t offset);
/* Epoch of the first write-back behind a store, in LANE_STORE; 0: none so far. */
uint32_t cache_written_back(const struct pto_check *check, const struct access *store);
/* Has no dcci written this scalar store back until that epoch of LANE_STORE? */
bool cache_keeps(const struct pto_check *check, const struct access *store, uint32_t until);
/* Judge the access, which is ordered behind a use of the same bytes of global memory. */
void cache_judge(struct pto_check *check, check_use other, uint64_t offset, uint64_t length);

/* line.c: step the states of the line that has this byte. */
void line_touch(struct pto_check *check, const struct check_core *core, uint32_t object,
                uint64_t offset, shadow_step *step, void *context);
/* Judge the scalar store that was judged last by what others have stored to its line. */
void line_judge(struct pto_check *check, const struct check_core *core, uint32_t object,
                uint64_t offset, uint64_t length);
/* A launch of the rank begins: everything is written back. */
void line_begin(struct pto_check *check, const struct rank *rank);

#endif
