/* What bytes of the machine ought to be: windows and objects held against files, or against what
 * generators make. */
#ifndef PTO_DBG_WANTED_H
#define PTO_DBG_WANTED_H

#include "data/source.h"
#include "dbg/view.h"

/* An element that is not what it ought to be. */
struct wanted_miss {
    uint64_t element; /* row-major number */
    uint64_t offset;  /* in the place */
    uint64_t event;   /* of its last write; 0: none */
};

/* A window, or an object of one rank. */
struct wanted_part {
    struct pto_place place;
    uint8_t dtype;
    struct dbg_view view; /* of a tile; otherwise elements lie by these strides: */
    unsigned dims;
    uint64_t dim[PTO_MAX_DIMS];
    int64_t step[PTO_MAX_DIMS]; /* bytes */
    uint64_t base, count;
    struct cli_array want;
    struct wanted_miss *miss; /* in ascending order of offsets */
    uint64_t misses, capacity;
};

struct wanted {
    struct pto_arena arena;
    double rtol, atol;
    bool here; /* as of the present event, not of the end */
    struct wanted_part *part;
    unsigned parts, capacity;
};

/* Take over what a window (bare: an object of the focused rank, or of all ranks where the source
 * has a file for each) ought to be.  False: answered. */
bool wanted_window(struct dbg *dbg, struct wanted *wanted, const char *window, const char *source);
/* The same for an object of all ranks. */
bool wanted_object(struct dbg *dbg, struct wanted *wanted, const char *name, const char *source);
/* Note the elements that are wrong now; false: answered. */
bool wanted_compare(struct dbg *dbg, struct wanted *wanted);
/* Somebody writes bytes at an event: note it for what is wrong there. */
void wanted_touched(struct wanted *wanted, const struct pto_stretch *bytes, uint64_t event);
bool wanted_has_place(const struct wanted *wanted, const struct pto_place *place);
/* "129, not 1" */
void wanted_say(struct dbg *dbg, const struct wanted_part *part, const struct wanted_miss *miss);
void wanted_free(struct wanted *wanted);

#endif
