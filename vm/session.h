/* One call of ptovm: what it was asked for, what it holds, and the run with all that it leaves. */
#ifndef PTO_VM_SESSION_H
#define PTO_VM_SESSION_H

#include "cli/checkpoint.h"
#include "cli/compare.h"
#include "cli/exit.h"
#include "cli/findings.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/processes.h"
#include "cli/tuned.h"
#include "report/slices.h"
#include "search/repair.h"
#include "trace/trace.h"

struct session {
    struct cli_options options;
    struct cli_launch launch;
    struct cli_expectations expectations;
    struct cli_findings findings;
    struct cli_repair repair;
    struct cli_tuned tuned; /* of --set NAME=auto */
    struct cli_trace *trace;
    struct cli_slices *slices;
    struct cli_checkpoint checkpoint;
    struct pto_diags diags;
    struct cli_processes processes;
    int argc;       /* of the program */
    char **argv;
    int stopped_by; /* signal that cut the run off, or 0 */
    int search_ended_by; /* the same of what --fix tries behind it */
    bool colour;
    bool unkept; /* a checkpoint could not be written */
    bool line_shown; /* of progress, on standard error */
    double began; /* seconds of the host's clock */
};

/* May a line that is written over and over tell how far it is? */
bool session_tells_progress(const struct session *s);
/* Write it, as much of it as the terminal is wide. */
void session_show_line(struct session *s, const struct pto_buf *text);
/* The line of inputs that take long to make, and of a run. */
void session_show_filling(void *context, const char *object, int rank, double seconds,
                          double share);
void session_show_progress(void *context, const struct pto_vm *vm, double seconds);
/* Take the line away, if one was shown. */
void session_clear_line(struct session *s);

void session_put(const struct pto_buf *text, FILE *stream);
/* Write a text; if that fails, a run that was done is not done. */
enum exit_code session_write(const char *path, const struct pto_buf *text, enum exit_code code);

/* Run the kernels, check if asked, write all results; `diags` are left to be told by the caller. */
enum exit_code session_run(struct session *s);

#endif
