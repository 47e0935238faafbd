/* Vector clocks: joining, sharing, and what dsb and TNOTIFY make of stores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/clock.h"

static struct clock_shape shape; /* of 4 ranks with 10 sub-cores: two chunks of 5 each */

static struct row row_with(unsigned lane, uint32_t value)
{
    struct row row = {0};

    row.lane[lane] = value;
    return row;
}

static bool knows(const struct far *far, uint32_t core, unsigned lane, uint32_t epoch)
{
    const struct row *row = far_row(far, core);

    return row && row_knows(row, lane, epoch);
}

static void join_takes_the_larger(void **unused)
{
    struct row a = row_with(PTO_PIPE_V, 5), b = row_with(PTO_PIPE_V, 3);

    (void)unused;
    b.lane[PTO_PIPE_MTE2] = 9;
    row_join(&a, &b);
    assert_int_equal(a.lane[PTO_PIPE_V], 5);
    assert_int_equal(a.lane[PTO_PIPE_MTE2], 9);
}

static void clocks_are_copied_on_write(void **unused)
{
    struct row one = row_with(PTO_PIPE_MTE2, 1), two = row_with(PTO_PIPE_MTE2, 2);
    struct far *a = NULL, *b;

    (void)unused;
    far_raise(&a, 3, &one, &shape);
    b = far_share(a);
    far_raise(&a, 3, &two, &shape);
    far_raise(&a, 17, &two, &shape);
    assert_true(knows(a, 3, PTO_PIPE_MTE2, 2));
    assert_false(knows(b, 3, PTO_PIPE_MTE2, 2));
    assert_true(knows(b, 3, PTO_PIPE_MTE2, 1));
    assert_null(far_row(b, 17));
    far_join(&b, a);
    assert_true(knows(b, 17, PTO_PIPE_MTE2, 2));
    assert_null(far_row(NULL, 3));
    far_drop(a);
    far_drop(b);
}

static void joins_keep_both_sides(void **unused)
{
    struct row v = row_with(PTO_PIPE_V, 4), m = row_with(PTO_PIPE_M, 6);
    struct far *a = NULL, *b = NULL;

    (void)unused;
    far_raise(&a, 1, &v, &shape);
    far_raise(&b, 2, &m, &shape);
    far_join(&a, b);
    assert_true(knows(a, 1, PTO_PIPE_V, 4));
    assert_true(knows(a, 2, PTO_PIPE_M, 6));
    assert_false(knows(b, 1, PTO_PIPE_V, 1));
    far_drop(a);
    far_drop(b);
}

/* A notify speaks of reads that have completed, but of stores only behind a dsb. */
static void stores_need_a_fence(void **unused)
{
    struct row row = row_with(PTO_PIPE_MTE3, 7), told;

    (void)unused;
    row.lane[PTO_PIPE_MTE2] = 4;
    told = row_told(&row);
    assert_true(row_knows(&told, PTO_PIPE_MTE2, 4));
    assert_false(row_knows(&told, PTO_PIPE_MTE3, 7));
    assert_int_equal(told.lane[LANE_TOLD_MTE3], 7);
    row_publish(&row, true);
    told = row_told(&row);
    assert_true(row_knows(&told, PTO_PIPE_MTE3, 7));
    assert_true(row_knows(&told, LANE_REMOTE_MTE3, 7));
}

/* Local stores are published by any dsb on the chain, stores to other ranks by their issuer's. */
static void fence_of_another_core(void **unused)
{
    struct row row = row_with(PTO_PIPE_FIX, 3);
    struct far *far = NULL, *told;

    (void)unused;
    far_raise(&far, 9, &row, &shape);
    told = far_told(far);
    assert_false(knows(told, 9, PTO_PIPE_FIX, 3));
    assert_true(knows(far, 9, PTO_PIPE_FIX, 3));
    far_drop(told);
    far_publish(&far);
    told = far_told(far);
    assert_true(knows(told, 9, PTO_PIPE_FIX, 3));
    assert_false(knows(told, 9, LANE_REMOTE_FIX, 3));
    far_drop(told);
    far_drop(far);
}

