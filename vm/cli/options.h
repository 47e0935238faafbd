/* The command line of ptovm and ptodbg as plain data.  Parsing checks the form of every value
 * (numbers, names, pairs); whether a rank, parameter or object exists is checked when the machine
 * is built (launch.h, data.h). */
#ifndef PTO_CLI_OPTIONS_H
#define PTO_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "assembler.h"
#include "cli/trace_choice.h"
#include "diag.h"
#include "status.h"
#include "tool/colour.h"
#include "tool/options.h"
#include "vm.h"

/* Who takes an option; masks for the rows of options.def. */
enum cli_user {
    CLI_RUN = 1,      /* ptovm run */
    CLI_INFO = 2,     /* ptovm info */
    CLI_PROFILES = 4, /* ptovm profiles */
    CLI_DEBUG = 8,    /* ptodbg */
    CLI_EXPLORE = 16, /* ptovm explore */
    CLI_TUNE = 32,    /* ptovm tune */
    CLI_WHATIF = 64,  /* ptovm whatif */
    CLI_DIFF = 128,   /* ptovm diff */
    CLI_STATE = 256,  /* ptovm diff --state */
    CLI_RUNS = CLI_RUN | CLI_DEBUG,
    CLI_SIMULATES = CLI_RUNS | CLI_EXPLORE | CLI_TUNE | CLI_WHATIF | CLI_STATE,
    CLI_LOADS = CLI_SIMULATES | CLI_INFO,
    CLI_PTOVM = CLI_RUN | CLI_INFO | CLI_PROFILES | CLI_EXPLORE | CLI_TUNE | CLI_WHATIF | CLI_DIFF |
                CLI_STATE,
    CLI_ALL = CLI_PTOVM | CLI_DEBUG
};

#define SECTION(title)
#define OPTION(id, letter, name, argument, users, help) CLI_OPT_##id,
enum cli_option_id {
#include "cli/options.def"
    CLI_OPTIONS
};
#undef SECTION
#undef OPTION

/* Who is told how far a long run is, after the first seconds about once a second. */
struct cli_progress {
    /* The machine has paused; `seconds` of this host's time since the run began. */
    void (*tell)(void *context, const struct pto_vm *vm, double seconds);
    void *context;
};

/* Who writes down now and then where a run is. */
struct cli_keeping {
    uint64_t every_ps; /* this host's time between two; 0: when others ask for it */
    /* The machine rests, and goes on behind it. */
    void (*keep)(void *context);
    void *context;
    bool together; /* with other processes: they rest, and end, with each other */
};

/* What a run may take of this host. */
struct cli_limits {
    uint64_t timeout_ps; /* 0: any time */
    uint64_t memory;     /* bytes, beside the program itself; 0: what is available */
    const struct cli_progress *progress; /* NULL: nobody looks */
    const struct cli_keeping *keeping;   /* NULL: nobody keeps it */
    struct cli_host_stop *host;          /* the process is somebody else's, who stops runs so: no
                                            signals and no timer are taken; NULL: it is not */
};

/* "name=value" of --set, --in, --out, --expect, --define. */
struct cli_pair {
    const char *name, *value;
};

struct cli_pairs {
    struct cli_pair *item;
    unsigned count, capacity;
};

/* -x FILE and -e COMMAND in the order given. */
struct cli_script {
    bool is_file;
    const char *text;
};

/* What a host program gives instead of files; see api/pto.h. */
struct cli_given_text {
    const char *name; /* as an operand calls it */
    const void *bytes;
    size_t size;
};

struct cli_given_value {
    const char *name;
    int rank; /* PTO_ALL_RANKS */
    bool is_float;
    int64_t integer;
    double number;
};

struct cli_given_array {
    const char *name;
    int rank; /* PTO_ALL_RANKS */
    enum pto_dtype dtype;
    unsigned dims;
    uint64_t dim[PTO_MAX_DIMS];
    const void *data; /* lent to the machine */
};

struct cli_given {
    struct cli_given_text *text;
    struct cli_given_value *value;
    struct cli_given_array *array;
    unsigned texts, values, arrays, text_capacity, value_capacity, array_capacity;
};

