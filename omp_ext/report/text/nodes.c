/* Nodes and ranks, a line each. */
#include "omp_ext/report/text/print.h"

#include <stdbool.h>
#include <stdlib.h>

#define RANKS_SHOWN 16

/* A line with what some processes have done. */
static void print_line(FILE *stream, const char *name, const struct keel_report_summary *summary)
{
    fprintf(stream, "  %-26.26s %7llu %9s %9s %9s %9s %9s\n", name,
            (unsigned long long)summary->threads, keel_report_seconds(summary->elapsed_s).text,
            keel_report_seconds(summary->useful_s).text,
            keel_report_seconds(summary->waited_s).text,
            keel_report_seconds(summary->serial_s).text, keel_report_seconds(summary->mpi_s).text);
}

/* Serial parts and, where they are not seen, the program's calls of MPI are what is outside
 * regions. */
static void print_head(FILE *stream, const char *what, bool mpi_seen)
{
    fprintf(stream, "  %-26s %7s %9s %9s %9s %9s %9s\n", "", "", "clock s", "thread s", "thread s",
            "thread s", "thread s");
    fprintf(stream, "  %-26s %7s %9s %9s %9s %9s %9s\n", what, "threads", "time", "useful",
            "waiting", mpi_seen ? "serial" : "outside", mpi_seen ? "MPI" : "Keel MPI");
}

static void print_nodes(FILE *stream, const struct keel_report_job *job)
{
    const struct keel_report_process **of_host = calloc(job->count + 1, sizeof(void *));

    print_head(stream, "node", job->process[0]->mpi_seen);
    for (size_t first = 0; of_host != NULL && first < job->count; first++) {
        size_t count = keel_report_job_host(job, first, of_host);
        char name[64];
        if (count > 0) {
            struct keel_report_summary summary = keel_report_summarise(of_host, count);
            snprintf(name, sizeof name, "%.15s (%zu rank%s)", job->process[first]->host, count,
                     count == 1 ? "" : "s");
            print_line(stream, name, &summary);
        }
    }
    fputs("\n", stream);
    free(of_host);
}

static double lost_by(const struct keel_report_process *process)
{
    struct keel_report_summary summary = keel_report_summarise(&process, 1);

    return summary.threads * summary.elapsed_s - summary.useful_s;
}

static int descending(const void *first, const void *second)
{
    double a = *(const double *)first, b = *(const double *)second;

    return (a < b) - (a > b);
}

/* What a rank has to lose to be shown: as much as the last of the RANKS_SHOWN that lose most. */
static double least_shown(const struct keel_report_job *job, bool all)
{
    double *lost = all || job->count <= RANKS_SHOWN ? NULL : calloc(job->count, sizeof *lost);
    double least = -1;

    for (size_t i = 0; lost != NULL && i < job->count; i++) {
        lost[i] = lost_by(job->process[i]);
    }
    if (lost != NULL) {
        qsort(lost, job->count, sizeof *lost, descending);
        least = lost[RANKS_SHOWN - 1];
    }
    free(lost);
    return least;
}

void keel_report_print_ranks(FILE *stream, const struct keel_report_job *job, bool all)
{
    const double least = least_shown(job, all);
    size_t shown = 0;

    if (keel_report_job_hosts(job) > 1) {
        print_nodes(stream, job);
    }
    print_head(stream, "rank", job->process[0]->mpi_seen);
    for (size_t i = 0; i < job->count; i++) {
        const struct keel_report_process *process = job->process[i];
        struct keel_report_summary summary = keel_report_summarise(&process, 1);
        char name[64];
        if (lost_by(process) >= least && (all || shown < RANKS_SHOWN)) {
            snprintf(name, sizeof name, "%d on %.18s%s", process->rank, process->host,
                     process->complete ? "" : " *");
            print_line(stream, name, &summary);
            shown++;
        }
    }
    if (shown < job->count) {
        fprintf(stream, "  %zu other ranks lose less (keel report --all shows them)\n",
                job->count - shown);
    }
}