/* What is known of one sub-core goes to no other one, wherever its chunk begins. */
static void every_core_has_a_row(void **unused)
{
    struct far *far = NULL;

    (void)unused;
    for (uint32_t core = 0; core < 40; core++) {
        struct row row = row_with(PTO_PIPE_V, core + 1);

        far_raise(&far, core, &row, &shape);
    }
    for (uint32_t core = 0; core < 40; core++)
        assert_int_equal(far_row(far, core)->lane[PTO_PIPE_V], core + 1);
    far_drop(far);
}

/* Two clocks that know the same of a rank share it after a join. */
static void joins_share_chunks(void **unused)
{
    struct row old = row_with(PTO_PIPE_V, 1), new = row_with(PTO_PIPE_V, 2);
    struct far *a = NULL, *b = NULL;

    (void)unused;
    far_raise(&a, 11, &old, &shape);
    far_raise(&b, 11, &new, &shape);
    far_raise(&b, 31, &old, &shape);
    far_join(&a, b);
    assert_ptr_equal(far_row(a, 11), far_row(b, 11));
    assert_ptr_equal(far_row(a, 31), far_row(b, 31));
    far_join(&b, a);
    assert_int_equal(far_row(b, 11)->lane[PTO_PIPE_V], 2);
    far_drop(a);
    far_drop(b);
}

/* What a teller tells of others comes with it, whatever they know of the teller itself. */
static void who_hears_learns_of_others(void **unused)
{
    struct row one = row_with(PTO_PIPE_V, 1), two = row_with(PTO_PIPE_V, 2);
    struct far *a = NULL, *from = NULL;
    struct far_chunk *old = far_tell(NULL, 11, &one, &shape, 1);
    struct far_chunk *new = far_tell(NULL, 11, &two, &shape, 2);

    (void)unused;
    far_put(&from, 11, old, &shape);
    far_raise(&from, 2, &two, &shape);
    far_raise(&from, 31, &one, &shape);
    far_raise(&a, 31, &two, &shape);
    far_hear(&a, from, 11, new, &shape);
    assert_ptr_equal(far_row(a, 11), &new->row[1]);
    assert_true(knows(a, 2, PTO_PIPE_V, 2));
    assert_true(knows(a, 31, PTO_PIPE_V, 2));
    far_hear(&a, from, 11, old, &shape);
    assert_true(knows(a, 11, PTO_PIPE_V, 2));
    chunk_drop(old);
    chunk_drop(new);
    far_drop(a);
    far_drop(from);
}

/* The newer of two things that one sub-core told knows more, until somebody else adds to it. */
static void tellers_have_versions(void **unused)
{
    struct row one = row_with(PTO_PIPE_V, 1), two = row_with(PTO_PIPE_V, 2);
    struct row other = row_with(PTO_PIPE_MTE2, 7);
    struct far *a = NULL, *b = NULL;
    struct far_chunk *first, *second;

    (void)unused;
    first = far_tell(NULL, 11, &one, &shape, 1);
    second = far_tell(NULL, 11, &two, &shape, 2);
    far_put(&a, 11, first, &shape);
    far_put(&b, 11, second, &shape);
    assert_ptr_equal(far_row(b, 11), &second->row[1]);
    far_raise(&a, 12, &other, &shape);
    assert_false(knows(b, 12, PTO_PIPE_MTE2, 7));
    far_join(&a, b);
    assert_true(knows(a, 11, PTO_PIPE_V, 2));
    assert_true(knows(a, 12, PTO_PIPE_MTE2, 7));
    far_join(&b, a);
    assert_true(knows(b, 12, PTO_PIPE_MTE2, 7));
    far_put(&b, 11, first, &shape);
    assert_true(knows(b, 11, PTO_PIPE_V, 2));
    chunk_drop(first);
    chunk_drop(second);
    far_drop(a);
    far_drop(b);
}

