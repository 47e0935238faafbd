/* The processes of one run, as mpirun has started them.
 *
 * Each does what it would do alone up to the run, in which it has a part of the ranks; process 0
 * alone speaks, and writes what there is to write (docs/decisions/0043-ranks-in-processes.md). */
#ifndef PTO_CLI_PROCESSES_H
#define PTO_CLI_PROCESSES_H

#include "cli/exit.h"
#include "cli/loaded.h"

struct mpi;

struct cli_processes {
    int process, processes; /* its number, how many there are */
    int beside;             /* of them, those on this host, this one included */
    struct pto_carrier carrier;
    const struct cli_options *options;
    struct mpi *mpi; /* NULL: not open */
};

/* Ask the environment; nothing is loaded. */
void cli_processes_look(struct cli_processes *p);
/* Is this the process that speaks? */
bool cli_processes_speaks(const struct cli_processes *p);
/* Refuse what several processes cannot do yet.  `command`: "run" and so on. */
enum pto_status cli_processes_check(const struct cli_processes *p,
                                    const struct cli_options *options, const char *command,
                                    struct pto_diags *diags);
/* Begin to meet the others; alone there is nothing to do. */
enum pto_status cli_processes_open(struct cli_processes *p, const struct cli_options *options,
                                   struct pto_diags *diags);
/* Deal the ranks, as --deal says. */
enum pto_status cli_processes_deal(struct cli_processes *p, const struct cli_options *options,
                                   struct pto_arena *arena, struct pto_diags *diags);
/* What the machine is to be made with; NULL: this process has all ranks. */
const struct pto_carrier *cli_processes_carrier(const struct cli_processes *p);
/* How the preparations of all went: EXIT_DONE only if all are ready to run the same kernels in the
 * same way.  Process 0 gets the messages of the first that failed. */
enum exit_code cli_processes_agree(struct cli_processes *p, enum exit_code code, int argc,
                                   char **argv, const struct cli_launch *launch,
                                   struct pto_diags *diags);
/* How something went that all do: well, if it did in all; else as in the first where it did not,
 * whose messages process 0 gets.  NULL, here and below: there are no others. */
enum pto_status cli_processes_worst(struct cli_processes *p, enum pto_status status,
                                    struct pto_diags *diags);
/* What stopped the run, as cli_run says it, of the first process that was stopped; 0: none. */
int cli_processes_stopped(struct cli_processes *p, int by);
/* What a run took of the host; of several processes also what they gave each other, as JSON for
 * whoever reckons with it (docs/scale.md). */
void cli_processes_host(const struct cli_processes *p, const struct pto_vm *vm, double seconds,
                        struct pto_buf *text);
void cli_processes_close(struct cli_processes *p);

/* ---- through MPI (processes_mpi.c), or not at all (processes_none.c) ---- */

/* False, and *why: there is none. */
bool cli_mpi_open(struct cli_processes *p, const char **why);
void cli_mpi_close(struct mpi *mpi);

#endif
