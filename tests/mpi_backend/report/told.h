/* What libkeel_mpi.so tells the report of its process. A program that includes this stands in for
 * libkeel.so where the two meet; link it so that its functions can be found by name. */
#ifndef TESTS_MPI_BACKEND_REPORT_TOLD_H
#define TESTS_MPI_BACKEND_REPORT_TOLD_H

#include <string.h>
#include <time.h>

#include "omp_ext/report/ranks.h"
#include "tests/support/check.h"

static keel_report_ranks_provider *told_by; /* NULL: nobody has come yet */
static unsigned told_times;                 /* that somebody came */

bool keel_report_meet(uint32_t version, keel_report_ranks_provider *provider, uint32_t *newest)
{
    *newest = KEEL_REPORT_RANKS_VERSION;
    CHECK(version == KEEL_REPORT_RANKS_VERSION, "version %u", version);
    told_by = provider;
    told_times++;
    return true;
}

static inline double told_now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What is told now, of a process that began then. */
static inline struct keel_report_ranks told_figures(double began_s)
{
    struct keel_report_ranks ranks = {0};

    CHECK(told_by != NULL && told_by(began_s, &ranks), "nothing is told");
    return ranks;
}

#endif
