/* State of a debugging session, private to vm/dbg.
 *
 * A position is an event number: the machine is deterministic and the debugger runs it stepwise, in
 * one order of (time, rank, sub-core), so the n-th event is the same in every run and `goto`
 * reaches it by running again from the start, or from a moment that was kept (history.h). */
#ifndef PTO_DBG_STATE_H
#define PTO_DBG_STATE_H

#include <signal.h>

#include "cli/launch.h"
#include "dbg/dbg.h"

enum {
    /* Events of the debugger's own.  Findings have numbers like all others, accesses have none. */
    DBG_EV_FINDING = PTO_EV_FAULT + 1,
    DBG_EV_READ,
    DBG_EV_WRITE,
    DBG_HISTORY = 1024,        /* events remembered */
    DBG_FLAG_IDS = 16,
    DBG_SETTERS = PTO_PIPE_COUNT * PTO_PIPE_COUNT * DBG_FLAG_IDS,
    DBG_DEPTH_INNERMOST = 1 << 30,
    DBG_ANY_PIPE = -1
};

/* An instruction of one of the launched programs. */
struct dbg_place {
    const struct pto_module *module;
    const struct pto_kernel *kernel;
    const struct pto_core_code *code;
    uint32_t pc;
    unsigned depth; /* level of macro use that was asked for, see dbg_level */
    bool entry;     /* only where S comes from outside of the macro use of that level */
};

struct dbg_places {
    struct dbg_place *item;
    unsigned count, capacity;
};

struct dbg_region;

enum dbg_break_kind {
    DBG_AT_PLACE,
    DBG_AT_OP,
    DBG_AT_EVENT,
    DBG_AT_FLAG,  /* a token of a flag is set or taken */
    DBG_AT_TOUCH, /* bytes are read or written */
    DBG_AT_VALUE  /* the value of an expression changes */
};

struct dbg_break {
    unsigned number;
    enum dbg_break_kind kind;
    bool enabled, temporary;
    char *where;              /* as it was asked for */
    struct dbg_places places; /* DBG_AT_PLACE */
    int op;                   /* first row of the mnemonic; DBG_AT_EVENT: or -1 */
    int event;                /* DBG_AT_EVENT: enum pto_event_kind, DBG_EV_FINDING */
    int finding;              /* DBG_EV_FINDING: the kind; -1: any */
    int pipe, id;             /* DBG_AT_EVENT: DBG_ANY_PIPE, -1: any; id: DBG_AT_FLAG, too */
    int flag_src, flag_dst;   /* DBG_AT_FLAG: pipes; src -1: a flag between sub-cores */
    uint64_t longer_ps;       /* only what has lasted longer */
    bool nan;                 /* only if the instruction wrote a NaN */
    struct dbg_region *region; /* DBG_AT_TOUCH */
    uint8_t access;            /* bit 0: reads, bit 1: writes */
    struct formula_standalone *value; /* DBG_AT_VALUE, of one sub-core: */
    int at_rank;
    unsigned at_core;
    bool known, is_float;
    int64_t before, now; /* bits */
    bool changed;        /* it holds at the event in hand */
    int rank;                 /* -1: any */
    char *core;               /* "aiv", "aiv3", "aiv3.1"; NULL: any */
    char *condition;          /* as it was written; NULL: none */
    struct formula_standalone *formula; /* of the condition */
    uint64_t ignore, hits;
    char *commands; /* lines; NULL: none */
};

struct dbg_issue;

/* What the debugger remembers of a sub-core from its events. */
struct dbg_core {
    const struct pto_insn *last; /* of the last scalar event */
    const struct pto_insn *before; /* the one that S executed before it */
    bool stalled;                /* S stopped since then, so the same instruction comes again */
    bool again;                  /* the machine paused in that event, so it comes again */
    uint64_t wait_ps[PTO_QUEUE_COUNT]; /* when its last wait began, that of S at [PTO_PIPE_S] */
    struct dbg_issue **issue[PTO_QUEUE_COUNT]; /* rings, see issue.c */
    struct dbg_setter { /* of the last token */
        const struct pto_insn *insn; /* NULL before the first */
        struct dbg_issue *issue;
        uint64_t time_ps;
    } *setter; /* [src][dst][id]; NULL before the first token */
};

