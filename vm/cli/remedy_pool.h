/* Texts and places from which remedies are made: every text at every place, ranked by both. */
#ifndef PTO_CLI_REMEDY_POOL_H
#define PTO_CLI_REMEDY_POOL_H

#include "cli/ailment.h"

enum { POOL_TEXTS = 100, POOL_SPOTS = 400 };

struct remedy_spot {
    struct cli_sheet *sheet;
    uint32_t line;
};

struct remedy_pool {
    const struct cli_ailment *ailment;
    struct pto_arena *arena;
    const char *text[POOL_TEXTS];
    unsigned texts;
    struct remedy_spot spot[POOL_SPOTS];
    unsigned spots;
};

/* Each text and each place counts once, where it comes first. */
void pool_text(struct remedy_pool *pool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pool_spot(struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line);
struct cli_sheet *pool_sheet(const struct remedy_pool *pool, const char *path);
/* Places for something that has to come before what stands at a position: there, at the ends and
 * the beginnings of the blocks around it, and behind them; in a macro, and where it is used. */
void pool_spots_near(struct remedy_pool *pool, const struct pto_module *module, int32_t pos);
/* Before every statement of the texts in whose programs or macros the position lies. */
void pool_spots_all(struct remedy_pool *pool, const struct pto_module *module, int32_t pos);
/* Before and behind what tells others of something, or waits for it. */
void pool_spots_telling(struct remedy_pool *pool);

/* remedy_texts.c: what can be missing ... */
/* ... where the instruction at `a` has to come before that at `b`, on these pipes of one
 * sub-core */
void texts_between_pipes(struct remedy_pool *pool, const struct pto_finding_access *a,
                         const struct pto_finding_access *b);
/* ... on two sub-cores */
void texts_between_cores(struct remedy_pool *pool, const struct pto_finding_access *a,
                         const struct pto_finding_access *b);
/* ... behind an instruction that nobody waits for, or before one that waits in vain */
void texts_for_half(struct remedy_pool *pool, const struct pto_module *module, int32_t pos);
/* Halves of flags whose other half the texts have. */
void texts_of_strays(struct remedy_pool *pool, const struct pto_module *module);

/* The instruction at a position; NULL: there is none. */
const struct pto_insn *remedy_insn(const struct pto_module *module, int32_t pos);

/* remedy_signals.c: what a TWAIT, or a TNOTIFY, could be that is missing. */
void texts_of_waits(struct remedy_pool *pool, const struct pto_module *module);
void texts_of_notifies(struct remedy_pool *pool);
/* If nothing in the program notifies the signal that the wait at `pos` has: what could; else
 * false. */
bool texts_of_missing_notify(struct remedy_pool *pool, const struct pto_module *module,
                             int32_t pos, uint32_t object);

/* The n-th statement of all texts that begins with the word; NULL: there are no more. */
const char *pool_nth(const struct remedy_pool *pool, const char *word, unsigned n);
/* All of them, as texts. */
void pool_copies(struct remedy_pool *pool, const char *word);
/* What the line of a position says, from its first word on, without the comment; its operands. */
const char *pool_statement(const struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line);
const char *pool_operand(const struct remedy_pool *pool, const char *statement, unsigned number);

#endif
