/* Tables of nodes and ranks, and of the program's calls of MPI by place, with advice on these. */
#include "omp_ext/report/report_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/text/text.h"

/* --- nodes and ranks --- */

#define RANKS_SHOWN 16

/* Prints a line of sums over some processes. */
static void print_sums(FILE *stream, const char *name, const struct keel_report_summary *summary)
{
    fprintf(stream, "  %-26.26s %7llu %9s %9s %9s %9s %9s\n", name,
            (unsigned long long)summary->threads, keel_report_seconds(summary->elapsed_s).text,
            keel_report_seconds(summary->useful_s).text,
            keel_report_seconds(summary->waited_s).text,
            keel_report_seconds(summary->serial_s).text, keel_report_seconds(summary->mpi_s).text);
}

/* If the program's calls of MPI were not measured, time outside regions is serial or in MPI. */
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
                     keel_text_plural(count));
            print_sums(stream, name, &summary);
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

/* The least loss of the RANKS_SHOWN ranks that lose most; -1 if all are shown. */
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
            print_sums(stream, name, &summary);
            shown++;
        }
    }
    if (shown < job->count) {
        fprintf(stream, "  %zu other ranks lose less (keel report --all shows them)\n",
                job->count - shown);
    }
}

/* --- calls of MPI --- */

#define CALLS_SHOWN 10
#define LEAST_PART 1e-3   /* of the job's time: calls below are not shown */
#define LATE_PART 0.5     /* a late rank spends at most this part of the others' mean in the call */
#define ADVISED_PART 0.05 /* of the job's time: no advice below; as KEEL_ADVICE_LOST_MIN */
#define RATIO_MAX 100.0
#define WAIT_PART 0.01 /* of the job's time: no late rank is named for calls below */

/* The call of the same function at the same place; NULL if there is none. */
static const struct keel_report_call *find(const struct keel_report_call *call, size_t count,
                                           const struct keel_report_call *like)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(call[i].name, like->name) == 0 && strcmp(call[i].place, like->place) == 0) {
            return &call[i];
        }
    }
    return NULL;
}

/* Adds a rank's call to `lines`, which have one sum over ranks for each call. */
static void add(struct keel_report_call *lines, size_t *count, const struct keel_report_call *call)
{
    const struct keel_report_call *known = find(lines, *count, call);

    if (known == NULL) {
        lines[(*count)++] = *call;
        return;
    }
    struct keel_report_call *line = &lines[known - lines];
    line->calls += call->calls;
    line->s += call->s;
    line->longest_s = fmax(line->longest_s, call->longest_s);
}

static int by_time(const void *a, const void *b)
{
    double left = ((const struct keel_report_call *)a)->s,
           right = ((const struct keel_report_call *)b)->s;

    return (left < right) - (left > right);
}

/* --- the rank that a call waits for --- */

/* The rank that spends least in the call, far less than the others; NULL if there is none. */
static const struct keel_report_process *late_rank(const struct keel_report_job *job,
                                                   const struct keel_report_call *line)
{
    const struct keel_report_process *least = NULL;
    double least_s = INFINITY, others_s;
    size_t ranks = 0;

    for (size_t i = 0; i < job->count; i++) {
        const struct keel_report_call *call =
            find(job->process[i]->call, job->process[i]->call_count, line);
        ranks += call != NULL;
        if (call != NULL && call->s < least_s) {
            least = job->process[i];
            least_s = call->s;
        }
    }
    others_s = ranks > 1 ? (line->s - least_s) / (double)(ranks - 1) : 0;
    return least_s < LATE_PART * others_s ? least : NULL;
}

static double region_s(const struct keel_report_process *process, const char *place)
{
    for (size_t i = 0; i < process->loop_count; i++) {
        const struct keel_report_loop *loop = &process->loop[i];
        if (loop->kind == KEEL_REPORT_REGION && strcmp(loop->place, place) == 0) {
            return loop->elapsed_s;
        }
    }
    return 0;
}

/* Time neither in regions nor in MPI. */
static double outside_s(const struct keel_report_process *process)
{
    return fmax(process->serial_s - (process->mpi_s - process->mpi_in_regions_s), 0);
}

static double more_outside_s(const struct keel_report_job *job,
                             const struct keel_report_process *late)
{
    double all_s = 0;

    for (size_t i = 0; i < job->count; i++) {
        all_s += outside_s(job->process[i]);
    }
    return outside_s(late) - all_s / (double)job->count;
}

/* The region in which the rank exceeds the mean of all ranks most, or `outside`; NULL if it exceeds
 * it nowhere. */
static const char *longest_part(const struct keel_report_job *job,
                                const struct keel_report_process *late, const char *outside)
{
    double most_s = fmax(more_outside_s(job, late), 0);
    const char *longest = most_s > 0 ? outside : NULL;

    for (size_t i = 0; i < late->loop_count; i++) {
        const struct keel_report_loop *loop = &late->loop[i];
        double all_s = 0;
        if (loop->kind != KEEL_REPORT_REGION || loop->nested) {
            continue;
        }
        for (size_t j = 0; j < job->count; j++) {
            all_s += region_s(job->process[j], loop->place);
        }
        double more_s = loop->elapsed_s - all_s / (double)job->count;
        if (more_s > most_s) {
            longest = loop->place;
            most_s = more_s;
        }
    }
    return longest;
}

