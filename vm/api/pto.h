/* PTO virtual machine as a library: assemble kernels, run them on simulated ranks, look at results,
 * findings and statistics.
 *
 * Everything belongs to a job, which is one run:
 *
 *     struct pto_job *job = pto_job_new();
 *
 *     pto_job_option(job, "ranks", "2");
 *     pto_job_file(job, "vadd.pto");                    or pto_job_text, from memory
 *     pto_job_bind(job, PTO_EVERY_RANK, "a", "f32", 1, dim, a);
 *     if (pto_job_run(job) != PTO_RESULT_OK)
 *         fputs(pto_job_explain(job), stderr);
 *     pto_job_find(job, 0, "c", &c);
 *     pto_job_free(job);
 *
 * Nothing is printed, nothing ends the process but the lack of memory, no file is written, signals
 * and timers are left alone.  Different jobs may be used by different threads at the same time; one
 * job by one thread, but for pto_job_stop.  Texts that a job returns live until pto_job_free, those
 * of pto_job_explain, pto_job_summary and pto_job_report until the same is asked again; texts that
 * it is given are copied.
 *
 * Misuse is refused: NULL where something is wanted, a rank that no machine has, a call that comes
 * too late, or while the job runs (from a callback).  Then nothing is done, and what is returned is
 * PTO_RESULT_USAGE, 0 for "there is none", or, of a text, one that says so or "".  A job that has
 * not run yet keeps the refusal as a message, and pto_job_load and pto_job_run refuse it as well,
 * so that results of functions before the run need not be looked at: nothing else is run than was
 * meant.  No job (NULL), and one of the 64 that were freed last, is refused in the same way; of
 * what was freed before those, and of other addresses, nothing can be known. */
#ifndef PTO_PTO_H
#define PTO_PTO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PTO_API __attribute__((visibility("default")))
#else
#define PTO_API
#endif

/* How a job stands; the numbers are the exit statuses of ptovm. */
enum pto_result {
    PTO_RESULT_OK = 0,
    PTO_RESULT_PROGRAM = 1,  /* the kernel is wrong: it does not assemble, or the run faulted */
    PTO_RESULT_USAGE = 2,    /* options, names, types or shapes are wrong */
    PTO_RESULT_DEADLOCK = 3, /* nothing can go on and somebody has not ended */
    PTO_RESULT_FINDINGS = 4, /* the run ended well, and the checker found something */
    PTO_RESULT_LIMIT = 5,    /* a limit on simulated time or instructions was reached */
    PTO_RESULT_INTERNAL = 70,
    PTO_RESULT_MEMORY = 71,  /* the host has too little memory for what the job asks for */
    PTO_RESULT_STOPPED = 130 /* by pto_job_stop */
};

enum { PTO_EVERY_RANK = -1, PTO_ARRAY_DIMS = 6 };

struct pto_job;

/* "1.2.3" */
PTO_API const char *pto_library_version(void);

/* ---- before the run ------------------------------------------------------------------------ */

PTO_API struct pto_job *pto_job_new(void);
/* Give everything back.  NULL, and a job that has been freed, are no mistake; a job that runs is
 * left as it is. */
PTO_API void pto_job_free(struct pto_job *job);

/* An option of `ptovm run` by its long name ("ranks", "profile", "link-down", "check", "in", ...);
 * `value` NULL for those that take none.  Options that write files or set the time that a run may
 * take on this host do not apply.  What is wrong with the value, and that there is no such option,
 * is told by pto_job_load.  All of this section: PTO_RESULT_OK, or PTO_RESULT_USAGE if the call is
 * refused; options, files and texts come before pto_job_load, the others before pto_job_run. */
PTO_API enum pto_result pto_job_option(struct pto_job *job, const char *name, const char *value);

/* Append a kernel to what is run, in order: "FILE" or "FILE:KERNEL", text or object. */
PTO_API enum pto_result pto_job_file(struct pto_job *job, const char *operand);
/* The same for `size` bytes (at most 64 MiB) of text or of an object, which messages call `name`;
 * different ones have different names.  Includes are searched in the folder of that name and those
 * of the option "include". */
