/* The processes of a report, and the memory of their data.
 *
 *   recordings (recording_reader.c), JSON texts (report_json.c), sites (live_report.c)
 *     -> document -> [advice] -> text, JSON
 *
 * Plain memory; a document belongs to one thread. */
#ifndef OMP_EXT_REPORT_REPORT_DOCUMENT_H
#define OMP_EXT_REPORT_REPORT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/report/report_data.h"
#include "schedules/forecast/advice.h"

/* {0} at first. */
struct keel_report_document {
    size_t count;
    const struct keel_report_process **process; /* `count` of them */
    struct keel_report_block *blocks;
    bool short_of_memory; /* an allocation has failed */
};

/* Returns zeroed memory that is freed with the document; NULL if there is none. */
void *keel_report_memory(struct keel_report_document *document, size_t count, size_t size);

/* Returns a copy of the first `length` bytes of `text`; "" if there is no memory. */
const char *keel_report_copy(struct keel_report_document *document, const char *text,
                             size_t length);

/* Adds a process, which is zeroed; returns NULL if there is no memory. */
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

/* Orders the processes by job and rank; a repeated rank, as in the files of two runs, begins a job
 * of its own. Programs by themselves keep their order, after the jobs. */
void keel_report_job_sort(const struct keel_report_process **process, size_t count);

/* The first job of the sorted processes; its count is 0 if there are none. */
struct keel_report_job keel_report_job_first(const struct keel_report_process *const *process,
                                             size_t count);

/* Writes the missing ranks of the job, as "1, 4 to 7", to `text`; "..." ends a list that is too
 * long. Returns the number of missing ranks. */
size_t keel_report_job_missing(const struct keel_report_job *job, char *text, size_t size);

/* The number of nodes of the job. */
size_t keel_report_job_hosts(const struct keel_report_job *job);

/* Writes the processes of the node of job->process[first] to `process`, which has room for all.
 * Returns their number, or 0 if an earlier process of the job runs on that node. */
size_t keel_report_job_host(const struct keel_report_job *job, size_t first,
                            const struct keel_report_process **process);

/* --- useful and lost time of threads ---
 *
 * Sums over loops, processes, nodes and jobs, and the efficiencies that follow from them, in the
 * terms of POP (https://co-design.pop-coe.eu/metrics).
 *
 *   report data -> [summarise] -> useful and lost seconds, efficiencies -> text, JSON
 *
 * Pure; any thread. */

struct keel_report_loss keel_report_loss_of(const struct keel_report_loop *loop);

struct keel_report_summary keel_report_summarise(const struct keel_report_process *const *process,
                                                 size_t count);

/* --- results from the report data of a process ---
 *
 * The time to get chunks, and advice.
 *
 *   report data -> [complete] -> schedules/forecast/advice.h -> the same with `claiming_s`,
 *     `suggestion` and `gain_s` -> text, JSON
 *
 * Pure; any thread. */

/* The schedule in force, with measured parameters; for one of libgomp, that of Keel with the same
 * chunks, or nearly. Returns false if it is not known, there were several, or it has a grain. */
bool keel_report_schedule_of(const struct keel_report_loop *loop, struct keel_spec *spec);

/* The advice on a loop of the process. Takes up to some ms if costs are known along the loop, as
 * schedules are forecast; otherwise its time is negligible. */
struct keel_advice keel_report_advice_of(const struct keel_report_process *process,
                                         const struct keel_report_loop *loop);

/* Subtracts the cost of chunks from the recorded busy time of threads, and adds suggestions to
 * loops. process: of the document, as it was recorded. */
void keel_report_complete(struct keel_report_document *document,
                          const struct keel_report_process *process);

#endif
