/* From a command line to a machine that is ready to run: what ptovm and ptodbg share.
 *
 *   cli_load (files -> verified programs) -> cli_launch (machine, parameters, inputs, prepared).
 *
 * Every problem is in `diags`; the status says whose fault it is. */
#ifndef PTO_CLI_LAUNCH_H
#define PTO_CLI_LAUNCH_H

#include "cli/options.h"
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

struct cli_launch {
    struct pto_arena arena;
    struct pto_profile profile;
    struct cli_file *file; /* each path once */
    unsigned files;
    struct cli_kernel *kernel; /* in order of the command line */
    unsigned kernels;
    bool outputs_clash; /* nothing may be written, see files.h */
    struct pto_vm *vm;
};

/* Load the operands options->operand[first..], each FILE or FILE:KERNEL, text or object; with
 * `all_kernels` an operand without :KERNEL stands for every kernel of its file. */
enum pto_status cli_load(const struct cli_options *options, unsigned first, bool all_kernels,
                         struct cli_launch *launch, struct pto_diags *diags);

struct cli_machine_options {
    bool stepwise;
    void (*print)(void *context, int rank, const char *core, uint64_t time_ps, const char *text);
    void *print_context;
};

/* Build the machine of the loaded kernels, set parameters, bind inputs, prepare. */
enum pto_status cli_launch(const struct cli_options *options,
                           const struct cli_machine_options *machine, struct cli_launch *launch,
                           struct pto_diags *diags);
void cli_launch_free(struct cli_launch *launch);

/* The kernel's description. */
const struct pto_kernel *cli_kernel_of(const struct cli_kernel *kernel);
/* The declaration of a global object (not a view), from the first kernel that has it.  If there is
 * none, the error names the option that asked (--in name=...) and what was probably meant. */
const struct pto_object *cli_find_object(const struct cli_launch *launch, const char *option,
                                         const char *name, struct pto_diags *diags);

#endif