PTO_API enum pto_result pto_job_text(struct pto_job *job, const char *name, const void *text,
                                     size_t size);

/* Set a parameter on one rank or PTO_EVERY_RANK; a later value takes the place of an earlier one.
 * An integer will do for a parameter of type f64; infinities and NaN are refused, and by
 * pto_job_run parameters that the option "set" gives as well. */
PTO_API enum pto_result pto_job_set_int(struct pto_job *job, int rank, const char *name,
                                        int64_t value);
PTO_API enum pto_result pto_job_set_float(struct pto_job *job, int rank, const char *name,
                                          double value);

/* Lend the contents of an input on one rank or PTO_EVERY_RANK: `dims` (at most PTO_ARRAY_DIMS)
 * dimensions, outermost first, row-major, little-endian; `dtype` is "f32", "bf16", "i8" and so on.
 * A later array takes the place of an earlier one on its ranks; pto_job_run refuses inputs that the
 * option "in" gives as well.  The bytes are not copied and have to stay as they are until
 * pto_job_free; an object that a kernel writes begins as a copy.  Types and shapes are held against
 * the declaration by pto_job_run; refused is what no object can have: an unknown type, too many
 * dimensions, a size beyond memory, elements at NULL (an array without any may be NULL). */
PTO_API enum pto_result pto_job_bind(struct pto_job *job, int rank, const char *name,
                                     const char *dtype, unsigned dims, const uint64_t *dim,
                                     const void *data);

/* What the machine tells while it runs.  Texts live until the function returns; NULL: none. */
struct pto_job_event {
    const char *kind;     /* "launch", "end", "issue", "stall", "resume", "start", "complete",
                             "set", "wait begin", "wait end", "send", "land", "signal",
                             "region begin", "region end", "fault" */
    int rank, peer;       /* peer: of "send" and "land" */
    const char *core;     /* "aiv7.1" */
    const char *pipe;     /* "MTE2", "V", "DMA"; of "issue" where it is put, of "set" who sets */
    const char *mnemonic; /* of the instruction */
    const char *file;     /* where it stands */
    unsigned line, column;
    uint64_t time_ps;     /* simulated picoseconds */
    uint64_t start_ps;    /* of what ends at time_ps */
    uint64_t bytes;
    const char *text;     /* name of a region, reason of a stall */
};
typedef void pto_job_observer(void *context, const struct pto_job_event *event);
/* See every event; at most three observers.  They are called on the thread that runs the job and
 * change nothing.  Events of one scalar unit, or of one pipe, come in simulated order.  A scalar
 * unit, which "issue" belongs to, runs ahead of its pipes: sort by time_ps where it matters. */
PTO_API enum pto_result pto_job_observe(struct pto_job *job, pto_job_observer *observer,
                                        void *context);
/* Get the lines that kernels print (TPRINT, print), without newline, by simulated time and rank;
 * otherwise, and with NULL in the place of a printer, they are dropped. */
typedef void pto_job_printer(void *context, int rank, const char *core, uint64_t time_ps,
                             const char *line);
PTO_API enum pto_result pto_job_print(struct pto_job *job, pto_job_printer *printer,
                                      void *context);

/* ---- the run ------------------------------------------------------------------------------- */

/* Assemble and verify what the job is to run.  Only for those who want to know before the run:
 * pto_job_run does it as well.  Once; later calls return the same, or how the run ended. */
PTO_API enum pto_result pto_job_load(struct pto_job *job);

/* What a kernel of a loaded job declares. */
struct pto_job_name {
    const char *kernel, *name;
    const char *kind;      /* "param", or as in struct pto_job_array, or "view" */
    const char *dtype;     /* of a parameter "i64" or "f64" */
    unsigned dims;         /* 0: a parameter */
    int optional;          /* an input that may be left away, a parameter with a default */
    int flat;              /* it takes arrays of any shape, as their elements in order */
};
/* Declaration number `index`, counted from 0 over all kernels in their order; 0: there is none.
 * Callbacks may ask as well. */