struct cli_tuned;

enum { CLI_EXIT_FINDINGS = 4 }; /* exit status of a run with findings, unless told otherwise */

struct cli_options {
    struct pto_arena arena; /* owns all texts */
    bool given[CLI_OPTIONS];
    const char **operand;   /* what is not an option, in order */
    unsigned operands;

    const char *profile; /* NULL: not given */
    const char **profile_set; /* "key=value" */
    unsigned profile_sets, profile_set_capacity;
    struct cli_pairs set_cost;   /* "2x", or a value as in a profile */
    const char **without_wait;   /* "FILE:LINE" */
    unsigned without_waits, without_capacity;
    int ranks, cores;    /* cores 0: all of the profile */
    const char *topology;      /* NULL: a mesh */
    const char *topology_path; /* of topology "file:PATH"; else NULL */
    struct pto_link *link_down;
    int links_down, link_capacity;
    struct pto_slow_link *slow_link;
    int slow_links, slow_link_capacity;
    struct pto_slow_rank *slow_rank;
    int slow_ranks, slow_capacity;
    struct pto_dead_rank *dead_rank;
    int dead_ranks, dead_capacity;
    uint64_t jitter;
    uint32_t repeat;
    bool join, timing_only, views_by_buffer;
    uint64_t max_time_ps, max_insns;
    uint64_t host_cost_ps; /* of every repetition; 0: not given */
    int threads;         /* of this host; 0: as many as it has processors */
    struct cli_limits limits;
    const char *deal;    /* NULL: in blocks */
    const char *checkpoint_path, *resume_path; /* NULL: none */
    uint64_t every_ps; /* of this host, between checkpoints */
    const char *schedule_path; /* NULL: none */
    const char *best_path; /* of tune; NULL: not given */
    unsigned explore_runs;
    const char *save_prefix;

    const struct cli_tuned *tuned; /* values of `set` that were searched for; NULL: none */
    struct cli_pairs set, in, out, expect, define, try;
    const char *out_archive; /* --out FILE.npz, for all results; NULL: not given */
    double rtol, atol;
    const char **include_dir;
    unsigned include_dirs, include_capacity;
    const char *function; /* NULL: not given */
    enum pto_asm_sync sync;

    bool check;
    const char *check_kind, *check_kernel; /* NULL: all */
    int check_rank;                        /* -1: all */
    bool check_coverage, share_flags;
    const char *suppress_path, *sarif_path, *wait_graph_path;
    int error_exitcode;

    struct cli_script *script;
    unsigned scripts, script_capacity;
    bool batch;
    bool json_lines, dap, tui;
    const char *record_path; /* NULL: none */
    const char *core_path; /* to write, or of ptodbg to open; NULL: none */

    bool fix, fix_in_place;
    uint32_t fix_runs;    /* runs that may try remedies; 0: the first one is taken as it is */
    /* Not from the command line: texts that are tried in place of those in the files. */
    bool (*instead)(const void *context, const char *path, const char **text, size_t *size);
    const void *instead_context;
    const struct cli_given *host; /* NULL: the command line gives everything */

    bool json;
    const char *json_path; /* NULL: standard output */
    bool critical_path;
    const char *trace_path, *report_path;
    struct trace_choice trace;
    bool quiet, verbose;
    enum tool_colour colour;
    bool help, version;
};

/* Parse argv[1..]; options and operands may be mixed, "--" ends the options.  `users`: those of
 * the program; other options are unknown to it.  All problems go to `diags`, PTO_ECONFIG. */
enum pto_status cli_options_parse(struct cli_options *options, int argc, char **argv,
                                  unsigned users, struct pto_diags *diags);
/* Complain about every given option that the command `name` (one bit in `user`) does not take. */
enum pto_status cli_options_check(const struct cli_options *options, enum cli_user user,
                                  const char *name, struct pto_diags *diags);
void cli_options_free(struct cli_options *options);
/* Append the option list for --help, by section. */
void cli_options_help(unsigned users, struct pto_buf *out);
/* The options of the same run as it is, for its time alone and without results. */
struct cli_options cli_times_alone(const struct cli_options *options);

#endif
