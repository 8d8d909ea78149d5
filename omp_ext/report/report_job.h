/* Processes that belong together: the ranks of one job, or a program by itself.
 *
 *   processes in any order -> [sort] -> jobs, ranks in order -> [next] -> text, JSON per job
 *
 * Pure; any thread. */
#ifndef OMP_EXT_REPORT_REPORT_JOB_H
#define OMP_EXT_REPORT_REPORT_JOB_H

#include "omp_ext/report/report_figures.h"

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

#endif