PTO_API int pto_job_name(const struct pto_job *job, unsigned index, struct pto_job_name *name);

/* Run to the end, a fault, a deadlock or a limit; once, later calls return the same.  With the
 * option "check" the findings are there afterwards. */
PTO_API enum pto_result pto_job_run(struct pto_job *job);
/* From another thread or a signal handler: the run, also one that is still to come, ends soon with
 * PTO_RESULT_STOPPED, unless it has come to another end. */
PTO_API void pto_job_stop(struct pto_job *job);

/* ---- results ------------------------------------------------------------------------------- */

struct pto_job_array {
    const char *name;
    const char *kind;      /* "in", "out", "inout", "gm", "sym", "signal" */
    const char *dtype;
    unsigned dims;
    uint64_t dim[PTO_ARRAY_DIMS];
    int64_t stride[PTO_ARRAY_DIMS]; /* bytes */
    uint64_t size;         /* bytes */
    void *data;            /* of the machine, until pto_job_free; NULL: this run has none of them */
};
/* Global object number `index`, counted from 0, of a rank; 0: there is none. */
PTO_API int pto_job_array(const struct pto_job *job, int rank, unsigned index,
                          struct pto_job_array *array);
/* The object called `name`; 0: there is none. */
PTO_API int pto_job_find(const struct pto_job *job, int rank, const char *name,
                         struct pto_job_array *array);
PTO_API int pto_job_ranks(const struct pto_job *job); /* 0 before the run */

/* What is wrong with the job: errors and warnings of assembler and set-up, and the fault, deadlock
 * or limit that ended the run. */
struct pto_job_message {
    const char *severity;  /* "error", "warning", "note", "fault", "deadlock", "limit" */
    const char *file;      /* NULL: nowhere */
    unsigned line, column; /* from 1; 0: unknown */
    const char *text;      /* one sentence */
    const char *hint;      /* NULL: none */
};
/* Message number `index`, counted from 0; 0: there is none. */
PTO_API int pto_job_message(struct pto_job *job, unsigned index, struct pto_job_message *message);

/* One party of a finding. */
struct pto_job_party {
    const char *mnemonic;  /* NULL: there is no such party */
    const char *file;
    unsigned line, column;
    int rank;
    const char *core, *pipe;
    uint64_t time_ps;
};
struct pto_job_finding {
    const char *kind;      /* "race-raw", "uninitialised-read", ... */
    const char *text;      /* one sentence */
    const char *advice;    /* NULL: none */
    const char *where;     /* "ub", "acc of rank 1" */
    uint64_t offset, bytes, count; /* first occurrence; how often */
    struct pto_job_party earlier, later;
};
/* Finding number `index`, counted from 0: what leads first, what follows from it behind; 0: there
 * is none. */
PTO_API int pto_job_finding(const struct pto_job *job, unsigned index,
                            struct pto_job_finding *finding);

struct pto_job_statistics {
    uint64_t time_ps;          /* end of the run, or of the rank */
    uint64_t scalar_instructions, gm_bytes, cube_macs;
};
/* Of one rank, or PTO_EVERY_RANK: sums, and the time of the last one.  0 of a rank that there is
 * not. */
PTO_API void pto_job_statistics(const struct pto_job *job, int rank,
                                struct pto_job_statistics *statistics);

/* All that ptovm would print about what went wrong, with source lines and carets; "" if nothing
 * did. */
PTO_API const char *pto_job_explain(struct pto_job *job);
/* The summary that ptovm prints; "" before a run. */
PTO_API const char *pto_job_summary(struct pto_job *job);
/* The report as JSON, schema pto-report/1: statistics, findings, messages. */
PTO_API const char *pto_job_report(struct pto_job *job);

#ifdef __cplusplus
}
#endif
#endif
