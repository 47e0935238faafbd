/* Meetings through Open MPI, which is loaded for several processes only: it brings some thirty
 * libraries along. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "cli/processes.h"

enum { MOST_BYTES = 1 << 30 }; /* of one message, which MPI counts in int */

struct mpi {
    void *library;
    MPI_Comm world;
    MPI_Datatype byte;
#define MPI_FUNCTION(name) __typeof__(MPI_##name) *name;
#include "cli/processes_mpi.def"
#undef MPI_FUNCTION
    int process, processes;
    struct head *out, *in;
    MPI_Request *request;
    int requests, capacity;
};

/* What goes before every parcel. */
struct head {
    uint64_t word[PTO_PARCEL_WORDS], size;
};

static void *symbol(struct mpi *mpi, const char *name, bool *all)
{
    void *address = dlsym(mpi->library, name);

    *all = *all && address;
    return address;
}

/* All that is used of the library; false: it lacks something. */
static bool find(struct mpi *mpi)
{
    bool all = true;

    mpi->world = symbol(mpi, "ompi_mpi_comm_world", &all);
    mpi->byte = symbol(mpi, "ompi_mpi_byte", &all);
#define MPI_FUNCTION(name) *(void **)&mpi->name = symbol(mpi, "MPI_" #name, &all);
#include "cli/processes_mpi.def"
#undef MPI_FUNCTION
    return all;
}

/* ---- parcels ---- */

static MPI_Request *new_request(struct mpi *mpi)
{
    PTO_GROW(mpi->request, mpi->requests, mpi->capacity);
    return &mpi->request[mpi->requests++];
}

static int piece(size_t size, size_t at)
{
    return (int)(size - at < MOST_BYTES ? size - at : MOST_BYTES);
}

static void receive(struct mpi *mpi, int from, struct pto_parcel *parcel)
{
    parcel->data = parcel->size ? pto_xmalloc(parcel->size) : NULL;
    for (size_t at = 0; at < parcel->size; at += MOST_BYTES)
        mpi->Irecv(parcel->data + at, piece(parcel->size, at), mpi->byte, from, 0, mpi->world,
                   new_request(mpi));
}

static void send(struct mpi *mpi, int to, const struct pto_parcel *parcel)
{
    for (size_t at = 0; at < parcel->size; at += MOST_BYTES)
        mpi->Isend(parcel->data + at, piece(parcel->size, at), mpi->byte, to, 0, mpi->world,
                   new_request(mpi));
}

/* Errors of MPI end all processes: that is its usual way. */
static void meet(void *context, const struct pto_parcel *out, struct pto_parcel *in)
{
    struct mpi *mpi = context;

    for (int p = 0; p < mpi->processes; p++) {
        memcpy(mpi->out[p].word, out[p].word, sizeof out[p].word);
        mpi->out[p].size = p == mpi->process ? 0 : out[p].size;
    }
    mpi->Alltoall(mpi->out, sizeof *mpi->out, mpi->byte, mpi->in, sizeof *mpi->in, mpi->byte,
                  mpi->world);
    mpi->requests = 0;
    for (int p = 0; p < mpi->processes; p++) {
        memcpy(in[p].word, mpi->in[p].word, sizeof in[p].word);
        in[p].size = mpi->in[p].size;
        receive(mpi, p, &in[p]);
    }
    for (int p = 0; p < mpi->processes; p++)
        if (p != mpi->process)
            send(mpi, p, &out[p]);
    if (mpi->requests)
        mpi->Waitall(mpi->requests, mpi->request, MPI_STATUSES_IGNORE);
}

/* ---- begin and end ---- */

static void free_mpi(struct mpi *mpi)
{
    free(mpi->out);
    free(mpi->in);
    free(mpi->request);
    free(mpi);
}

bool cli_mpi_open(struct cli_processes *p, const char **why)
{
    struct mpi *mpi = pto_xcalloc(1, sizeof *mpi);
    int threads;

    mpi->library = dlopen(PTO_LIBMPI, RTLD_NOW | RTLD_GLOBAL); /* its own parts look for it */
    if (!mpi->library || !find(mpi)) {
        *why = "this host has no " PTO_LIBMPI " of Open MPI (openmpi-bin), through which they meet";
        free(mpi);
        return false;
    }
    mpi->Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads);
    mpi->Comm_rank(mpi->world, &mpi->process);
    mpi->Comm_size(mpi->world, &mpi->processes);
    mpi->out = pto_xcalloc((size_t)mpi->processes, sizeof *mpi->out);
    mpi->in = pto_xcalloc((size_t)mpi->processes, sizeof *mpi->in);
    p->process = mpi->process;
    p->processes = mpi->processes;
    p->carrier.context = mpi;
    p->carrier.meet = meet;
    p->mpi = mpi;
    return true;
}

/* The library stays where it is: parts of it may have threads. */
void cli_mpi_close(struct mpi *mpi)
{
    if (!mpi)
        return;
    mpi->Finalize();
    free_mpi(mpi);
}
