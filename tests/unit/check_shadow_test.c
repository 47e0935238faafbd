/* Shadow memory against a plain array of one state a byte, under random accesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check/shadow.h"

enum { SIZE = 3 * SHADOW_PAGE + 100, ROUNDS = 4000 };

/* Both, and a step that depends on the state alone: what a write and a read do. */
struct model {
    struct shadow shadow;
    struct shadow_pools pools;
    uint32_t plain[SIZE];
    uint32_t write;  /* 0: a read, which moves a state to another */
    uint64_t stepped;
};

static struct model *begin(uint64_t size, uint32_t state)
{
    struct model *model = calloc(1, sizeof *model);

    shadow_init(&model->shadow, size, state);
    for (uint64_t i = 0; i < size; i++)
        model->plain[i] = state;
    return model;
}

static void end(struct model *model)
{
    shadow_free(&model->shadow);
    shadow_pools_free(&model->pools);
    free(model);
}

static uint32_t next_state(const struct model *model, uint32_t state)
{
    return model->write ? model->write : (state * 5 + 3) % 1000;
}

static uint32_t step(void *context, uint32_t state, uint64_t offset, uint64_t length)
{
    struct model *model = context;

    assert_true(offset + length <= SIZE);
    model->stepped++;
    return next_state(model, state);
}

static void touch_pieces(struct model *model, struct effect_pieces pieces)
{
    shadow_touch(&model->shadow, &model->pools, &pieces, step, model);
    for (uint64_t p = 0; p < pieces.count; p++)
        for (uint64_t i = 0; i < pieces.length; i++) {
            uint32_t *plain = &model->plain[pieces.offset + p * pieces.step + i];

            *plain = next_state(model, *plain);
        }
}

static void touch(struct model *model, uint64_t offset, uint64_t length)
{
    touch_pieces(model, (struct effect_pieces){offset, length, 0, 1});
}

/* The states of single bytes, seen by reading them one at a time without a change. */
static uint32_t seen;

static uint32_t look(void *context, uint32_t state, uint64_t offset, uint64_t length)
{
    (void)context;
    (void)offset;
    (void)length;
    seen = state;
    return state;
}

static void look_at(struct model *model, uint64_t offset, uint64_t length)
{
    shadow_touch(&model->shadow, &model->pools, &(struct effect_pieces){offset, length, 0, 1},
                 look, NULL);
}

static void assert_same(struct model *model)
{
    for (uint64_t i = 0; i < SIZE; i++) {
        look_at(model, i, 1);
        assert_int_equal(seen, model->plain[i]);
    }
}

static void random_accesses(void **unused)
{
    struct model *model = begin(SIZE, STATE_READY);

    (void)unused;
    srand(11);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t offset = (uint64_t)rand() % SIZE, length = (uint64_t)rand() % 5000 + 1;

        if (rand() % 3 == 0)
            length = length % 70 + 1;
        if (rand() % 4 == 0)
            offset &= ~4095ull;
        length = length > SIZE - offset ? SIZE - offset : length;
        model->write = rand() % 2 ? (uint32_t)rand() % 1000 : 0;
        touch(model, offset, length);
        if (round % 500 == 0)
            assert_same(model);
    }
    assert_same(model);
    end(model);
}

/* A page that is one cell apart from the rest of it is not taken for one state. */
static void one_cell_of_a_page(void **unused)
{
    static const uint64_t CELLS[] = {0, 1, SHADOW_PAGE / SHADOW_CELL - 1};

    (void)unused;
    for (size_t i = 0; i < sizeof CELLS / sizeof *CELLS; i++) {
        struct model *model = begin(SIZE, STATE_READY);

        model->write = 7;
        touch(model, CELLS[i] * SHADOW_CELL, SHADOW_CELL);
        model->write = 0;
        touch(model, 0, SHADOW_PAGE);
        assert_same(model);
        end(model);
    }
}

/* The states that occur in a region, as the sweep sees them. */
static void note_visited(void *context, uint32_t state)
{
    bool *visited = context;

    visited[state] = true;
}

static void assert_visited(const struct model *model)
{
    bool visited[1000] = {false};

    shadow_visit(&model->shadow, &model->pools, note_visited, visited);
    for (uint64_t i = 0; i < SIZE; i++)
        assert_true(visited[model->plain[i]]);
}

