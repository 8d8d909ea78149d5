/* The processes of a report, and all memory that their figures stand in.
 *
 *   recordings (recording_reader.c), JSON texts (report_json.h), sites (live_report.c)
 *     -> document -> [advice] -> text, JSON
 *
 * Plain memory; a document belongs to one thread. */
#ifndef OMP_EXT_REPORT_REPORT_DOCUMENT_H
#define OMP_EXT_REPORT_REPORT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/report/report_figures.h"
#include "schedules/forecast/advice.h"

/* {0} at first. */
struct keel_report_document {
    size_t count;
    const struct keel_report_process **process; /* `count` of them */
    struct keel_report_block *blocks;
    bool short_of_memory; /* some time, there was none */
};

/* Zeroed memory that is freed with the document; NULL: there is none. */
void *keel_report_memory(struct keel_report_document *document, size_t count, size_t size);

/* A copy of the first `length` bytes of `text`; "": there is no memory. */
const char *keel_report_copy(struct keel_report_document *document, const char *text,
                             size_t length);

/* Adds a process, which is zeroed; NULL: there is no memory. */
struct keel_report_process *keel_report_add_process(struct keel_report_document *document);

void keel_report_document_free(struct keel_report_document *document);

/* --- processes that belong together ---
 *
 * The ranks of one job, or a program by itself.
 *
 *   processes in any order -> [sort] -> jobs, ranks in order -> [next] -> text, JSON per job
 *
 * Pure; any thread. */

/* A job's processes in order of their ranks, or one program. */
struct keel_report_job {
    const struct keel_report_process *const *process;
    size_t count;
};

/* Orders the processes by job and rank; a rank that comes twice, as where files of two runs were
 * given, begins a job of its own. Programs by themselves stay in their order, behind the jobs. */
void keel_report_job_sort(const struct keel_report_process **process, size_t count);

/* The job that the sorted processes begin with; its count is 0 where there are none. */
struct keel_report_job keel_report_job_first(const struct keel_report_process *const *process,
                                             size_t count);

/* Writes the ranks of the job that are not there, as "1, 4 to 7", to `text`; "..." ends a list that
 * is too long. Returns how many they are. */
size_t keel_report_job_missing(const struct keel_report_job *job, char *text, size_t size);

/* How many nodes the job runs on. */
size_t keel_report_job_hosts(const struct keel_report_job *job);

/* Writes the processes of the node that job->process[first] runs on to `process`, which has room
 * for all; returns how many, or 0 where an earlier process of the job runs on that node. */
size_t keel_report_job_host(const struct keel_report_job *job, size_t first,
                            const struct keel_report_process **process);

/* --- where the time of threads went ---
 *
 * Sums over loops, processes, nodes and jobs, and the efficiencies that follow from them, in the
 * terms of POP (https://co-design.pop-coe.eu/metrics).
 *
 *   figures -> [summarise] -> seconds that were useful and lost, efficiencies -> text, JSON
 *
 * Pure; any thread. */

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

/* --- what follows from the figures of a process ---
 *
 * The time that chunks have cost, and what to do.
 *
 *   figures -> [complete] -> schedules/forecast/advice.h -> the same figures with `claiming_s`,
 *     `suggestion` and `gain_s` -> text, JSON
 *
 * Pure; any thread. */

/* The schedule in force, with the parameters that were measured; libgomp's own as that of Keel with
 * the same chunks, or nearly. False: it is not known, several were, or its chunks are not those of
 * single iterations. */
bool keel_report_schedule_of(const struct keel_report_loop *loop, struct keel_spec *spec);

/* The advice on a loop of the process. Takes up to some ms where costs are known along the loop, as
 * schedules are forecast; else nothing to speak of. */
struct keel_advice keel_report_advice_of(const struct keel_report_process *process,
                                         const struct keel_report_loop *loop);

/* Takes what chunks have cost from the time that threads have recorded as busy, and gives loops
 * their suggestions. process: of the document, as it was recorded. */
void keel_report_complete(struct keel_report_document *document,
                          const struct keel_report_process *process);

#endif
