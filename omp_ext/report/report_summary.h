/* Where the time of threads went: sums over loops, processes, nodes and jobs, and the efficiencies
 * that follow from them, in the terms of POP (https://co-design.pop-coe.eu/metrics).
 *
 *   figures -> [summarise] -> seconds that were useful and lost, efficiencies -> text, JSON
 *
 * Pure; any thread. */
#ifndef OMP_EXT_REPORT_REPORT_SUMMARY_H
#define OMP_EXT_REPORT_REPORT_SUMMARY_H

#include "omp_ext/report/report_figures.h"

/* One loop's. Each time is summed over threads:
 * threads * elapsed_s == busy_s + lost_s, lost_s == waited_s + claiming_s + other_s. */
struct keel_report_loss {
    double busy_s;
    double lost_s; /* 0 where measuring made it less */
    double waited_s;
    double claiming_s;
    double other_s;           /* coming to the loop, leaving it, what nothing above explains */
    double imbalance_percent; /* (max / mean - 1) * 100 of the threads' busy_s */
};

struct keel_report_loss keel_report_loss_of(const struct keel_report_loop *loop);

/* All factors are from 0 to 1, and
 *   parallel == mpi * openmp,  mpi == mpi_balance * mpi_communication,
 *   openmp == serial * balance * overhead.
 * Without useful time, and without time at all, they are 1. NAN: not known. Where the program's own
 * calls of MPI are not seen, they look like serial parts: of ranks, only what happens in regions is
 * known then, `balance` and `overhead`. */
struct keel_report_efficiency {
    double parallel;          /* useful time / (threads * elapsed) */
    double mpi;               /* time outside MPI / elapsed, in the mean of processes */
    double mpi_balance;       /* that time's mean / its maximum */
    double mpi_communication; /* its maximum / elapsed */
    double openmp;            /* useful time / (threads * time outside MPI) */
    double serial;   /* what would be reached if regions were useful in all threads throughout */
    double balance;  /* useful time / (useful time + waiting at the end of loops and at barriers) */
    double overhead; /* the rest: claiming, forking and joining, small teams */
};

/* Of processes together. Times are those of threads, in seconds:
 * threads * elapsed_s
 *     == useful_s + serial_s + waited_s + claiming_s + other_s + mpi_s + early_s. */
struct keel_report_summary {
    size_t processes;
    uint64_t threads; /* of their largest teams, together */
    double elapsed_s; /* of the process that took longest */
    bool of_ranks;
    bool mpi_seen;     /* of ranks: calls of MPI were measured on all of them */
    double useful_s;   /* in regions, and in serial parts by one thread each, but not of ranks whose
                          calls of MPI were not seen */
    double serial_s;   /* lost by all but one thread of each process in serial parts; of such ranks,
                          by all threads outside of regions: serial, or in MPI */
    double waited_s;   /* lost at the end of loops, and at barriers */
    double claiming_s; /* lost in getting chunks */
    double other_s;    /* lost in regions otherwise */
    double mpi_s;      /* lost in MPI: in Keel's operations, and what was seen of others */
    double early_s;    /* lost by processes that ended before the last one */
    struct keel_report_efficiency efficiency;
};

struct keel_report_summary keel_report_summarise(const struct keel_report_process *const *process,
                                                 size_t count);

#endif
