/* Advice on ranks.
 *
 * A rank's work is its time outside MPI. If the longest rank has W, the node with most work has a
 * mean of N for each of its ranks, and all ranks have one of M, then W - N is what equal work
 * within nodes gains, and N - M what equal work of nodes gains beyond that. What is left of MPI's
 * time has other reasons. */
#include "omp_ext/report/rank_advice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LEAST_PART 0.05 /* of the job's time: as KEEL_ADVICE_LOST_MIN, of loops */
#define RATIO_MAX 100.0

/* The most and the least, s. */
struct range {
    double most_s, least_s;
};

static void add(struct range *range, double s)
{
    range->most_s = fmax(range->most_s, s);
    range->least_s = fmin(range->least_s, s);
}

static double ratio(const struct range *range)
{
    return fmin(range->most_s / fmax(range->least_s, range->most_s / RATIO_MAX), RATIO_MAX);
}

static double work_s(const struct keel_report_process *process)
{
    return fmax(process->elapsed_s - process->mpi_s, 0);
}

/* The ranks of one node; returns their mean. */
static double add_node(const struct keel_report_process *const *process, size_t count,
                       struct range *ranks)
{
    double sum_s = 0;

    for (size_t i = 0; i < count; i++) {
        add(ranks, work_s(process[i]));
        sum_s += work_s(process[i]);
    }
    return sum_s / (double)count;
}

static bool is_known(const struct keel_report_job *job)
{
    bool known = job->count > 1 && job->count == (size_t)job->process[0]->ranks;

    for (size_t i = 0; i < job->count; i++) {
        known = known && job->process[i]->mpi_seen;
    }
    return known;
}

static void write_what(const struct range *of_ranks, const struct range *of_nodes, double mean_s,
                       double least_s, bool shared, char *text)
{
    double within_s = of_ranks->most_s - of_nodes->most_s, between_s = of_nodes->most_s - mean_s;

    if (fmax(within_s, between_s) < least_s) {
        snprintf(text, KEEL_RANK_ADVICE_MAX,
                 "ranks have about equal work: what MPI takes is transfer, or ranks wait for each "
                 "other in turn; sums cannot tell which, KEEL_TRACE shows it");
    } else if (within_s >= between_s && shared) {
        text[0] = '\0'; /* whoever waits lends its cores */
    } else if (within_s >= between_s) {
        snprintf(text, KEEL_RANK_ADVICE_MAX,
                 "ranks' work is as %.1f:1 on one node: share this node's cores, keel run "
                 "--share-cores -- mpirun ... (up to %.3f s less)",
                 ratio(of_ranks), within_s);
    } else {
        snprintf(text, KEEL_RANK_ADVICE_MAX,
                 "nodes' work is as %.1f:1: balance with keel_mpi rows or shared loops (up to %.3f "
                 "s less)",
                 ratio(of_nodes), between_s);
    }
}

void keel_rank_advice_write(const struct keel_report_job *job, char *text)
{
    const struct keel_report_process **node = calloc(job->count + 1, sizeof *node);
    struct range longest = {0}, of_nodes = {0, INFINITY};
    double elapsed_s = 0, mpi_s = 0, all_s = 0, job_s = 0;

    text[0] = '\0';
    for (size_t i = 0; node != NULL && i < job->count; i++) {
        size_t count = keel_report_job_host(job, i, node);
        struct range of_ranks = {0, INFINITY};
        if (count > 0) {
            add(&of_nodes, add_node(node, count, &of_ranks));
            longest = of_ranks.most_s > longest.most_s ? of_ranks : longest;
        }
        elapsed_s += job->process[i]->elapsed_s;
        mpi_s += job->process[i]->mpi_s;
        all_s += work_s(job->process[i]);
        job_s = fmax(job_s, job->process[i]->elapsed_s);
    }
    free(node);
    if (node != NULL && is_known(job) && mpi_s >= LEAST_PART * elapsed_s && elapsed_s > 0) {
        write_what(&longest, &of_nodes, all_s / (double)job->count, LEAST_PART * job_s,
                   job->process[0]->shared_threads > 0, text);
    }
}
