/* Both forms of the second-level cache against a plain list of places, under random accesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/cache.h"

enum { LINE = 64, SETS = 5, WAYS = 4, MEMORY = 60 * LINE, ACCESSES = 20000 };
enum { ROOMY_WAYS = MEMORY / LINE / SETS }; /* of a cache that holds all of the memory */

static uint64_t random_state;

static uint64_t below(uint64_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % limit;
}

/* ---- the plain cache ---- */

struct place {
    bool taken, dirty;
    uint64_t line, when;
};

static struct place place[SETS][ROOMY_WAYS];
static unsigned ways; /* that are used */

static struct place *find(uint64_t line)
{
    for (unsigned way = 0; way < ways; way++)
        if (place[line % SETS][way].taken && place[line % SETS][way].line == line)
            return &place[line % SETS][way];
    return NULL;
}

/* An empty place, else the one least recently used. */
static struct place *victim(uint64_t line)
{
    struct place *set = place[line % SETS], *oldest = &set[0];

    for (unsigned way = 0; way < ways; way++)
        if (!set[way].taken)
            return &set[way];
    for (unsigned way = 1; way < ways; way++)
        if (set[way].when < oldest->when)
            oldest = &set[way];
    return oldest;
}

static bool touch_line(uint64_t line, bool write, const struct cache_fill *fill,
                       struct cache_use *use)
{
    struct place *at = find(line);
    bool there = at != NULL, hit = there && (write || at->when <= fill->now);

    if (!there) {
        at = victim(line);
        use->written += at->taken && at->dirty;
        *at = (struct place){.taken = true, .line = line};
        at->when = write ? fill->now : fill->first + use->fetched++ * fill->each;
    } else if (at->when < fill->now) {
        at->when = fill->now;
    }
    at->dirty |= write;
    use->missed += !write && !hit;
    return hit;
}

/* Byte by byte: what lies in a line that was there counts. */
static struct cache_use touch(const struct cache_span *span, bool write,
                              const struct cache_fill *fill)
{
    struct cache_use use = {0};
    uint64_t last = UINT64_MAX;
    bool hit = false;

    for (uint64_t run = 0; run < span->runs; run++)
        for (uint64_t piece = 0; piece < span->pieces; piece++)
            for (uint64_t byte = 0; byte < span->bytes; byte++) {
                uint64_t at = span->address + run * (uint64_t)span->stride +
                              piece * (uint64_t)span->step + byte;

                if (at / LINE != last)
                    hit = touch_line(at / LINE, write, fill, &use);
                last = at / LINE;
                use.hit_bytes += hit;
            }
    return use;
}

/* ---- the comparison ---- */

/* A span within the memory, forwards or backwards. */
static struct cache_span random_span(void)
{
    struct cache_span span = {
        .bytes = 1 + below(3 * LINE),
        .runs = 1 + below(4),
        .pieces = 1 + below(3),
        .stride = (int64_t)below(5 * LINE),
        .step = (int64_t)below(2 * LINE),
    };
    uint64_t extent = (span.runs - 1) * (uint64_t)span.stride +
                      (span.pieces - 1) * (uint64_t)span.step + span.bytes;

    if (below(4) == 0) {
        span.address = MEMORY - span.bytes - (span.pieces - 1) * (uint64_t)span.step;
        span.stride = -span.stride;
    } else {
        span.address = below(MEMORY - extent + 1);
    }
    return span;
}

static void assert_as_plain(struct cache *cache, unsigned its_ways, uint64_t seed)
{
    uint64_t now = 1, hits = 0, written = 0;

    ways = its_ways;
    memset(place, 0, sizeof place);
    random_state = seed;
    for (int i = 0; i < ACCESSES; i++) {
        struct cache_span span = random_span();
        bool write = below(3) == 0;
        struct cache_fill fill = {.now = now, .first = now + below(200), .each = below(9)};
        struct cache_use want, got;

        if (write)
            fill.first = fill.each = 0;
        want = touch(&span, write, &fill);
        got = write ? cache_write(cache, &span, now) : cache_read(cache, &span, &fill);
        assert_int_equal(got.hit_bytes, want.hit_bytes);
        assert_int_equal(got.missed, want.missed);
        assert_int_equal(got.fetched, want.fetched);
        assert_int_equal(got.written, want.written);
        hits += want.hit_bytes > 0;
        written += want.written;
        now += below(3) * below(100); /* often several at one time */
    }
    assert_true(hits > ACCESSES / 10 && hits < ACCESSES);
    assert_int_equal(written > 0, ways < ROOMY_WAYS);
}

static void by_lines_and_by_sets_are_as_plain(void **state)
{
    const struct cache_shape lines = {SETS, WAYS, LINE, MEMORY}, sets = {SETS, WAYS, LINE, 0};
    const struct cache_shape roomy = {SETS, ROOMY_WAYS, LINE, MEMORY};

    (void)state;
    assert_true(cache_bytes(lines) != cache_bytes(sets)); /* there are two */
    for (uint64_t seed = 1; seed < 4; seed++) {
        struct cache *a = cache_make(lines), *b = cache_make(sets), *c = cache_make(roomy);

        assert_as_plain(a, WAYS, seed * 88172645463325252u);
        assert_as_plain(b, WAYS, seed * 88172645463325252u);
        assert_as_plain(c, ROOMY_WAYS, seed * 88172645463325252u);
        cache_free(a);
        cache_free(b);
        cache_free(c);
    }
}

static void contents_are_all_that_changes(void **state)
{
    const struct cache_shape shape = {SETS, WAYS, LINE, MEMORY};
    const struct cache_span span = {.address = 0, .bytes = MEMORY, .runs = 1, .pieces = 1};
    const struct cache_fill fill = {.now = 5, .first = 7, .each = 1};
    struct cache *one = cache_make(shape), *other = cache_make(shape);
    struct cache_use a, b;
    size_t size;
    void *contents = cache_contents(one, &size);

    (void)state;
    cache_read(one, &span, &fill);
    memcpy(cache_contents(other, &size), contents, size);
    a = cache_read(one, &span, &(struct cache_fill){.now = 30, .first = 31, .each = 1});
    b = cache_read(other, &span, &(struct cache_fill){.now = 30, .first = 31, .each = 1});
    assert_memory_equal(&a, &b, sizeof a);
    cache_free(one);
    cache_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_lines_and_by_sets_are_as_plain),
        cmocka_unit_test(contents_are_all_that_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