/* Places that are touched again and again, as tiles are, and in part now and then. */
static const struct effect_pieces TILES[] = {
    {.offset = 64, .length = 256, .count = 1},    {.offset = 320, .length = 256, .count = 1},
    {.offset = 64, .length = 512, .count = 1},    {.offset = 1024, .length = 32, .count = 1},
    {.offset = 3072, .length = 2048, .count = 1}, {.offset = 4000, .length = 5000, .count = 1},
    {.offset = 8192, .length = 4096, .count = 1}, {.offset = 8288, .length = 4, .count = 1},
    {.offset = 8316, .length = 4, .count = 1},    {.offset = 100, .length = 4, .count = 1},
    {.offset = 96, .length = 64, .step = 512, .count = 4},
};
enum { TILE_COUNT = sizeof TILES / sizeof *TILES };

/* How often the states that are shown change, in their order. */
struct shown {
    uint32_t times, last;
};

static void count_shown(void *context, uint32_t state)
{
    struct shown *shown = context;

    shown->times++;
    shown->last = state;
}

/* A page of cells shows a run of cells in one state once, however they came to be in it. */
static void assert_runs(const struct model *model)
{
    uint32_t most = 1;
    struct shown shown = {0};

    for (uint64_t i = 1; i < SIZE; i++)
        most += i % SHADOW_PAGE == 0 || i % SHADOW_CELL == 0
                    ? model->plain[i] != model->plain[i - 1] || i % SHADOW_PAGE == 0
                    : 0;
    shadow_visit(&model->shadow, &model->pools, count_shown, &shown);
    assert_int_equal(shown.times, most);
}

/* Without words the states are those of whole cells, and can be counted. */
static void tiles_again(void **unused)
{
    (void)unused;
    for (int words = 0; words < 2; words++) {
        struct model *model = begin(SIZE, STATE_READY);

        srand(13);
        for (int round = 0; round < ROUNDS; round++) {
            struct effect_pieces pieces = TILES[rand() % TILE_COUNT];

            if (!words && pieces.length % SHADOW_CELL)
                continue;
            model->write = rand() % 2 ? (uint32_t)rand() % 5 : 0;
            touch_pieces(model, pieces);
            if (round % 50 == 0 && words)
                assert_visited(model);
            else if (round % 50 == 0)
                assert_runs(model);
            if (round % 500 == 0)
                assert_same(model);
        }
        assert_same(model);
        shadow_reset(&model->shadow, &model->pools);
        for (int i = 0; i < SIZE; i++)
            model->plain[i] = STATE_READY;
        assert_same(model);
        end(model);
    }
}

/* Bytes in one state are one step, whether they are touched as before or as a part of more. */
static void again_is_one_step(void **unused)
{
    struct model *model = begin(SIZE, STATE_NEVER);

    (void)unused;
    model->write = 7;
    touch(model, 64, 256);
    touch(model, 320, 256);
    model->stepped = 0;
    touch(model, 64, 256);
    assert_int_equal(model->stepped, 1);
    touch(model, 64, 512); /* both */
    assert_int_equal(model->stepped, 2);
    model->write = 9;
    touch(model, 320, 256); /* a part of it */
    assert_int_equal(model->stepped, 3);
    touch(model, 64, 512);
    assert_int_equal(model->stepped, 5);
    assert_same(model);
    end(model);
}

/* Pieces that take whole cells leave them with a number for every byte; who looks at them after
 * that, and changes nothing, finds them and their neighbours in one state. */
static void whole_cells_come_together(void **unused)
{
    struct model *model = begin(SIZE, STATE_NEVER);

    (void)unused;
    model->write = 7;
    touch(model, 64, 320);
    model->write = 9;
    touch_pieces(model, (struct effect_pieces){128, 32, 64, 4});
    touch(model, 64, 64);
    touch_pieces(model, (struct effect_pieces){160, 32, 64, 4});
    for (int i = 0; i < 10; i++) /* the second time as whole cells of one state */
        look_at(model, 64 + (uint64_t)i * SHADOW_CELL, SHADOW_CELL);
    model->stepped = 0;
    touch(model, 64, 320);
    assert_int_equal(model->stepped, 1);
    assert_same(model);
    end(model);
}

/* Most windows of kernels begin at a word or a cell, or have a length of whole ones, or both. */
static uint64_t aligned(uint64_t value)
{
    uint64_t unit = (uint64_t)1 << rand() % 6;

    return value > unit ? value - value % unit : value;
}

