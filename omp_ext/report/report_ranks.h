/* What the layer across ranks adds to the report of its process.
 *
 *   libkeel_mpi.so -> keel_report_meet() -> provider -> [live_report.c] -> document
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
#define KEEL_REPORT_RANKS_VERSION 3

/* Sets rank, ranks, mpi_s, mpi_in_regions_s, shared, rows and objects to what there is by now; all
 * of it stays valid until the next call. began_s: what CLOCK_MONOTONIC said when the process began,
 * in s, from which times of decisions count. False: there is nothing yet. Called by one thread at a
 * time, any one, also when MPI has been finalised. */
typedef bool keel_report_ranks_provider(double began_s, struct keel_report_process *process);

/* Has the report of this process ask that provider, from now on and in place of an earlier one.
 * False: this libkeel.so does not know that version of this file. *newest: the latest that it
 * knows. The form of this function never changes. Any thread. */
bool keel_report_meet(uint32_t version, keel_report_ranks_provider *provider, uint32_t *newest);

/* --- the program's calls of MPI: libkeel_mpi_calls.so --- */

/* Changes with anything that is declared below, and as above. */
#define KEEL_REPORT_CALLS_VERSION 3

/* Likewise: sets rank, ranks, mpi_seen, shared_threads, own_threads, met_s and call, whose places
 * the report finds by `caller`, and adds to mpi_s and mpi_in_regions_s. */
typedef bool keel_report_calls_provider(struct keel_report_process *process);

/* Has the report of this process ask that provider. False: there will be no report, or this
 * libkeel.so does not know that version. Any thread. */
bool keel_report_meet_calls(uint32_t version, keel_report_calls_provider *provider);

#endif
