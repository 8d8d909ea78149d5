/* The reaction of ranks to errors: the job ends. */
#ifndef BENCH_SUPPORT_JOB_H
#define BENCH_SUPPORT_JOB_H

#include <mpi.h>
#include <stdlib.h>

#include "bench/support/support.h"

/* Ends the job unless `code` is KEEL_MPI_OK; Keel has printed the error. */
static inline void job_check(int code)
{
    if (code != 0) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        exit(1);
    }
}

#endif
