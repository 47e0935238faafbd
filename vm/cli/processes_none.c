/* A build without Open MPI. */
#include "cli/processes.h"

bool cli_mpi_open(struct cli_processes *p, const char **why)
{
    (void)p;
    *why = "this ptovm was built without Open MPI (libopenmpi-dev), through which they would meet";
    return false;
}

void cli_mpi_close(struct mpi *mpi)
{
    (void)mpi;
}