/* Windows of few strides, so that pages become combs, of bytes, words and cells, and are touched in
 * and out of step. */
static void random_windows(void **unused)
{
    static const uint64_t STEPS[] = {8, 64, 100, 256, 1023, 2048, 3000, 5000};
    struct model *model = begin(SIZE, STATE_READY);

    (void)unused;
    srand(12);
    for (int round = 0; round < ROUNDS; round++) {
        struct effect_pieces pieces = {.step = STEPS[(rand() % 40 + round / 100) % 8], .count = 1};

        pieces.length = aligned((uint64_t)rand() % (pieces.step - 1) + 1);
        pieces.offset = aligned((uint64_t)rand() % (rand() % 2 ? pieces.step : SIZE / 2));
        if (rand() % 4)
            pieces.count = (SIZE - pieces.offset - pieces.length) / pieces.step;
        if (rand() % 100 == 0)
            pieces = (struct effect_pieces){.length = SIZE, .count = 1};
        model->write = rand() % 2 ? (uint32_t)rand() % 1000 : 0;
        touch_pieces(model, pieces);
        if (round % 100 == 0) {
            assert_visited(model);
            assert_same(model);
        }
    }
    end(model);
}

/* Few windows of one stride, so that combs are still combs when they are looked at. */
static void units_of_combs(void **unused)
{
    static const uint64_t STEPS[] = {8, 64, 96, 100, 1024};

    (void)unused;
    srand(13);
    for (int round = 0; round < 200; round++) {
        struct model *model = begin(SIZE, STATE_READY);
        uint64_t step_of_all = STEPS[round % 5];

        for (int i = 0; i < 5; i++) {
            uint64_t offset = aligned((uint64_t)rand() % step_of_all);
            uint64_t length = aligned((uint64_t)rand() % (step_of_all - 1) + 1);

            model->write = rand() % 2 ? (uint32_t)rand() % 1000 : 0;
            touch_pieces(model, (struct effect_pieces){offset, length, step_of_all,
                                                       (SIZE - offset - length) / step_of_all});
        }
        assert_visited(model);
        assert_same(model);
        end(model);
    }
}

/* A window of a stride costs a step per page, however many pieces it has; so does what touches the
 * page as a whole. */
static void strides_cost_pages(void **unused)
{
    struct model *model = begin(SIZE, STATE_NEVER);

    (void)unused;
    model->write = 7;
    touch_pieces(model, (struct effect_pieces){4, 4, 8, SIZE / 8});
    assert_int_equal(model->stepped, 4);
    model->write = 9;
    touch_pieces(model, (struct effect_pieces){0, 4, 8, SIZE / 8 + 1});
    assert_int_equal(model->stepped, 8);
    touch(model, 0, SIZE);
    touch(model, 0, SIZE);
    assert_int_equal(model->stepped, 8 + 2 * 4 + 4);
    end(model);
}

/* Whole pages cost one step each, whatever was in them. */
static void pages_become_uniform(void **unused)
{
    struct model *model = begin(SIZE, STATE_NEVER);

    (void)unused;
    model->write = 7;
    touch(model, 5, 3);
    touch(model, 4000, 200);
    touch(model, 0, SIZE);
    model->stepped = 0;
    model->write = 8;
    touch(model, 0, SIZE);
    assert_int_equal(model->stepped, 4);
    shadow_reset(&model->shadow, &model->pools);
    look_at(model, 4001, 1);
    assert_int_equal(seen, STATE_NEVER);
    end(model);
}

static void outside_is_ignored(void **unused)
{
    struct model *model = begin(64, STATE_NEVER);

    (void)unused;
    seen = 99;
    look_at(model, 60, 8);
    look_at(model, 60, 0);
    assert_int_equal(seen, 99);
    end(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_accesses),
        cmocka_unit_test(one_cell_of_a_page),
        cmocka_unit_test(tiles_again),
        cmocka_unit_test(again_is_one_step),
        cmocka_unit_test(whole_cells_come_together),
        cmocka_unit_test(random_windows),
        cmocka_unit_test(units_of_combs),
        cmocka_unit_test(strides_cost_pages),
        cmocka_unit_test(pages_become_uniform),
        cmocka_unit_test(outside_is_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
