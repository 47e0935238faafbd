/* The debugger of the machine, without a terminal: it takes command lines and answers through the
 * functions of a `struct dbg_terminal`.  It owns the machine that it debugs, which it observes,
 * changes only where it is told to, and rebuilds from the same options when it has to start again
 * or go back. */
#ifndef PTO_DBG_H
#define PTO_DBG_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/options.h"
#include "process.h"

struct dbg;

/* What a person sits at, or a script runs in. */
struct dbg_terminal {
    void *context;
    /* One line without its newline, malloc'ed; NULL at the end of the input. */
    char *(*read)(void *context, const char *prompt);
    void (*write)(void *context, const char *text, size_t length);
    /* Does the reader want another page?  NULL: there are none. */
    bool (*more)(void *context);
    /* A line of an earlier session that can be had again.  NULL: nobody asks for such. */
    void (*recall)(void *context, const char *line);
    /* Is there something that the running machine has to stop for?  `silent`: on the way to a
     * position, which is not gone on with.  NULL: never. */
    bool (*urgent)(void *context, bool silent);
    /* Show the session on the full screen until its user leaves that; false: why it cannot be.
     * NULL: there is none. */
    bool (*full_screen)(void *context, struct dbg *dbg, const char **why);
    bool interactive; /* prompt, pages; a failed command does not end the session */
    bool colours;     /* of errors, stops, the present line */
    unsigned width, height; /* characters and lines; 0: 80, and no pages */
};

/* Exit status of a session. */
enum dbg_exit {
    DBG_EXIT_DONE = 0,
    DBG_EXIT_PROGRAM = 1,  /* the program faulted, or could not be assembled */
    DBG_EXIT_USAGE = 2,    /* options, files, a command that failed */
    DBG_EXIT_DEADLOCK = 3,
    DBG_EXIT_FINDINGS = 4, /* --check: the program ended and something was found */
    DBG_EXIT_LIMIT = 5,
    DBG_EXIT_INTERNAL = 70,
    DBG_EXIT_MEMORY = PTO_EXIT_MEMORY,
    DBG_EXIT_INTERRUPTED = 130 /* with nobody to go on */
};

/* Put what a search finds in the place of --set NAME=auto, and say in `text` what that is.  What
 * it is missing is in `diags`, unless a signal ended it: *stopped_by. */
enum dbg_exit dbg_search_values(struct cli_options *options, struct pto_diags *diags,
                                struct pto_buf *text, int *stopped_by);

/* Load the kernels that the options name and build the machine.  `options` and `terminal` must
 * outlive the debugger.  On failure everything is in `diags` and *dbg is NULL. */
enum pto_status dbg_create(const struct cli_options *options, const struct dbg_terminal *terminal,
                           struct pto_diags *diags, struct dbg **dbg);
void dbg_free(struct dbg *dbg);

/* Carry out one line; false if the command failed (the answer says why). Called by tests. */
bool dbg_command(struct dbg *dbg, const char *line);
/* Carry out the lines of a file up to the first that fails. */
bool dbg_source(struct dbg *dbg, const char *path);
/* Scripts and commands of the options, then (unless --batch) lines from the terminal until it ends
 * or the user quits.  Returns the exit status of the program. */
enum dbg_exit dbg_session(struct dbg *dbg);
/* What the program's own end says: 0 as long as it lives. */
enum dbg_exit dbg_program_exit(const struct dbg *dbg);
/* The exit code that tells a status. */
enum dbg_exit dbg_exit_of(enum pto_status status);

/* Stop the running machine at its next event.  May be called from a signal handler. */
void dbg_interrupt(struct dbg *dbg);
/* The time of a session without anybody at a prompt is over: it ends, with DBG_EXIT_LIMIT.  May be
 * called from a signal handler. */
void dbg_expire(struct dbg *dbg);
/* Did that cut the session off? */
bool dbg_expired(const struct dbg *dbg);

/* Keep lines of the prompt in this file, and have those again that it holds; what goes wrong is
 * answered. */
void dbg_keep_lines(struct dbg *dbg, const char *path);

/* Completions of the last word of `line`: NULL-terminated, malloc'ed like its texts; each replaces
 * line[*start..]. */
char **dbg_complete(struct dbg *dbg, const char *line, size_t *start);

#endif
