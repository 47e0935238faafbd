/* What the comparison of two runs has found out, private to vm/twin, and how it is told. */
#ifndef PTO_TWIN_TELL_H
#define PTO_TWIN_TELL_H

#include "trace/map.h"
#include "twin/detail.h"

/* A write that only one of the two has, or has otherwise. */
struct twin_difference {
    bool any;
    struct twin_unit unit;
    uint64_t index, time_ps, event;
    bool has[2];
    uint64_t entry[2];
};

/* What a run leaves in an object of a rank. */
struct twin_result {
    const char *name;
    int rank;
    uint64_t hash, size;
};

struct twin_course;

struct twins {
    struct twin_side side[2];
    struct twin_course *course; /* see twin.c */
    unsigned courses, course_capacity;
    struct trace_map numbers; /* of courses, from 1 on, by unit */
    uint64_t writes[2];
    unsigned untimed; /* courses whose difference A has, and nobody knows when */
    struct twin_difference first;
    struct twin_result *result[2];
    unsigned results[2], result_capacity[2];
};

/* Only what both have can differ. */
bool twin_result_differs(const struct twins *t, const struct twin_result *a);
/* As text, and for programs.  `d`: the two writes that are the first to differ, where any do. */
void twin_say(struct twins *t, struct twin_detail d[2], struct pto_buf *out);
void twin_put(struct twins *t, struct twin_detail d[2], bool same, struct pto_buf *out);

#endif
