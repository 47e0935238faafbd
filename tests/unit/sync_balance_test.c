/* Which flags are in balance whatever way is taken: marks put by hand into assembled programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "assembler.h"
#include "profile_load.h"
#include "sync/order.h"

/* Instructions TLOAD are places: the first one is place 0. */
#define HEAD \
    ".kernel k\n.mix 1:1\n.param n : i64\n.in x : f32[8, 8]\n.core aiv\n" \
    ".tile t[2] : ub f32[8, 8]\n"
#define PLACE "TLOAD t, x\n"
#define SLOTS "TLOAD t[%s], x\n"

static struct pto_profile profile;
static struct pto_module module;
static struct pto_diags diags;
static struct order order;

static int set_up(void **unused)
{
    (void)unused;
    diags = (struct pto_diags){0};
    return pto_profile_load("a2", &profile, &diags) == PTO_OK ? 0 : -1;
}

static void begin(const char *text)
{
    struct pto_asm_options options = {.profile = &profile};

    if (pto_assemble_text("text.pto", text, strlen(text), &options, &module, &diags) != PTO_OK) {
        pto_diags_print(&diags, stderr, false);
        fail();
    }
    order_begin(&order, &profile, &module.kernel[0], &module.kernel[0].core[PTO_AIV], false);
}

static void finish(void)
{
    order_free(&order);
    pto_module_free(&module);
    pto_diags_free(&diags);
}

static void add_sync(struct sync sync)
{
    sync.from = PTO_PIPE_MTE2;
    sync.to = PTO_PIPE_V;
    PTO_GROW(order.sync, order.syncs, order.sync_room);
    order.sync[order.syncs++] = sync;
}

/* A mark of the last sync, in front of a place, or behind it. */
static void mark(enum mark_kind kind, unsigned place, bool behind)
{
    uint32_t at = order.at[place];

    order_add_mark(&order, (struct mark){.kind = (uint8_t)kind, .at = at + behind,
                                         .block = order.blocks.of[at], .rank = (int)order.marks,
                                         .sync = order.syncs - 1});
}

static void judge(bool proved)
{
    uint32_t syncs = order.syncs, barriers = 0, waits = 0;

    for (uint32_t i = 0; i < order.marks; i++)
        waits += order.mark[i].kind == MARK_WAIT;
    assert_int_equal(balance_prove(&order), proved);
    assert_int_equal(order.sync[0].off, !proved);
    for (uint32_t c = syncs; c < order.syncs; c++) {
        barriers++;
        assert_int_equal(order.sync[c].kind, SYNC_BARRIER);
        assert_int_equal(order.sync[c].to, PTO_PIPE_ALL);
    }
    assert_int_equal(barriers, proved ? 0 : waits);
    finish();
}

/* A flag set in front of place 0 and waited for in front of place 1. */
static void judge_pair(const char *text, bool proved)
{
    begin(text);
    add_sync((struct sync){.kind = SYNC_PAIR});
    mark(MARK_SET, 0, false);
    mark(MARK_WAIT, 1, false);
    judge(proved);
}

static void pairs_in_one_block_are_proved(void **unused)
{
    (void)unused;
    judge_pair(HEAD PLACE PLACE PLACE, true);
    judge_pair(HEAD ".for %i = 0 to n\n" PLACE ".if %i == 2\n%k = 1\n.endif\n" PLACE ".endfor\n"
               PLACE, true);
    judge_pair(HEAD ".if n == 2\n" PLACE PLACE ".else\n" PLACE ".endif\n", true);
}

static void pairs_of_two_blocks_are_not(void **unused)
{
    (void)unused;
    judge_pair(HEAD ".if n == 2\n" PLACE ".endif\n" PLACE, false);
    judge_pair(HEAD ".if n == 2\n" PLACE ".else\n" PLACE ".endif\n", false);
    judge_pair(HEAD PLACE ".if n == 2\n" PLACE ".endif\n", false);
    judge_pair(HEAD PLACE ".for %i = 0 to n\n" PLACE ".endfor\n", false);
    judge_pair(HEAD ".for %i = 0 to n\n" PLACE ".endfor\n" PLACE, false);
    judge_pair(HEAD ".for %i = 0 to n\n" PLACE ".if %i == 3\n.break\n.endif\n" PLACE ".endfor\n",
               false);
    judge_pair(HEAD PLACE ".if n == 2\nend\n.endif\n" PLACE, false);
}