/* Where a run is to stop. */
enum dbg_goal_kind {
    DBG_RUN,      /* at breakpoints only */
    DBG_FIRST,    /* before the first instruction of all */
    DBG_STEP,     /* before the `count`-th next instruction of the focused sub-core */
    DBG_NEXT,     /* before its `count`-th next source line */
    DBG_UNTIL,    /* when it comes to one of `places` */
    DBG_FINISH,   /* when it has ended */
    DBG_LEAVE,    /* when it has left the macro use at `goal_parent` */
    DBG_PIPE,     /* after the `count`-th next event of its pipes */
    DBG_EVENT,    /* at event number `count` */
    DBG_TIME      /* at the first event at or after `time_ps` */
};

struct dbg_goal {
    enum dbg_goal_kind kind;
    uint64_t count, time_ps;
    int pipe; /* DBG_PIPE: DBG_ANY_PIPE or one */
    const struct dbg_places *places;
    bool keep_focus; /* DBG_EVENT: the focus stays where it is */
    bool silent; /* running again over known ground: no breakpoints, no output of the program */
};

enum dbg_stop_kind {
    DBG_NOT_STOPPED,
    DBG_STOP_GOAL,
    DBG_STOP_BREAK,
    DBG_STOP_ENDED,   /* the focused sub-core ended before the goal was reached */
    DBG_STOP_INTERRUPT
};

struct dbg_stop {
    enum dbg_stop_kind kind;
    struct pto_event event;
    struct dbg_issue *issue; /* what its instruction was issued with; NULL: not known */
    unsigned breakpoint; /* number of the first; all are in dbg->hit */
    unsigned depth;      /* level of macro use at a breakpoint */
};

/* A breakpoint that holds where the machine stops. */
struct dbg_hit {
    unsigned number;
    unsigned more; /* events of the step behind this one that are not kept */
    struct pto_event event;
    struct dbg_issue *issue; /* what its instruction was issued with; NULL: not known */
};

/* An event and its number. */
struct dbg_record {
    uint64_t number;
    struct pto_event event;
    struct dbg_issue *issue; /* what its instruction was issued with; NULL: not known */
};

/* A finding of the checker.  The same in every run, so it outlives the machine. */
struct dbg_found {
    uint64_t event;
    struct dbg_issue *issue[2]; /* of its parties */
};

/* What a replay looks for on its way, see run.c. */
struct dbg_scan {
    bool active;
    uint64_t before;  /* only events below this number */
    enum dbg_scan_kind {
        DBG_SCAN_STEPS,  /* of the focused sub-core: its instructions, */
        DBG_SCAN_LINES,  /* where it comes to another line, */
        DBG_SCAN_OUTSIDE, /* its instructions outside of the macro use at `goal_parent` */
        DBG_SCAN_BREAKS  /* hits of breakpoints */
    } kind;
    uint64_t *found;  /* ring of `wanted` numbers */
    uint64_t wanted, seen;
};

/* What somebody has changed by hand; see change.h. */
struct dbg_change {
    uint64_t id;    /* of it and its copies */
    uint64_t event; /* where the machine stood */
    bool applied;   /* to the machine as it is now */
    char *text;     /* "%off = 5" */
    int rank;
    unsigned core;
    enum dbg_change_kind {
        DBG_CHANGE_REGISTER,
        DBG_CHANGE_LOCAL,
        DBG_CHANGE_BYTES,
        DBG_CHANGE_PLACE /* the next instruction of S */
    } kind;
    unsigned number;   /* of the register, the array or the instruction */
    uint64_t index;    /* in the array */
    uint64_t bits;     /* BYTES: of an element */
    uint8_t *data;     /* BYTES: all of them, one span; NULL: every element has the bits */
    unsigned size;     /* BYTES: of an element */
    struct dbg_region *region;
};

struct dbg_source_file;
struct formula_standalone;
struct pto_check;
struct pto_touches;
struct dbg_search;
struct dbg_moment;
struct dbg_departure;
struct dbg_checkpoint;
struct dbg_variable;

struct dbg {
    const struct cli_options *options;
    const struct dbg_terminal *terminal;
    struct cli_launch launch; /* programs, and the machine in launch.vm */
    bool started;             /* the machine has run */
    bool delivered;           /* results are written */
    volatile sig_atomic_t interrupted;
    volatile sig_atomic_t expired; /* and stays so */

