/* Shadow memory against a plain array of one state a byte, under random accesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check/shadow.h"

enum { SIZE = 3 * SHADOW_PAGE + 100, ROUNDS = 4000 };

/* A step that depends on the state alone: what a write and a read do. */
struct model {
    uint32_t plain[SIZE];
    uint32_t write;  /* 0: a read, which moves a state to another */
    uint64_t stepped;
};

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

static void touch_pieces(struct shadow *shadow, struct shadow_pools *pools, struct model *model,
                         struct effect_pieces pieces)
{
    shadow_touch(shadow, pools, &pieces, step, model);
    for (uint64_t p = 0; p < pieces.count; p++)
        for (uint64_t i = 0; i < pieces.length; i++) {
            uint32_t *plain = &model->plain[pieces.offset + p * pieces.step + i];

            *plain = next_state(model, *plain);
        }
}

static void touch(struct shadow *shadow, struct shadow_pools *pools, struct model *model,
                  uint64_t offset, uint64_t length)
{
    touch_pieces(shadow, pools, model, (struct effect_pieces){offset, length, 0, 1});
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

static void look_at(struct shadow *shadow, struct shadow_pools *pools, uint64_t offset,
                    uint64_t length)
{
    shadow_touch(shadow, pools, &(struct effect_pieces){offset, length, 0, 1}, look, NULL);
}

static void assert_same(struct shadow *shadow, struct shadow_pools *pools,
                        const struct model *model)
{
    for (uint64_t i = 0; i < SIZE; i++) {
        look_at(shadow, pools, i, 1);
        assert_int_equal(seen, model->plain[i]);
    }
}

static void random_accesses(void **unused)
{
    struct model *model = calloc(1, sizeof *model);
    struct shadow_pools pools = {0};
    struct shadow shadow;

    (void)unused;
    srand(11);
    shadow_init(&shadow, SIZE, STATE_READY);
    for (int i = 0; i < SIZE; i++)
        model->plain[i] = STATE_READY;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t offset = (uint64_t)rand() % SIZE, length = (uint64_t)rand() % 5000 + 1;

        if (rand() % 3 == 0)
            length = length % 70 + 1;
        if (rand() % 4 == 0)
            offset &= ~4095ull;
        length = length > SIZE - offset ? SIZE - offset : length;
        model->write = rand() % 2 ? (uint32_t)rand() % 1000 : 0;
        touch(&shadow, &pools, model, offset, length);
        if (round % 500 == 0)
            assert_same(&shadow, &pools, model);
    }
    assert_same(&shadow, &pools, model);
    shadow_free(&shadow);
    shadow_pools_free(&pools);
    free(model);
}

/* A page that is one cell apart from the rest of it is not taken for one state. */
static void one_cell_of_a_page(void **unused)
{
    static const uint64_t CELLS[] = {0, 1, SHADOW_PAGE / SHADOW_CELL - 1};

    (void)unused;
    for (size_t i = 0; i < sizeof CELLS / sizeof *CELLS; i++) {
        struct model *model = calloc(1, sizeof *model);
        struct shadow_pools pools = {0};
        struct shadow shadow;

        shadow_init(&shadow, SIZE, STATE_READY);
        for (int k = 0; k < SIZE; k++)
            model->plain[k] = STATE_READY;
        model->write = 7;
        touch(&shadow, &pools, model, CELLS[i] * SHADOW_CELL, SHADOW_CELL);
        model->write = 0;
        touch(&shadow, &pools, model, 0, SHADOW_PAGE);
        assert_same(&shadow, &pools, model);
        shadow_free(&shadow);
        shadow_pools_free(&pools);
        free(model);
    }
}

/* The states that occur in a region, as the sweep sees them. */
static void note_visited(void *context, uint32_t state)
{
    bool *visited = context;

    visited[state] = true;
}

