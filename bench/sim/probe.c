/* MPI_Probe in simulated jobs of pipelined sweeps, which wait for the size of blocks by it. */
#include <mpi.h>
#include <time.h>

/* SMPI looks for the message every smpi/iprobe until it is there, which takes long to simulate if
 * ranks wait much longer than that. The linker redirects it to here: it looks at intervals of 1 %
 * of the waiting time so far. */
int __wrap_MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
int __wrap_MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    double begun_s = MPI_Wtime();
    int found = 0;

    while (MPI_Iprobe(source, tag, comm, &found, status), !found) {
        nanosleep(&(struct timespec){.tv_nsec = (long)((MPI_Wtime() - begun_s) * 1e7)}, NULL);
    }
    return MPI_SUCCESS;
}