    int rank;                 /* focus */
    unsigned core;
    int pipe;                 /* DBG_ANY_PIPE or one */
    unsigned depth;           /* level of macro use that next works at */

    struct dbg_core *cores;   /* [rank * cores + core] */
    struct dbg_record *history; /* ring of DBG_HISTORY */
    uint64_t events;          /* seen since the start */
    uint64_t latest_ps;       /* the latest time of one: S runs ahead of the pipes */
    struct dbg_record *fault; /* of every rank; number 0: it has not faulted */
    struct pto_check *check;  /* watches the machine; NULL: nobody asked for it */
    pto_observer *observer;   /* of its findings */
    bool concluded;           /* the run is over for it */
    struct dbg_found *found;  /* all that any run came to */
    unsigned founds, found_capacity;
    struct pto_touches *touches; /* NULL: nobody asks who touches what */
    const struct pto_touch *arrival; /* the one that is told; NULL: none, or none that arrives */
    struct dbg_departure *departure; /* ring, see issue.c; NULL: nothing has left */
    struct dbg_search *search;   /* of the last writer; NULL: none */
    struct dbg_region *last_source; /* of what last-writer has found */
    unsigned last_sources;
    uint64_t last_event;
    struct dbg_moment *moment; /* in ascending order, see history.h */
    unsigned moments, moment_capacity;
    struct dbg_change *change; /* in the order in which they were made */
    unsigned changes, change_capacity;
    uint64_t last_change;     /* the id given last */
    struct dbg_checkpoint *checkpoint; /* in the order in which they were made */
    unsigned checkpoints, checkpoint_capacity;
    uint64_t next_change;     /* event of the first that is to be made again; UINT64_MAX: none */
    uint64_t history_bytes, history_limit;
    uint64_t interval;        /* events from one moment to the next */
    uint64_t next_moment, near_moment; /* event at which one is due; near_moment 0: none */
    bool moment_due;
    struct dbg_stop pending;  /* at an access of S: to take place at the next event */
    struct dbg_goal goal;
    struct dbg_stop stop;
    struct dbg_hit *hit;      /* at the stop: breakpoints, with the events that they caught */
    unsigned hits, hit_capacity;
    struct dbg_scan scan;
    uint32_t goal_line, goal_file; /* DBG_NEXT: line to leave */
    int32_t goal_parent;

    struct dbg_break *breaks;
    unsigned breaks_count, breaks_capacity, next_number;

    struct dbg_display {
        unsigned number;
        char *text; /* of `print` */
    } *display;     /* after every stop */
    unsigned displays, display_capacity, last_display;

    struct dbg_source_file *files;
    unsigned files_count, files_capacity;
    uint32_t list_line;       /* where `list` goes on; 0: around the current line */
    const struct pto_module *list_module;
    uint32_t list_file;

    struct pto_buf out;       /* answer of the command under way */
    struct pto_buf line;      /* --json: what was handed over of it */
    unsigned lines_shown;     /* on this page */
    bool pagination, quit, muted;
    unsigned width, rows;     /* of tables of numbers */
    int trace;                /* enum dbg_trace */
    struct dbg_define {
        char *name, *body;    /* lines */
    } *define;                /* commands of the session's own */
    unsigned defines, define_capacity;
    struct dbg_block {        /* the one whose lines come now, see block.h */
        char *name;           /* NULL: none */
        void (*keep)(struct dbg *dbg, const char *name, const char *body);
        unsigned depth;       /* of blocks in it */
        struct pto_buf body;  /* its lines up to now */
    } block;
    struct dbg_variable *variable; /* of the session's own */
    unsigned variables, variable_capacity;
    uint64_t shown;           /* bits of what print showed last, */
    bool any_shown, shown_is_float;
    char **past;              /* lines of the prompt, see past.h */
    unsigned pasts, past_capacity;
    char *past_path;          /* NULL: they are kept in no file */
    char *due;                /* commands of the breakpoints of the last stop; NULL: none */
    uint64_t stops;           /* of the machine that were told */
    bool at_commands;         /* of a breakpoint */
    char *last_line;          /* command that an empty line repeats, or NULL */
    unsigned nesting;         /* of `source` and definitions */
    bool failed;              /* a command of a script failed */
    bool at_prompt;           /* the command under way came from the terminal */
    enum pto_status lost;     /* why the machine could not be built again */
    bool cut_off;             /* interrupted, with nobody at a prompt to go on */
};

