/* Machine profiles: everything that differs between chips, as data.
 *
 * Times are whole picoseconds and milli-cycles, so that costs are integers.  profile_load.h makes
 * one of a text. */
#ifndef PTO_PROFILE_H
#define PTO_PROFILE_H

#include "ops.h"

enum { PTO_PATH_GM = PTO_SPACE_COUNT, PTO_PATH_ENDS };

/* A way between two spaces (or GM): which pipe carries it, how fast. */
struct pto_path {
    bool exists;
    uint8_t pipe;               /* enum PTO_PIPE_* */
    uint64_t milli_bytes_per_cycle;
    uint32_t latency_millicycles;
};

struct pto_cost_entry {
    uint32_t latency_millicycles;
    uint32_t slope_millicycles; /* per unit of the class */
    uint32_t row_millicycles;   /* per row, too; if so each row has repeats of its own */
};

struct pto_profile {
    char name[32];
    bool a5;                            /* level a5: types_a5 are legal */
    uint32_t cores;                     /* AI cores of a rank */
    uint32_t vectors_per_core;          /* AIVs of an AI core */
    uint64_t clock_khz;
    uint32_t capacity[PTO_SPACE_COUNT]; /* bytes */
    uint32_t alignment[PTO_SPACE_COUNT];
    uint8_t layout_l0a;                 /* enum pto_layout that L0A wants: ZZ (a2, a3), NZ (a5) */
    uint8_t pipes[2];                   /* mask of pipes per pto_core_kind (AIC, AIV) */
    uint32_t events;                    /* event ids per pipe pair */
    uint32_t flag_depth;                /* tokens a flag can hold */
    uint32_t queue_depth;               /* entries of a pipe's queue */
    uint32_t cross_flags;               /* cross-core flag ids */
    uint32_t cross_flags_user;          /* ids below this are the program's */
    uint32_t cross_flag_limit;          /* highest count */
    uint8_t barrier_needed;             /* mask of pipes whose dependent work needs pipe_barrier */
    struct pto_path path[PTO_PATH_ENDS][PTO_PATH_ENDS]; /* [from][to] */
    struct pto_cost_entry cost[PTO_COST_COUNT];
    uint32_t costs_named;               /* mask: the others cost what their like does */
    uint32_t cube_f32_factor;           /* cube steps take this many times as long for f32 */
    uint32_t scalar_millicycles;        /* one scalar instruction */
    uint32_t issue_millicycles;         /* issue of one tile instruction */
    uint32_t flag_millicycles;          /* set, wait or barrier on a pipe */
    uint32_t load_ps, store_ps;         /* scalar access to global memory */
    uint32_t notify_ps, wake_ps, test_ps; /* send a signal, wake after a wait, look at a signal */
    uint32_t cross_flag_ps;             /* cross-core flag from set to visible */
    uint32_t sync_all_ps;
    uint32_t extract_millicycles;       /* MTE1: what every phase takes beside its bytes */
    uint32_t fix_element_bytes;         /* an element that leaves L0C counts as; 0: its own size */
    uint64_t gm_bytes_per_us;           /* global memory of a rank, shared by its cores */
    /* The second-level cache in front of it; l2_bytes = 0: none. */
    uint32_t l2_bytes, l2_line, l2_ways;
    uint64_t l2_bytes_per_us;           /* reads and writes together */
    uint32_t l2_latency_ps;             /* of a read that finds all its lines there */
    uint32_t l2_miss_ps;                /* a core's read path is taken by a line that is not */
    uint64_t link_bytes_per_us;         /* each directed link */
    uint32_t link_latency_ps;           /* at least 1 */
    bool link_turns;                    /* all who send over a link get the same share of it */
    uint64_t network_bytes_per_us;      /* a rank's way out of its node (topology nodes) */
    uint32_t network_latency_ps;        /* at least 1 */
    uint32_t network_oversubscription;  /* what the ranks of a node can send, over what leaves it */
    uint64_t egress_bytes_per_us;       /* all links from a rank together; 0: no limit */
    uint32_t remote_wake_ps;            /* from the arrival of a signal to its change */
    uint32_t async_startup_ps;          /* DMA engine: from submission to the first byte */
    uint64_t async_bytes_per_us;        /* of one DMA engine */
    uint32_t async_limit;               /* submissions that a DMA engine holds */
    uint32_t launch_ps;
};

/* Sub-cores of an AI core: its cube and its vector units. */
static inline uint32_t pto_profile_sub_cores(const struct pto_profile *profile)
{
    return 1 + profile->vectors_per_core;
}

/* Layout of a tile in `space` that says none, and those that it may have: a mask of 1 << enum
 * pto_layout. */
enum pto_layout pto_profile_layout(const struct pto_profile *profile, enum pto_space space);
unsigned pto_profile_layouts(const struct pto_profile *profile, enum pto_space space);
/* The spaces (mask of 1 << enum pto_space) of some sub-cores (mask of 1 << enum pto_core_kind) that
 * the profile has. */
unsigned pto_profile_spaces(const struct pto_profile *profile, unsigned cores);
/* Does a way lead from a memory of sub-cores of this kind into a space of the other kind?  Programs
 * have tiles there to send to. */
bool pto_profile_sends(const struct pto_profile *profile, enum pto_core_kind kind,
                       enum pto_space space);
/* Picoseconds of a number of milli-cycles, rounded up. */
uint64_t pto_profile_ps(const struct pto_profile *profile, uint64_t millicycles);
/* Sets of the second-level cache; 0: there is none. */
uint32_t pto_profile_l2_sets(const struct pto_profile *profile);

#endif
