/* What a job holds. */
#ifndef PTO_API_JOB_H
#define PTO_API_JOB_H

#include <stdatomic.h>

#include "api/pto.h"
#include "cli/compare.h"
#include "cli/findings.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/stop.h"

enum { JOB_OBSERVERS = 3 }; /* of the machine's four: the checker takes one */

struct job_observer {
    struct pto_job *job;
    pto_job_observer *function;
    void *context;
};

/* JOB_RUNNING belongs to the thread in pto_job_run. */
enum job_state { JOB_OPEN, JOB_LOADED, JOB_RUNNING, JOB_RAN, JOB_FREED };

struct pto_job {
    struct pto_arena arena;
    atomic_int state;      /* enum job_state: what other threads may ask */
    enum pto_result result;
    bool refused;          /* a call was refused: what is left is not what was meant */
    const char **word;     /* as a command line: what the options and operands say */
    unsigned words, word_capacity;
    struct cli_given given;
    struct cli_options options;
    struct cli_launch launch;
    struct cli_findings findings;
    struct cli_expectations nothing; /* --expect is for programs */
    struct pto_diags diags;
    struct job_observer observer[JOB_OBSERVERS];
    unsigned observers;
    pto_job_printer *printer;
    void *printer_context;
    struct cli_host_stop stop;
    bool ran;              /* the machine has run, whatever the end */
    struct pto_buf explained, summary, report; /* empty until asked for */
};

/* What the job is in; JOB_FREED if it is NULL. */
enum job_state job_state(const struct pto_job *job);
/* Refuse what a function of the interface was given, with the reason; returns PTO_RESULT_USAGE.  A
 * job that has not run yet keeps the reason as a message, and will not run. */
enum pto_result job_refuse(struct pto_job *job, const char *function, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* May the job still be changed?  Refuses what comes behind the state `last`. */
bool job_takes(struct pto_job *job, const char *function, enum job_state last);

/* Add a word as of a command line. */
void job_add_word(struct pto_job *job, const char *word);
/* Are the options, as read, for a library, and is there something to run? */
enum pto_status job_check_options(struct pto_job *job);

/* Register the job's observers with its machine. */
enum pto_status job_attach_observers(struct pto_job *job);

#endif
