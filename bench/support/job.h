/* What ranks do where something is wrong: the job ends. */
#ifndef BENCH_SUPPORT_JOB_H
#define BENCH_SUPPORT_JOB_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the job unless `code` is KEEL_MPI_OK; Keel has said what is wrong. */
static inline void job_check(int code)
{
    if (code != 0) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        exit(1);
    }
}

/* Memory, all 0; ends the job where there is none. */
static inline void *job_room(uint64_t count, uint64_t size)
{
    void *room = calloc(count > 0 ? count : 1, size > 0 ? size : 1);

    if (room == NULL) {
        fprintf(stderr, "keel: no memory for %llu x %llu bytes\n", (unsigned long long)count,
                (unsigned long long)size);
        MPI_Abort(MPI_COMM_WORLD, 1);
        exit(1);
    }
    return room;
}

#endif