enum dbg_trace { DBG_TRACE_OFF, DBG_TRACE_FOCUS, DBG_TRACE_ALL };

/* ---- answers (dbg.c) ---- */
void dbg_say(struct dbg *dbg, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Answer with an error and, if not NULL, its remedy; returns false. */
bool dbg_error(struct dbg *dbg, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Hand the answer so far to the terminal. */
void dbg_flush(struct dbg *dbg);
/* "1.234 us" in a static-size text. */
struct dbg_time { char text[40]; };
struct dbg_time dbg_time(uint64_t ps);

/* Build the machine anew; false (and answered) if that fails. */
bool dbg_rebuild(struct dbg *dbg);

/* ---- focus (focus.c) ---- */
/* Who set the last token; NULL: there was none. */
struct dbg_setter *dbg_setter(struct dbg_core *core, unsigned src, unsigned dst, unsigned id);
/* All that is known of the sub-core goes. */
void dbg_forget(const struct dbg *dbg, struct dbg_core *core);
struct dbg_core *dbg_core_of(struct dbg *dbg, int rank, unsigned core);
/* The focused sub-core; .module is NULL if it has no program in the current launch. */
void dbg_focused(const struct dbg *dbg, struct pto_core_info *info);
void dbg_focus_on(struct dbg *dbg, int rank, unsigned core);
/* The focused sub-core with its program: for commands that need one. */
bool dbg_need_program(struct dbg *dbg, struct pto_core_info *info);
/* The same, where it stands before an instruction: `info->pc`, and `*place`. */
bool dbg_need_place(struct dbg *dbg, struct pto_core_info *info, struct dbg_place *place);
/* Number of the sub-core of a name ("aiv3.1"; "aiv3" is aiv3.0), or -1. */
int dbg_find_core(const struct dbg *dbg, const char *name, size_t length);
bool dbg_core_matches(const char *name, const char *pattern);
/* Its next instruction, or false. */
bool dbg_place_of(const struct pto_core_info *info, struct dbg_place *place);
/* "rank 3, aiv7.1" */
void dbg_say_core(struct dbg *dbg, int rank, unsigned core);

/* ---- commands (command.c) ---- */
struct dbg_row {
    const char *name, *aliases, *usage, *group, *help, *example;
    const char *completes; /* one letter an argument, see complete.c */
    enum dbg_repeat { DBG_ONCE, DBG_SAME, DBG_BARE } repeats; /* by an empty line */
    bool (*function)(struct dbg *dbg, const char *args);
};
extern const struct dbg_row dbg_rows[];
extern const unsigned dbg_row_count;
/* By name or alias; NULL: none. */
const struct dbg_row *dbg_named_row(const char *word, size_t length);
/* By name, alias or a beginning that only one command has; NULL: answered. */
const struct dbg_row *dbg_find_row(struct dbg *dbg, const char *word, size_t length);
/* Length of the first word of *text, leading blanks skipped. */
size_t dbg_word(const char **text);
/* The last word of *length bytes of `text`, malloc'ed; they end before it. */
char *dbg_last_word(const char *text, size_t *length);
/* Take the next word if it is `word`. */
bool dbg_take(const char **text, const char *word);
/* Length of the name that text starts with; names of macro uses have a number: "acc.1". */
size_t dbg_name_length(const char *text);
bool dbg_is_name(const char *name, const char *text, size_t length);
/* Is `name` what a macro use made of the text ("acc.1" of "acc")? */
bool dbg_is_copy(const char *name, const char *text, size_t length);
/* A count of at least 1 that may be left out; false: answered. */
bool dbg_count(struct dbg *dbg, const char *args, uint64_t *count);
/* Nothing may be left. */
bool dbg_at_end(struct dbg *dbg, const char *args);
/* What `info` tells about, in alphabetical order; NULL behind the last. */
const char *dbg_topic(unsigned number);
/* A keyword of the pipe set ("MTE3"), or -1; case does not matter. */
int dbg_find_pipe(const char *text, size_t length);
/* The same of an on-chip space ("ub"). */
int dbg_find_space(const char *text, size_t length);

#define COMMAND(name, aliases, function, group, usage, completes, repeats, help, example)          \
    bool cmd_##function(struct dbg *dbg, const char *args);
#include "dbg/commands.def"
#undef COMMAND

#endif