static void assert_visited(const struct shadow *shadow, const struct shadow_pools *pools,
                           const struct model *model)
{
    bool visited[1000] = {false};

    shadow_visit(shadow, pools, note_visited, visited);
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
static void assert_runs(const struct shadow *shadow, const struct shadow_pools *pools,
                        const struct model *model)
{
    uint32_t most = 1;
    struct shown shown = {0};

    for (uint64_t i = 1; i < SIZE; i++)
        most += i % SHADOW_PAGE == 0 || i % SHADOW_CELL == 0
                    ? model->plain[i] != model->plain[i - 1] || i % SHADOW_PAGE == 0
                    : 0;
    shadow_visit(shadow, pools, count_shown, &shown);
    assert_int_equal(shown.times, most);
}

/* Without words the states are those of whole cells, and can be counted. */
static void tiles_again(void **unused)
{
    (void)unused;
    for (int words = 0; words < 2; words++) {
        struct model *model = calloc(1, sizeof *model);
        struct shadow_pools pools = {0};
        struct shadow shadow;

        srand(13);
        shadow_init(&shadow, SIZE, STATE_READY);
        for (int i = 0; i < SIZE; i++)
            model->plain[i] = STATE_READY;
        for (int round = 0; round < ROUNDS; round++) {
            struct effect_pieces pieces = TILES[rand() % TILE_COUNT];

            if (!words && pieces.length % SHADOW_CELL)
                continue;
            model->write = rand() % 2 ? (uint32_t)rand() % 5 : 0;
            touch_pieces(&shadow, &pools, model, pieces);
            if (round % 50 == 0 && words)
                assert_visited(&shadow, &pools, model);
            else if (round % 50 == 0)
                assert_runs(&shadow, &pools, model);
            if (round % 500 == 0)
                assert_same(&shadow, &pools, model);
        }
        assert_same(&shadow, &pools, model);
        shadow_reset(&shadow, &pools);
        for (int i = 0; i < SIZE; i++)
            model->plain[i] = STATE_READY;
        assert_same(&shadow, &pools, model);
        shadow_free(&shadow);
        shadow_pools_free(&pools);
        free(model);
    }
}

/* Bytes in one state are one step, whether they are touched as before or as a part of more. */
static void again_is_one_step(void **unused)
{
    struct model *model = calloc(1, sizeof *model);
    struct shadow_pools pools = {0};
    struct shadow shadow;

    (void)unused;
    shadow_init(&shadow, SIZE, STATE_NEVER);
    model->write = 7;
    touch(&shadow, &pools, model, 64, 256);
    touch(&shadow, &pools, model, 320, 256);
    model->stepped = 0;
    touch(&shadow, &pools, model, 64, 256);
    assert_int_equal(model->stepped, 1);
    touch(&shadow, &pools, model, 64, 512); /* both */
    assert_int_equal(model->stepped, 2);
    model->write = 9;
    touch(&shadow, &pools, model, 320, 256); /* a part of it */
    assert_int_equal(model->stepped, 3);
    touch(&shadow, &pools, model, 64, 512);
    assert_int_equal(model->stepped, 5);
    assert_same(&shadow, &pools, model);
    shadow_free(&shadow);
    shadow_pools_free(&pools);
    free(model);
}

/* Pieces that take whole cells leave them with a number for every byte; who looks at them after
 * that, and changes nothing, finds them and their neighbours in one state. */
static void whole_cells_come_together(void **unused)
{
    struct model *model = calloc(1, sizeof *model);
    struct shadow_pools pools = {0};
    struct shadow shadow;

    (void)unused;
    shadow_init(&shadow, SIZE, STATE_NEVER);
    model->write = 7;
    touch(&shadow, &pools, model, 64, 320);
    model->write = 9;
    touch_pieces(&shadow, &pools, model, (struct effect_pieces){128, 32, 64, 4});
    touch(&shadow, &pools, model, 64, 64);
    touch_pieces(&shadow, &pools, model, (struct effect_pieces){160, 32, 64, 4});
    for (int i = 0; i < 10; i++) /* the second time as whole cells of one state */
        look_at(&shadow, &pools, 64 + (uint64_t)i * SHADOW_CELL, SHADOW_CELL);
    model->stepped = 0;
    touch(&shadow, &pools, model, 64, 320);
    assert_int_equal(model->stepped, 1);
    assert_same(&shadow, &pools, model);
    shadow_free(&shadow);
    shadow_pools_free(&pools);
    free(model);
}

/* Windows of few strides, so that pages become combs, and are touched in and out of step. */
static void random_windows(void **unused)
{
    static const uint64_t STEPS[] = {8, 64, 100, 256, 1023, 2048, 3000, 5000};
    struct model *model = calloc(1, sizeof *model);
    struct shadow_pools pools = {0};
    struct shadow shadow;

    (void)unused;
    srand(12);
    shadow_init(&shadow, SIZE, STATE_READY);
    for (int i = 0; i < SIZE; i++)
        model->plain[i] = STATE_READY;
    for (int round = 0; round < ROUNDS; round++) {
        struct effect_pieces pieces = {.step = STEPS[(rand() % 40 + round / 100) % 8], .count = 1};

        pieces.length = (uint64_t)rand() % (pieces.step - 1) + 1;
        pieces.offset = (uint64_t)rand() % (rand() % 2 ? pieces.step : SIZE / 2);
        if (rand() % 4)
            pieces.count = (SIZE - pieces.offset - pieces.length) / pieces.step;
        if (rand() % 100 == 0)
            pieces = (struct effect_pieces){.length = SIZE, .count = 1};
        model->write = rand() % 2 ? (uint32_t)rand() % 1000 : 0;
        touch_pieces(&shadow, &pools, model, pieces);
        if (round % 100 == 0) {
            assert_visited(&shadow, &pools, model);
            assert_same(&shadow, &pools, model);
        }
    }
    shadow_free(&shadow);
    shadow_pools_free(&pools);
    free(model);
}

/* A window of a stride costs a step per page, however many pieces it has; so does what touches the
 * page as a whole. */
static void strides_cost_pages(void **unused)
{
    struct model *model = calloc(1, sizeof *model);
    struct shadow_pools pools = {0};
    struct shadow shadow;

    (void)unused;
    shadow_init(&shadow, SIZE, STATE_NEVER);
    model->write = 7;
    touch_pieces(&shadow, &pools, model, (struct effect_pieces){4, 4, 8, SIZE / 8});
    assert_int_equal(model->stepped, 4);
    model->write = 9;
    touch_pieces(&shadow, &pools, model, (struct effect_pieces){0, 4, 8, SIZE / 8 + 1});
    assert_int_equal(model->stepped, 8);
    touch(&shadow, &pools, model, 0, SIZE);
    touch(&shadow, &pools, model, 0, SIZE);
    assert_int_equal(model->stepped, 8 + 2 * 4 + 4);
    shadow_free(&shadow);
    shadow_pools_free(&pools);
    free(model);
}

/* Whole pages cost one step each, whatever was in them. */
static void pages_become_uniform(void **unused)
{
    struct model *model = calloc(1, sizeof *model);
    struct shadow_pools pools = {0};
    struct shadow shadow;

    (void)unused;
    shadow_init(&shadow, SIZE, STATE_NEVER);
    model->write = 7;
    touch(&shadow, &pools, model, 5, 3);
    touch(&shadow, &pools, model, 4000, 200);
    touch(&shadow, &pools, model, 0, SIZE);
    model->stepped = 0;
    model->write = 8;
    touch(&shadow, &pools, model, 0, SIZE);
    assert_int_equal(model->stepped, 4);
    shadow_reset(&shadow, &pools);
    look_at(&shadow, &pools, 4001, 1);
    assert_int_equal(seen, STATE_NEVER);
    shadow_free(&shadow);
    shadow_pools_free(&pools);
    free(model);
}

static void outside_is_ignored(void **unused)
{
    struct shadow_pools pools = {0};
    struct shadow shadow;

    (void)unused;
    seen = 99;
    shadow_init(&shadow, 64, STATE_NEVER);
    look_at(&shadow, &pools, 60, 8);
    look_at(&shadow, &pools, 60, 0);
    assert_int_equal(seen, 99);
    shadow_free(&shadow);
    shadow_pools_free(&pools);
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
        cmocka_unit_test(strides_cost_pages),
        cmocka_unit_test(pages_become_uniform),
        cmocka_unit_test(outside_is_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