/* A party that knows `base`, some news of its own, and what others told. */
static struct far *party_behind(struct far *base, struct far *told, uint32_t *seed)
{
    struct far *far = far_share(base);

    for (unsigned i = 0; i < 4; i++) {
        struct row row = row_with(PTO_PIPE_V, *seed >> 8 & 15);

        *seed = *seed * 1103515245 + 12345;
        far_raise(&far, (*seed >> 16) % 40, &row, &shape);
    }
    if (*seed >> 12 & 1)
        far_join(&far, told);
    return far;
}

static uint64_t digest_of(const struct far *far)
{
    uint64_t digest = 0;

    for (uint32_t core = 0; core < 40; core++) {
        const struct row *row = far_row(far, core);

        digest = digest * 31 + (row ? row->lane[PTO_PIPE_V] : 0);
    }
    return digest;
}

/* A sum of many, some of whom share what they know, is that of their joins; the parties stay what
 * they were. */
static void gathering_is_joining(void **unused)
{
    uint32_t seed = 1;

    (void)unused;
    for (unsigned turn = 0; turn < 200; turn++) {
        struct far *base = turn % 5 ? party_behind(NULL, NULL, &seed) : NULL, *party[8] = {NULL};
        struct far *joined = far_share(base), *gathered = far_share(base);
        uint64_t digest[6];

        for (unsigned i = 0; i < 6; i++)
            party[i] = party_behind(base, i ? party[seed % i] : NULL, &seed);
        party[7] = party[seed % 6]; /* and one that knows nothing */
        for (unsigned i = 0; i < 6; i++) {
            digest[i] = digest_of(party[i]);
            far_join(&joined, party[i]);
        }
        far_gather(&gathered, party, 8);
        assert_int_equal(digest_of(joined), digest_of(gathered));
        assert_int_equal(joined->published, gathered->published);
        far_gather(&gathered, party, 8);
        assert_int_equal(digest_of(joined), digest_of(gathered));
        for (unsigned i = 0; i < 6; i++) {
            assert_int_equal(digest[i], digest_of(party[i]));
            far_drop(party[i]);
        }
        far_drop(base);
        far_drop(joined);
        far_drop(gathered);
    }
}

/* The same clocks joined again come to the same, whatever has become of the sum. */
static void joins_that_come_again(void **unused)
{
    uint32_t seed = 7;

    (void)unused;
    for (unsigned turn = 0; turn < 200; turn++) {
        struct far *one = party_behind(NULL, NULL, &seed), *other = party_behind(NULL, one, &seed);
        struct row more = row_with(PTO_PIPE_V, 100);
        struct far *sum = far_share(one), *again = far_share(one);
        uint64_t digest;

        far_join(&sum, other);
        digest = digest_of(sum);
        if (turn % 3 == 0)
            far_raise(&sum, turn % 40, &more, &shape);
        if (turn % 3 == 1) {
            far_drop(sum);
            sum = party_behind(NULL, NULL, &seed);
        }
        far_join(&again, other);
        assert_int_equal(digest, digest_of(again));
        far_drop(one);
        far_drop(other);
        far_drop(sum);
        far_drop(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(join_takes_the_larger), cmocka_unit_test(clocks_are_copied_on_write),
        cmocka_unit_test(joins_keep_both_sides), cmocka_unit_test(stores_need_a_fence),
        cmocka_unit_test(fence_of_another_core), cmocka_unit_test(every_core_has_a_row),
        cmocka_unit_test(joins_share_chunks), cmocka_unit_test(tellers_have_versions),
        cmocka_unit_test(who_hears_learns_of_others), cmocka_unit_test(gathering_is_joining),
        cmocka_unit_test(joins_that_come_again),
    };

    int failed;

    shape = clock_shape_of(4, 10);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    clock_shape_free(&shape);
    return failed;
}
