/* A crew does every item of every round once, and a round has ended when crew_run returns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/crew.h"

enum { ITEMS = 37, ROUNDS = 2000, MOST_THREADS = 8 };

struct board {
    unsigned threads;
    uint64_t done[ITEMS]; /* plain: two threads at one item would be a race */
    atomic_bool strange;  /* a worker that does not exist */
};

static void do_item(void *context, int item, unsigned worker)
{
    struct board *board = context;

    if (worker >= board->threads)
        atomic_store(&board->strange, true);
    for (int i = 0; i < 20 * item; i++) /* of different length */
        atomic_load(&board->strange);
    board->done[item]++;
}

static void every_item_once(void **state)
{
    (void)state;
    for (unsigned threads = 2; threads <= MOST_THREADS; threads += 3) {
        struct board board = {.threads = threads};
        struct crew *crew = crew_create(threads, ITEMS, do_item, &board);

        assert_non_null(crew);
        for (uint64_t round = 1; round <= ROUNDS; round++) {
            crew_run(crew);
            for (int i = 0; i < ITEMS; i++)
                assert_int_equal(board.done[i], round);
        }
        assert_false(atomic_load(&board.strange));
        crew_free(crew);
    }
}

static void nobody_to_share_with(void **state)
{
    struct board board = {.threads = 1};

    (void)state;
    assert_null(crew_create(1, ITEMS, do_item, &board));
    assert_null(crew_create(MOST_THREADS, 1, do_item, &board));
    crew_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_item_once),
                                       cmocka_unit_test(nobody_to_share_with)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
