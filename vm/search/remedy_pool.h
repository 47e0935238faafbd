/* Texts and places from which remedies are made: every text at every place, ranked by both. */
#ifndef PTO_SEARCH_REMEDY_POOL_H
#define PTO_SEARCH_REMEDY_POOL_H

#include "search/ailment.h"

enum { POOL_TEXTS = 400, POOL_SPOTS = 400, LIST_ITEMS = 64, SIGNAL_DIMENSIONS = 4 };

/* Texts, each of them once. */
struct remedy_list {
    const char *item[LIST_ITEMS];
    unsigned count;
};

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
    unsigned holes;            /* so many of them, the first ones, are in blocks without a statement
                                * or in macros that do nothing with a parameter */
    struct remedy_list word;   /* names and expressions of which something may have been made */
    struct remedy_list tested; /* registers that an .if compares */
};

void list_add(const struct remedy_pool *pool, struct remedy_list *list, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Each text and each place counts once, where it comes first. */
void pool_text(struct remedy_pool *pool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pool_spot(struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line);
struct cli_sheet *pool_sheet(const struct remedy_pool *pool, const char *path);
/* Call `each` for the line of a position and for those that lead to it, the innermost first. */
void pool_for_frames(struct remedy_pool *pool, const struct pto_module *module, int32_t pos,
                     void (*each)(struct remedy_pool *pool, struct cli_sheet *sheet,
                                  uint32_t line));
/* Places for something that has to come before what stands at a position: there, at the ends and
 * the beginnings of the blocks around it, and behind them; in a macro, and where it is used. */
void pool_spots_near(struct remedy_pool *pool, const struct pto_module *module, int32_t pos);
/* Directly behind what stands at a position, and behind what leads to it. */
void pool_spot_behind(struct remedy_pool *pool, const struct pto_module *module, int32_t pos);
/* Before every statement of the texts in whose programs or macros the position lies. */
void pool_spots_all(struct remedy_pool *pool, const struct pto_module *module, int32_t pos);
/* Before and behind what tells others of something, or waits for it, and the blocks that it stands
 * in; what tells inside of a rank first, or what tells other ranks. */
void pool_spots_telling(struct remedy_pool *pool, bool one_rank);
/* Behind what goes to other ranks, and behind the loops around it. */
void pool_spots_sending(struct remedy_pool *pool);
/* Do only some ranks come to the position?  Then others do not what stands before it. */
bool pool_is_for_some(const struct remedy_pool *pool, const struct pto_module *module,
                      int32_t pos);
/* Places as near as those of a position, for every statement that begins with the word. */
void pool_spots_near_words(struct remedy_pool *pool, const char *word);
/* Does a text that runs in one go end or begin at the line? */
bool pool_is_border(const struct cli_sheet *sheet, uint32_t line);
/* Before all that uses an object, except what notifies it. */
void pool_spots_naming(struct remedy_pool *pool, const char *name);

/* remedy_words.c */
/* The places and words of texts from which something may have been left out. */
void words_find(struct remedy_pool *pool);
/* What stands in the brackets, and as ranks, at a position and at what leads to it. */
void words_at(struct remedy_pool *pool, const struct pto_module *module, int32_t pos);
/* Is the name a word of the text, before its comment?  The text with another one in its place. */
bool words_name_in(const char *text, const char *name);
const char *words_replaced(const struct remedy_pool *pool, const char *text, const char *name,
                           const char *with);
/* The number that a text is, in decimal and not negative; -1: it is none. */
long words_literal(const char *text);

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

/* remedy_cross.c: flags between sub-cores: halves whose other half the texts have ... */
void texts_of_stray_cross_flags(struct remedy_pool *pool);
/* ... the halves that could belong to a set_flag_dev, a wait_intra_block ... of this name ... */
void texts_for_cross_flag(struct remedy_pool *pool, enum pto_op op);
/* ... a wait for each set, and each set once more */
void texts_of_cross_waits(struct remedy_pool *pool);
void texts_of_cross_sets(struct remedy_pool *pool);

/* The instruction at a position; NULL: there is none. */
const struct pto_insn *remedy_insn(const struct pto_module *module, int32_t pos);

/* remedy_signals.c: "name@rank[index, ...]" */
struct remedy_signal {
    const char *name, *rank; /* "": on this rank */
    const char *index[SIGNAL_DIMENSIONS];
    unsigned indices;        /* 0: all elements */
    const char *value;       /* that the notify or the wait has; "": none */
};
void signal_parse(const struct remedy_pool *pool, const char *text, struct remedy_signal *signal);
const char *signal_text(const struct remedy_pool *pool, const struct remedy_signal *signal);
/* As the instruction at a position, or the use of the macro that it stands in, writes it. */
bool signal_at(const struct remedy_pool *pool, const struct pto_module *module, int32_t pos,
               const char *name, struct remedy_signal *signal);
/* Of "@rank" and "@(rank)" at the beginning of a text. */
size_t signal_rank_length(const char *text);
/* How many signals an instruction waits or asks for, and which ones. */
int signal_conditions(const struct pto_insn *insn);
uint32_t signal_object(const struct pto_insn *insn, int condition);

/* remedy_waits.c: waits for signals that are notified and that nobody waits for; then all that may
 * be missing. */
void texts_of_unawaited(struct remedy_pool *pool, const struct pto_module *module);
void texts_of_waits(struct remedy_pool *pool, const struct pto_module *module);
/* remedy_notifies.c: what could end the wait at a position: the other side of it as it is written,
 * or to whomever else the texts name. */
void texts_of_notifies(struct remedy_pool *pool, const struct pto_module *module, int32_t pos,
                       bool likely);
/* What takes back what the wait at a position has seen, as a semaphore does. */
void texts_of_taking(struct remedy_pool *pool, const struct pto_module *module, int32_t pos);
/* Is there a signal among those it waits for that nothing in the program notifies? */
bool waits_in_vain(const struct pto_module *module, const struct pto_insn *insn);

/* The n-th statement of all texts that begins with the word; NULL: there are no more. */
const char *pool_nth(const struct remedy_pool *pool, const char *word, unsigned n);
/* All of them, as texts. */
void pool_copies(struct remedy_pool *pool, const char *word);
/* What the line of a position says, from its first word on, without the comment; its operands. */
const char *pool_statement(const struct remedy_pool *pool, struct cli_sheet *sheet, uint32_t line);
const char *pool_operand(const struct remedy_pool *pool, const char *statement, unsigned number);

#endif
