/* What a job holds. */
#ifndef PTO_API_JOB_H
#define PTO_API_JOB_H

#include <stdatomic.h>

#include "api/pto.h"
#include "cli/compare.h"
#include "cli/findings.h"
#include "cli/launch.h"
#include "cli/options.h"

enum { JOB_OBSERVERS = 3 }; /* of the machine's four: the checker takes one */

struct job_observer {
    struct pto_job *job;
    pto_job_observer *function;
    void *context;
};

enum job_state { JOB_OPEN, JOB_LOADED, JOB_RAN };

struct pto_job {
    struct pto_arena arena;
    enum job_state state;
    enum pto_result result;
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
    _Atomic(struct pto_vm *) running;
    atomic_bool stopped;
    bool ran;              /* the machine has run, whatever the end */
    struct pto_buf explained, summary, report; /* empty until asked for */
};

/* Register the job's observers with its machine. */
enum pto_status job_attach_observers(struct pto_job *job);

#endif
