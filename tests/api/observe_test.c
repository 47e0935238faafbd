/* What observers see: the events of a scalar unit, and of a pipe, in simulated order. */
#include <stdbool.h>
#include <stdio.h>

#include "jobs.h"

enum { UNITS = 64 };

static const char LOOP[] =
    ".kernel loop\n"
    ".in  a : f32[8, 8]\n"
    ".out c : f32[8, 8]\n"
    ".core aiv\n"
    ".tile t : ub f32[8, 8]\n"
    "    .for %i = 0 to 20\n"
    "        TLOAD t, a\n"
    "        handoff MTE2 -> MTE3, 0\n"
    "        TSTORE c, t\n"
    "        handoff MTE3 -> MTE2, 0\n"
    "    .endfor\n";

struct unit {
    char name[48];
    uint64_t time_ps;
    unsigned events;
};

static struct unit unit[UNITS];
static unsigned units, late, sets;

static struct unit *find(const char *core, const char *pipe)
{
    char name[sizeof unit->name];

    snprintf(name, sizeof name, "%s %s", core, pipe);
    for (unsigned i = 0; i < units; i++)
        if (!strcmp(unit[i].name, name))
            return &unit[i];
    assert_true(units < UNITS);
    strcpy(unit[units].name, name);
    return &unit[units++];
}

static void see(void *context, const struct pto_job_event *event)
{
    bool issue = !strcmp(event->kind, "issue");
    struct unit *at = find(event->core, event->pipe && !issue ? event->pipe : "S");

    (void)context;
    late += event->time_ps < at->time_ps;
    at->time_ps = event->time_ps;
    at->events++;
    if (strcmp(event->kind, "set") != 0)
        return;
    sets++;
    assert_non_null(event->pipe);
    assert_true(!strcmp(event->pipe, "MTE2") || !strcmp(event->pipe, "MTE3"));
}

static void order_within_units(void **state)
{
    static const float input[64];
    const uint64_t extent[] = {8, 8};
    struct pto_job *job = job_of(LOOP);

    (void)state;
    assert_int_equal(pto_job_bind(job, PTO_EVERY_RANK, "a", "f32", 2, extent, input),
                     PTO_RESULT_OK);
    assert_int_equal(pto_job_observe(job, see, NULL), PTO_RESULT_OK);
    assert_int_equal(pto_job_run(job), PTO_RESULT_OK);
    assert_int_equal(late, 0);
    assert_int_equal(sets, 2 * 2 * 20); /* two sub-cores, two sets a turn */
    assert_true(find("aiv0.0", "S")->events >= 120);
    assert_true(find("aiv0.1", "MTE2")->events >= 40);
    pto_job_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(order_within_units)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
