/* The processes of a report, and all memory that their figures stand in.
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

struct keel_report_loss keel_report_loss_of(const struct keel_report_loop *loop);

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
