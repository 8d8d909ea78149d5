/* Waits for other ranks, for reports and traces: how long, and when.
 *
 *   peers.c, waits of shared loops -> [waits] -> report/process.c, events.h
 *
 * Any thread. */
#ifndef MPI_BACKEND_REPORT_WAITS_H
#define MPI_BACKEND_REPORT_WAITS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a report or a trace wants to know. */
bool keel_mpi_waits_observed(void);

/* When one began, by the clocks of clock.h and of the trace; all 0: nobody wants to know. */
struct keel_mpi_span {
    double ns;
    uint64_t ticks;
};

struct keel_mpi_span keel_mpi_waits_begin(void);

/* It ends now, and took so many ns; 0: nobody wants to know. loop: the name of the one that it was
 * in; NULL: none. counts: as time of the process, not only of one of its threads. */
double keel_mpi_waits_end(struct keel_mpi_span began, const char *loop, bool counts);

/* The process has waited so many ns, until now. By a thread that did. */
void keel_mpi_waits_add(double ns);

/* What that comes to, and the time of those that count, so far; in s. */
struct keel_mpi_waited {
    double s;            /* all of it */
    double in_regions_s; /* of that, in parallel regions, where libkeel.so tells */
};

struct keel_mpi_waited keel_mpi_waits_sum(void);

/* From now on asks and tells libkeel.so's keel_report_waited(), of observed_loop.h. */
void keel_mpi_waits_tell(bool (*waited)(double ns));

#endif
