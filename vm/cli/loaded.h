/* What a command line has loaded: files, kernels, and the machine that they run on. */
#ifndef PTO_CLI_LOADED_H
#define PTO_CLI_LOADED_H

#include "cli/options.h"
#include "cli/regions.h"
#include "look/path.h"
#include "vm.h"

/* One file named on the command line. */
struct cli_file {
    const char *path;          /* "-": standard input */
    bool is_object;
    struct pto_buf text;       /* source text, empty for objects */
    struct pto_buf includes;   /* files that the text was made of, one path a line */
    struct pto_module module;  /* empty once verified */
    struct pto_program program;
    bool verified;
};

/* One kernel of the sequence. */
struct cli_kernel {
    const struct cli_file *file;
    uint32_t kernel; /* index in file->program.module */
};

/* Which acts come late, see schedule.h. */
struct cli_schedule {
    struct pto_delay *delay; /* in order, see struct pto_vm_options */
    unsigned delays, delay_capacity;
    struct pto_slow_rank *slow;
    unsigned slows, slow_capacity;
};

struct cli_launch {
    struct pto_arena arena;
    struct pto_profile profile;
    const char *topology_text; /* of topology "file:PATH", once it is read */
    const bool *define_used; /* of each -D, whether a text has it */
    struct cli_file *file; /* each path once */
    unsigned files;
    struct cli_kernel *kernel; /* in order of the command line */
    unsigned kernels;
    const struct cli_schedule *schedule; /* NULL: that of --schedule, if there is one */
    struct cli_schedule given;           /* that one */
    const struct pto_insn **unwaited; /* nobody waits there, see struct pto_vm_options */
    unsigned unwaiteds;
    uint64_t values_sum; /* of what files of --set hold */
    bool outputs_clash; /* nothing may be written, see files.h */
    const char *unwritable; /* the first output that cannot be written, NULL: all can */
    uint64_t most_memory; /* bytes that it may take; 0: what is available */
    struct pto_vm *vm;
    struct cli_regions *regions; /* of the first machine; NULL: no kernel names any */
    struct pto_critical *critical; /* the same; NULL: not asked for */
    uint64_t ideal_ps; /* the run on an instantaneous network; 0: not known, see efficiency.h */
    void **block; /* malloc'ed: what the machine was lent */
    unsigned blocks, block_capacity;
};

/* Take a malloc'ed block over until cli_launch_free. */
void cli_launch_keep(struct cli_launch *launch, void *block);
void cli_launch_free(struct cli_launch *launch);
/* The kernel's description. */
const struct pto_kernel *cli_kernel_of(const struct cli_kernel *kernel);

#endif
