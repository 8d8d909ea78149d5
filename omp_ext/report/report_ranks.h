/* What the layer across ranks adds to the report of its process.
 *
 *   libkeel_mpi.so -> keel_report_meet() -> provider -> [ranks] -> recorder -> document
 *
 * libkeel_mpi.so does not link libkeel.so: it finds keel_report_meet() by dlsym(), where that is in
 * the process. As with lending.h, the two may be of different releases, so they agree on a version
 * of this file before anything else. */
#ifndef OMP_EXT_REPORT_REPORT_RANKS_H
#define OMP_EXT_REPORT_REPORT_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/report/report_figures.h"

/* Changes with anything that is declared here, and with the structures of report_figures.h that are
 * named here. */
#define KEEL_REPORT_RANKS_VERSION 2

/* Members are as in struct keel_report_process. */
struct keel_report_ranks {
    int rank, ranks;
    double mpi_s, mpi_in_regions_s;
    size_t shared_count;
    const struct keel_report_shared *shared;
    size_t rows_count;
    const struct keel_report_rows *rows;
    size_t objects_count;
    const struct keel_report_objects *objects;
};

/* Fills in what there is by now; all of it stays valid until the next call. began_s: what
 * CLOCK_MONOTONIC said when the process began, in s, from which times of decisions count. False:
 * there is nothing yet. Called by one thread at a time, any one, also when MPI has been
 * finalised. */
typedef bool keel_report_ranks_provider(double began_s, struct keel_report_ranks *ranks);

/* Has the report of this process ask that provider, from now on and in place of an earlier one.
 * False: this libkeel.so does not know that version of this file. *newest: the latest that it
 * knows. The form of this function never changes. Any thread. */
bool keel_report_meet(uint32_t version, keel_report_ranks_provider *provider, uint32_t *newest);

/* --- the program's calls of MPI: libkeel_mpi_calls.so --- */

/* Changes with anything that is declared below. */
#define KEEL_REPORT_CALLS_VERSION 2

/* One place that calls. Members are as in struct keel_report_call. */
struct keel_report_measured_call {
    const void *caller; /* return address; NULL: several */
    const char *name;
    uint64_t calls;
    double s, longest_s;
};

struct keel_report_calls {
    int rank, ranks;
    double mpi_s, mpi_in_regions_s;
    unsigned shared_threads, own_threads;
    double met_s;
    size_t count;
    const struct keel_report_measured_call *call;
};

/* As keel_report_ranks_provider. */
typedef bool keel_report_calls_provider(struct keel_report_calls *calls);

/* Has the report of this process ask that provider. False: there will be no report, or this
 * libkeel.so does not know that version. Any thread. */
bool keel_report_meet_calls(uint32_t version, keel_report_calls_provider *provider);

/* --- */

/* For the report: asks the provider. False: there is none, or nothing yet, and *ranks is as of rank
 * 0 of 1. */
bool keel_report_ranks(double began_s, struct keel_report_ranks *ranks);

#endif
