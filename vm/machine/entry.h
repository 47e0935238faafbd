/* An entry of a pipe's queue: what S has issued, with the operands as they were at issue. */
#ifndef PTO_MACHINE_ENTRY_H
#define PTO_MACHINE_ENTRY_H

#include <stdint.h>

#include "ready_form.h"

enum { ENTRY_WORDS = 12 };

/* UNWAITED: a wait or barrier that takes its time and waits for nothing. */
enum entry_kind {
    ENTRY_TILE,
    ENTRY_SET,
    ENTRY_WAIT,
    ENTRY_BARRIER,
    ENTRY_CROSS,
    ENTRY_CROSS_WAIT,
    ENTRY_UNWAITED_FLAG,
    ENTRY_UNWAITED_BARRIER,
    ENTRY_UNWAITED_CROSS
};

/* What flags and barriers have stands before the words: they are most of the entries, and so they
 * touch no more than 48 bytes of the host's caches. */
struct entry {
    uint8_t kind; /* enum entry_kind */
    uint8_t flag_src, flag_dst, flag_id; /* flags; cross-core: mode in flag_src, place */
    uint32_t pc;
    const struct ready_op *op; /* ENTRY_TILE */
    uint64_t issue, start, complete;
    uint8_t *payload; /* what a remote read brought; owned until completion */
    uint64_t word[ENTRY_WORDS];
};

/* A tile operand in a queue entry: byte address and valid region. */
static inline uint64_t tile_word(uint32_t address, uint32_t rows, uint32_t cols)
{
    return address | (uint64_t)rows << 32 | (uint64_t)cols << 48;
}
static inline uint32_t tile_address(uint64_t word) { return (uint32_t)word; }
static inline uint32_t tile_rows(uint64_t word) { return (uint32_t)(word >> 32) & 0xffff; }
static inline uint32_t tile_cols(uint64_t word) { return (uint32_t)(word >> 48); }

/* A GM operand takes three words: byte offset in the object, extent, object and rank. */
enum { GM_OFFSET, GM_EXTENT, GM_WHERE, GM_WORDS };
static inline uint64_t gm_extent(uint32_t rows, uint32_t cols)
{
    return rows | (uint64_t)cols << 32;
}
static inline uint32_t gm_rows(const uint64_t *word) { return (uint32_t)word[GM_EXTENT]; }
static inline uint32_t gm_cols(const uint64_t *word) { return (uint32_t)(word[GM_EXTENT] >> 32); }
static inline uint32_t gm_object(const uint64_t *word) { return (uint32_t)word[GM_WHERE]; }
static inline int gm_rank(const uint64_t *word) { return (int)(word[GM_WHERE] >> 32); }

#endif
