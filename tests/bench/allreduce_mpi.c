/* What somebody who has MPI would run in place of an all-reduce: 1 M f32 of each process.
 *
 *   mpicc -O2 allreduce_mpi.c && mpirun -n 8 ./a.out [COUNT] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1 << 20, failed = 1;
    float *x = calloc((size_t)count, sizeof *x), *sum = calloc((size_t)count, sizeof *sum);

    MPI_Init(&argc, &argv);
    if (x && sum && count > 0) {
        MPI_Allreduce(x, sum, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        failed = sum[count - 1] != 0.0f;
    } else {
        fprintf(stderr, "allreduce_mpi: no memory, or no count: %d\n", count);
    }
    MPI_Finalize();
    free(x);
    free(sum);
    return failed;
}