static void print_wait(FILE *stream, const struct keel_report_job *job,
                       const struct keel_report_call *line)
{
    const struct keel_report_process *late = late_rank(job, line);
    static const char outside[] = "outside regions";

    if (late == NULL) {
        return;
    }
    const char *part = longest_part(job, late, outside);
    fprintf(stream, "%46swaits for rank %d", "", late->rank);
    if (part != NULL) {
        fprintf(stream, ", which is longest %s%.40s", part == outside ? "" : "in ", part);
    }
    fputs("\n", stream);
}

/* --- advice ---
 *
 * A rank's work is its time outside MPI. Let W be the most work of a rank, N the mean work per rank
 * of the node with most work, and M the mean of all ranks. Then equal work within nodes gains W -
 * N, and equal work of nodes gains N - M beyond that. The rest of the time in MPI has other
 * reasons. */

/* The most and the least, s. */
struct range {
    double most_s, least_s;
};

static void add_to_range(struct range *range, double s)
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

/* Adds the ranks of one node to the range; returns their mean work, s. */
static double add_node(const struct keel_report_process *const *process, size_t count,
                       struct range *ranks)
{
    double sum_s = 0;

    for (size_t i = 0; i < count; i++) {
        add_to_range(ranks, work_s(process[i]));
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

    if (fmax(within_s, between_s) < least_s && shared) {
        snprintf(text, KEEL_RANK_ADVICE_MAX,
                 "ranks have about equal work: they gain nothing from shared cores, which cost "
                 "short regions; start them without --share-cores");
    } else if (fmax(within_s, between_s) < least_s) {
        snprintf(text, KEEL_RANK_ADVICE_MAX,
                 "ranks have about equal work: what MPI takes is transfer, or ranks wait for each "
                 "other in turn; sums do not show which, KEEL_TRACE does");
    } else if (within_s >= between_s && shared) {
        text[0] = '\0'; /* waiting ranks already lend their cores */
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
            add_to_range(&of_nodes, add_node(node, count, &of_ranks));
            longest = of_ranks.most_s > longest.most_s ? of_ranks : longest;
        }
        elapsed_s += job->process[i]->elapsed_s;
        mpi_s += job->process[i]->mpi_s;
        all_s += work_s(job->process[i]);
        job_s = fmax(job_s, job->process[i]->elapsed_s);
    }
    free(node);
    bool shared = job->count > 0 && job->process[0]->shared_threads > 0;
    if (node != NULL && is_known(job) && elapsed_s > 0 &&
        (shared || mpi_s >= ADVISED_PART * elapsed_s)) {
        write_what(&longest, &of_nodes, all_s / (double)job->count, ADVISED_PART * job_s, shared,
                   text);
    }
}

/* --- all calls --- */

static void print_line(FILE *stream, const struct keel_report_call *line, double job_s)
{
    fprintf(stream, "  %9s %6.1f%% %9s %9s  %s %.60s\n", keel_report_seconds(line->s).text,
            job_s > 0 ? line->s / job_s * 100 : 0, keel_report_count(line->calls).text,
            keel_report_seconds(line->longest_s).text, line->name, line->place);
}

static void print_lines(FILE *stream, const struct keel_report_job *job,
                        struct keel_report_call *lines, size_t count, bool all)
{
    double job_s = 0;
    size_t shown = 0;

    for (size_t i = 0; i < job->count; i++) {
        job_s += job->process[i]->elapsed_s;
    }
    qsort(lines, count, sizeof *lines, by_time);
    fprintf(stream, "\ncalls of MPI, all ranks\n  %9s %7s %9s %9s  %s\n", "s", "of job", "calls",
            "longest s", "call");
    for (; shown < count; shown++) {
        if (!all && (shown >= CALLS_SHOWN || lines[shown].s < LEAST_PART * job_s)) {
            break;
        }
        print_line(stream, &lines[shown], job_s);
        if (lines[shown].s >= WAIT_PART * job_s) {
            print_wait(stream, job, &lines[shown]);
        }
    }
    if (shown < count) {
        fprintf(stream, "  %zu other place%s (keel report --all shows them)\n", count - shown,
                count - shown == 1 ? " takes less" : "s take less");
    }
}

void keel_report_print_calls(FILE *stream, const struct keel_report_job *job, bool all)
{
    size_t most = 0, count = 0;

    for (size_t i = 0; i < job->count; i++) {
        most += job->process[i]->call_count;
    }
    struct keel_report_call *lines = most > 0 ? calloc(most, sizeof *lines) : NULL;
    for (size_t i = 0; lines != NULL && i < job->count; i++) {
        for (size_t j = 0; j < job->process[i]->call_count; j++) {
            add(lines, &count, &job->process[i]->call[j]);
        }
    }
    if (count > 0) {
        char advice[KEEL_RANK_ADVICE_MAX];
        print_lines(stream, job, lines, count, all);
        keel_rank_advice_write(job, advice);
        keel_report_print_wrapped(stream, advice, 2, 4);
    }
    free(lines);
}
