/* The data of a report: the time of a program by loop and thread.
 *
 *   recorder (in the process) -> report data -> JSON -> [parts of a job] -> text, comparison
 *
 * Plain data without clock, thread or file. Times are in seconds. Names stay valid as long as the
 * document that they are part of. */
#ifndef OMP_EXT_REPORT_REPORT_DATA_H
#define OMP_EXT_REPORT_REPORT_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum keel_report_kind {
    KEEL_REPORT_REGION, /* a parallel construct, from fork to join */
    KEEL_REPORT_LOOP,   /* a work-sharing loop that calls libgomp or Keel */
    KEEL_REPORT_PART    /* a part of a region that ends at a barrier: static loops among others */
};

/* `schedule` of loops that the compiler divides, and of loops that the ranks of a job share. */
#define KEEL_REPORT_BY_THE_COMPILER "static by the compiler"
#define KEEL_REPORT_BY_RANKS "shared by ranks"

/* clang-format off */
#define STRUCTURE(structure) struct keel_report_##structure {
#define END(structure) };
#define TEXT(structure, field) const char *field;
#define TIME(structure, field) double field;
#define REAL TIME
#define FACTOR TIME
#define COUNT(structure, field) uint64_t field;
#define NUMBER(structure, field) uint32_t field;
#define WHOLE(structure, field) int field;
#define BOOL(structure, field) bool field;
#define KIND(structure, field) enum keel_report_kind field;
#define OBJECT(structure, field) struct keel_report_##field field;
#define OBJECTS(structure, field) size_t field##_count; const struct keel_report_##field *field;
#define TEAM(structure, field) const struct keel_report_##field *field;
#define TIMES(structure, field) size_t field##_count; const double *field;
#define LOCAL(type, field) type field;
/* clang-format on */
#include "omp_ext/report/report_fields.def"

/* --- data that the MPI layer adds to the report of its process ---
 *
 *   libkeel_mpi.so -> keel_report_meet() -> provider -> [live_report.c] -> document
 *
 * libkeel_mpi.so does not link libkeel.so: it finds keel_report_meet() by dlsym(), if that is in
 * the process. As with lending.h, the two may be of different releases, so they first agree on a
 * version of this file. */

/* Changes with anything that is declared here, and with the structures that are named here. */
#define KEEL_REPORT_RANKS_VERSION 3

/* Sets rank, ranks, mpi_s, mpi_in_regions_s, shared, rows and objects to their present values,
 * which stay valid until the next call. began_s: CLOCK_MONOTONIC at the start of the process, s,
 * from which times of decisions count. Returns false if there are no data yet. Called by one thread
 * at a time, any one, also after MPI has been finalised. */
typedef bool keel_report_ranks_provider(double began_s, struct keel_report_process *process);

/* Registers the provider for the report of this process, in place of an earlier one. Returns false
 * if this libkeel.so does not support that version of this file. *newest: the latest version that
 * it supports. The signature of this function never changes. Any thread. */
bool keel_report_meet(uint32_t version, keel_report_ranks_provider *provider, uint32_t *newest);

/* --- the program's calls of MPI: libkeel_mpi_calls.so --- */

/* Changes with anything that is declared below, and with the structures that are named there. */
#define KEEL_REPORT_CALLS_VERSION 3

/* As above: sets rank, ranks, mpi_seen, shared_threads, own_threads, met_s and call, whose places
 * the report finds by `caller`, and adds to mpi_s and mpi_in_regions_s. */
typedef bool keel_report_calls_provider(struct keel_report_process *process);

/* Registers the provider for the report of this process. Returns false if there will be no report
 * or this libkeel.so does not support that version. Any thread. */
bool keel_report_meet_calls(uint32_t version, keel_report_calls_provider *provider);

#endif
