/* Flags from sub-core to sub-core of which one half is missing: across the device, by number, and
 * inside a block, by number and pipe. */
#include <string.h>

#include "search/remedy_pool.h"

enum { SECOND_VECTOR = 16 }; /* the cube adds it to the number of a flag of AIV1 */

/* In the order in which kernels mostly send. */
static const char *const SENDING[] = {"FIX", "MTE3", "MTE2", "V", "M"};
/* In the order in which they mostly wait. */
static const char *const WAITING[] = {"V", "MTE2", "FIX", "MTE3", "M", "MTE1", "S"};

enum { SENDERS = sizeof SENDING / sizeof *SENDING, WAITERS = sizeof WAITING / sizeof *WAITING };

/* How the halves of one kind of flag between sub-cores are written. */
struct kind {
    const char *set, *wait;
    unsigned set_id, wait_id; /* the operand that is the number */
    /* What the other half of a statement could be. */
    void (*wait_for)(struct remedy_pool *pool, const char *set);
    void (*set_for)(struct remedy_pool *pool, const char *wait);
    /* Could the two numbers be one flag? */
    bool (*meets)(const char *set_id, const char *wait_id);
};

/* ---- across the device ---- */

static void wait_for_set_dev(struct remedy_pool *pool, const char *set)
{
    pool_text(pool, "wait_flag_dev %s", pool_operand(pool, set, 2));
}

static void set_dev_for_wait(struct remedy_pool *pool, const char *wait)
{
    const char *id = pool_operand(pool, wait, 0);

    for (unsigned i = 0; i < SENDERS; i++)
        pool_text(pool, "set_flag_dev %s, 2, %s", SENDING[i], id);
    pool_text(pool, "set_flag_dev MTE3, 0, %s", id);
}

static bool same_number(const char *set_id, const char *wait_id)
{
    return !strcmp(set_id, wait_id);
}

/* ---- inside a block ---- */

/* Either side may be the cube, who counts the flags of AIV1 from 16. */
static bool same_in_block(const char *set_id, const char *wait_id)
{
    long set = words_literal(set_id), wait = words_literal(wait_id);

    return set < 0 || wait < 0 ? same_number(set_id, wait_id)
                               : set % SECOND_VECTOR == wait % SECOND_VECTOR;
}

/* The half on the other side, for each pipe, by the numbers that it can have there. */
static void other_in_block(struct remedy_pool *pool, const char *word, const char *const pipe[],
                           unsigned pipes, const char *id)
{
    long number = words_literal(id);

    for (unsigned i = 0; i < pipes; i++) {
        if (number < 0) {
            pool_text(pool, "%s %s, %s", word, pipe[i], id);
            continue;
        }
        pool_text(pool, "%s %s, %ld", word, pipe[i], number % SECOND_VECTOR);
        if (number < SECOND_VECTOR)
            pool_text(pool, "%s %s, %ld", word, pipe[i], number + SECOND_VECTOR);
    }
}

static void wait_for_set_in_block(struct remedy_pool *pool, const char *set)
{
    other_in_block(pool, "wait_intra_block", WAITING, WAITERS, pool_operand(pool, set, 1));
}

static void set_for_wait_in_block(struct remedy_pool *pool, const char *wait)
{
    other_in_block(pool, "set_intra_block", SENDING, SENDERS, pool_operand(pool, wait, 1));
}

/* ---- both ---- */

static const struct kind KIND[] = {
    {"set_flag_dev", "wait_flag_dev", 2, 0, wait_for_set_dev, set_dev_for_wait, same_number},
    {"set_intra_block", "wait_intra_block", 1, 1, wait_for_set_in_block, set_for_wait_in_block,
     same_in_block},
};

enum { KINDS = sizeof KIND / sizeof *KIND };

/* Has a statement of the word a number that could be one flag with this one? */
static bool has_half(const struct remedy_pool *pool, const struct kind *kind, bool set,
                     const char *id)
{
    const char *statement;

    for (unsigned n = 0; (statement = pool_nth(pool, set ? kind->set : kind->wait, n)) != NULL;
         n++) {
        const char *other = pool_operand(pool, statement, set ? kind->set_id : kind->wait_id);

        if (set ? kind->meets(other, id) : kind->meets(id, other))
            return true;
    }
    return false;
}

static void other_halves(struct remedy_pool *pool, const struct kind *kind, bool set,
                         bool strays_only)
{
    const char *statement;

    for (unsigned n = 0; (statement = pool_nth(pool, set ? kind->set : kind->wait, n)) != NULL;
         n++) {
        const char *id = pool_operand(pool, statement, set ? kind->set_id : kind->wait_id);

        if (!strays_only || !has_half(pool, kind, !set, id))
            (set ? kind->wait_for : kind->set_for)(pool, statement);
    }
}

void texts_of_stray_cross_flags(struct remedy_pool *pool)
{
    for (unsigned i = 0; i < KINDS; i++) {
        other_halves(pool, &KIND[i], true, true);
        other_halves(pool, &KIND[i], false, true);
    }
}

void texts_of_cross_waits(struct remedy_pool *pool)
{
    for (unsigned i = 0; i < KINDS; i++)
        other_halves(pool, &KIND[i], true, false);
}

void texts_of_cross_sets(struct remedy_pool *pool)
{
    for (unsigned i = 0; i < KINDS; i++)
        pool_copies(pool, KIND[i].set);
}

void texts_for_cross_flag(struct remedy_pool *pool, enum pto_op op)
{
    const struct kind *kind = &KIND[op == PTO_OP_SET_INTRA_BLOCK || op == PTO_OP_WAIT_INTRA_BLOCK];
    bool set = op == PTO_OP_SET_FLAG_DEV || op == PTO_OP_SET_INTRA_BLOCK;

    if (!set)
        pool_copies(pool, kind->set);
    other_halves(pool, kind, set, false);
    if (set) /* one wait of several may be missing */
        pool_spots_near_words(pool, kind->wait);
}