static void a_set_in_every_arm_is_enough(void **unused)
{
    (void)unused;
    for (unsigned arms = 1; arms < 3; arms++) {
        begin(HEAD ".if n == 2\n" PLACE ".else\n" PLACE ".endif\n" PLACE);
        add_sync((struct sync){.kind = SYNC_PAIR});
        for (unsigned arm = 0; arm < arms; arm++)
            mark(MARK_SET, arm, true);
        mark(MARK_WAIT, 2, false);
        judge(arms == 2);
    }
}

static void what_is_set_or_taken_twice_is_not_proved(void **unused)
{
    static const enum mark_kind kinds[][3] = {{MARK_SET, MARK_SET, MARK_WAIT},
                                              {MARK_SET, MARK_WAIT, MARK_WAIT},
                                              {MARK_SET, MARK_WAIT, MARK_SET}};

    (void)unused;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        begin(HEAD PLACE PLACE PLACE);
        add_sync((struct sync){.kind = SYNC_PAIR});
        for (unsigned k = 0; k < 3; k++)
            mark(kinds[i][k], k, false);
        judge(false);
    }
}

/* A token from before place 0 until behind place 3, taken in front of place 1, given back behind
 * place 2. */
static void judge_channel(const char *text, struct sync sync, bool proved)
{
    begin(text);
    sync.kind = SYNC_CHANNEL;
    if (sync.slot)
        assert_true(sync.slot <= order.slots.slots);
    add_sync(sync);
    mark(MARK_INIT, 0, false);
    mark(MARK_WAIT, 1, false);
    mark(MARK_SET, 2, true);
    mark(MARK_DRAIN, 3, true);
    judge(proved);
}

static void tokens_come_back_in_the_block_that_takes_them(void **unused)
{
    const struct sync one = {0};

    (void)unused;
    judge_channel(HEAD PLACE ".for %i = 0 to n\n" PLACE PLACE ".endfor\n" PLACE, one, true);
    judge_channel(HEAD PLACE ".if n == 1\n" PLACE PLACE ".endif\n" PLACE, one, true);
    judge_channel(HEAD PLACE ".for %i = 0 to n\n" PLACE ".if %i == 1\n" PLACE ".endif\n.endfor\n"
                  PLACE, one, false);
    judge_channel(HEAD PLACE ".for %i = 0 to n\n" PLACE ".endfor\n" PLACE PLACE, one, false);
    judge_channel(HEAD PLACE ".for %i = 0 to n\n" PLACE ".if %i == 1\n.break\n.endif\n" PLACE
                  ".endfor\n" PLACE, one, false);
    judge_channel(HEAD PLACE ".for %i = 0 to n\n" PLACE ".if %i == 1\n.continue\n.endif\n" PLACE
                  ".endfor\n" PLACE, one, false);
}

/* The number of the slot is the one that was waited for, or kept. */
static void tokens_of_slots_come_back_to_their_slot(void **unused)
{
    const struct sync first = {.slot = 1}, kept = {.slot = 1, .event = 2};

    (void)unused;
    judge_channel(HEAD "%s = 0\n" PLACE ".for %i = 0 to n\n" SLOTS SLOTS "%s = 1 - %s\n.endfor\n"
                  PLACE, first, true);
    judge_channel(HEAD "%s = 0\n" PLACE ".for %i = 0 to n\n" SLOTS "%s = 1 - %s\n" SLOTS
                  ".endfor\n" PLACE, first, false);
    judge_channel(HEAD "%s = 0\n" PLACE ".for %i = 0 to n\n" SLOTS "%s = 1 - %s\n" SLOTS
                  ".endfor\n" PLACE, kept, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(pairs_in_one_block_are_proved, set_up),
        cmocka_unit_test_setup(pairs_of_two_blocks_are_not, set_up),
        cmocka_unit_test_setup(a_set_in_every_arm_is_enough, set_up),
        cmocka_unit_test_setup(what_is_set_or_taken_twice_is_not_proved, set_up),
        cmocka_unit_test_setup(tokens_come_back_in_the_block_that_takes_them, set_up),
        cmocka_unit_test_setup(tokens_of_slots_come_back_to_their_slot, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
