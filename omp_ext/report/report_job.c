/* Jobs, and the useful and lost time of their threads. */
#include "omp_ext/report/report_document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/text/text.h"

/* --- jobs --- */

static const char *name_of(const char *text)
{
    return text != NULL ? text : "";
}

/* Compares jobs by the launcher's name, or by program without one, then by number of ranks. */
static int compare_jobs(const struct keel_report_process *a, const struct keel_report_process *b)
{
    int by_name = strcmp(name_of(a->job), name_of(b->job));

    if (by_name == 0 && name_of(a->job)[0] == '\0') {
        by_name = strcmp(name_of(a->program), name_of(b->program));
    }
    if (by_name != 0) {
        return by_name;
    }
    return (a->ranks > b->ranks) - (a->ranks < b->ranks);
}

static bool is_rank(const struct keel_report_process *process)
{
    return process->ranks > 1;
}

struct place {
    const struct keel_report_process *process;
    size_t given;
    size_t repeated; /* number of earlier ones of the same job and rank */
};

static int compare(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int by_job(const void *first, const void *second)
{
    const struct place *a = first, *b = second;

    if (!is_rank(a->process) || !is_rank(b->process)) {
        int ranks_first = (int)is_rank(b->process) - (int)is_rank(a->process);
        return ranks_first != 0 ? ranks_first : compare(a->given, b->given);
    }
    int job = compare_jobs(a->process, b->process);
    int turn = compare(a->repeated, b->repeated);
    return job != 0    ? job
           : turn != 0 ? turn
                       : compare((size_t)a->process->rank, (size_t)b->process->rank);
}

static size_t count_repeated(const struct keel_report_process *const *process, size_t index)
{
    size_t repeated = 0;

    for (size_t i = 0; i < index && is_rank(process[index]); i++) {
        repeated += process[i]->rank == process[index]->rank &&
                    compare_jobs(process[i], process[index]) == 0;
    }
    return repeated;
}

void keel_report_job_sort(const struct keel_report_process **process, size_t count)
{
    struct place *place = calloc(count + 1, sizeof *place);

    if (place == NULL) {
        return; /* in their present order */
    }
    for (size_t i = 0; i < count; i++) {
        place[i] = (struct place){process[i], i, count_repeated(process, i)};
    }
    qsort(place, count, sizeof *place, by_job);
    for (size_t i = 0; i < count; i++) {
        process[i] = place[i].process;
    }
    free(place);
}

struct keel_report_job keel_report_job_first(const struct keel_report_process *const *process,
                                             size_t count)
{
    size_t own = count > 0 ? 1 : 0;

    while (own > 0 && own < count && is_rank(process[0]) && is_rank(process[own]) &&
           compare_jobs(process[0], process[own]) == 0 &&
           process[own]->rank > process[own - 1]->rank) {
        own++;
    }
    return (struct keel_report_job){process, own};
}

/* Appends the ranks [first, end). */
static size_t list_gap(int first, int end, char *text, size_t size, size_t length)
{
    const char *comma = length > 0 ? ", " : "";

    if (end - first == 1) {
        return keel_text_append(text, size, length, "%s%d", comma, first);
    }
    return keel_text_append(text, size, length, "%s%d to %d", comma, first, end - 1);
}

size_t keel_report_job_missing(const struct keel_report_job *job, char *text, size_t size)
{
    const int ranks = job->count > 0 ? job->process[0]->ranks : 0;
    size_t length = 0, missing = 0;
    int expected = 0;

    text[0] = '\0';
    for (size_t i = 0; i <= job->count; i++) {
        int next = i < job->count ? job->process[i]->rank : ranks;
        if (next > expected && length + 40 < size) {
            length = list_gap(expected, next, text, size, length);
        } else if (next > expected && text[length - 1] != '.') {
            length = keel_text_append(text, size, length, ", ...");
        }
        missing += next > expected ? (size_t)(next - expected) : 0;
        expected = i < job->count ? next + 1 : next;
    }
    return missing;
}

static bool same_host(const struct keel_report_process *a, const struct keel_report_process *b)
{
    return strcmp(name_of(a->host), name_of(b->host)) == 0;
}

size_t keel_report_job_hosts(const struct keel_report_job *job)
{
    size_t hosts = 0;

    for (size_t i = 0; i < job->count; i++) {
        size_t before = 0;
        while (before < i && !same_host(job->process[before], job->process[i])) {
            before++;
        }
        hosts += before == i;
    }
    return hosts;
}

size_t keel_report_job_host(const struct keel_report_job *job, size_t first,
                            const struct keel_report_process **process)
{
    size_t count = 0;

    for (size_t i = 0; i < job->count; i++) {
        if (same_host(job->process[i], job->process[first])) {
            process[count++] = job->process[i];
        }
        if (i < first && count > 0) {
            return 0;
        }
    }
    return count;
}

/* --- sums of times, and efficiencies ---
 *
 * A process of T threads has E seconds. Of these, X are in MPI, I of which in regions, S =
 * max(serial - (X - I), 0) outside of all regions, and R = E - X - S in regions. In regions, its
 * threads are busy for B seconds in sum, wait for W, and claim for C, without the T * I that they
 * wait in MPI. If threads other than the initial one open regions, teams run at the same time; T
 * then counts the threads of all of them. */

#define TEAMS_MAX 4096.0 /* at the same time */

/* `value` clamped to 0 .. highest; 0 for NAN. */
static double within(double value, double highest)
{
    return value > 0 ? (value < highest ? value : highest) : 0;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? within(part / whole, 1) : 1;
}

/* --- loops --- */

static double imbalance_percent(double sum, double most, uint32_t threads)
{
    return sum > 0 && threads > 0 ? max_real(most / (sum / threads) - 1, 0) * 100 : 0;
}

struct keel_report_loss keel_report_loss_of(const struct keel_report_loop *loop)
{
    struct keel_report_loss loss = {0};
    double most = 0;

    for (uint32_t i = 0; loop->thread != NULL && i < loop->threads; i++) {
        const struct keel_report_thread *thread = &loop->thread[i];
        loss.busy_s += thread->busy_s;
        loss.waited_s += thread->waited_s;
        loss.claiming_s += thread->claiming_s;
        most = max_real(most, thread->busy_s);
    }
    loss.lost_s =
        loop->thread != NULL ? max_real(loop->threads * loop->elapsed_s - loss.busy_s, 0) : 0;
    loss.waited_s = within(loss.waited_s, loss.lost_s);
    loss.claiming_s = within(loss.claiming_s, loss.lost_s - loss.waited_s);
    loss.other_s = max_real(loss.lost_s - loss.waited_s - loss.claiming_s, 0);
    loss.imbalance_percent = imbalance_percent(loss.busy_s, most, loop->threads);
    return loss;
}

/* --- processes --- */

/* The times of the comment above. */
struct times {
    double threads, elapsed, outside, serial, regions, busy, waited, claiming;
    double useful; /* of the serial part */
};

/* Outer regions include the time of nested ones. */
static void add_regions(const struct keel_report_process *process, struct times *times)
{
    for (size_t i = 0; i < process->loop_count; i++) {
        const struct keel_report_loop *loop = &process->loop[i];
        if (loop->kind == KEEL_REPORT_REGION && !loop->nested) {
            struct keel_report_loss loss = keel_report_loss_of(loop);
            times->busy += loss.busy_s;
            times->waited += loss.waited_s;
            times->claiming += loss.claiming_s;
        }
    }
}

/* A process counts the time of its initial thread outside of regions as serial. If regions took
 * longer than the rest, other threads have opened some. */
static void count_teams(const struct keel_report_process *process, struct times *times)
{
    double in_regions = 0;

    for (size_t i = 0; i < process->loop_count; i++) {
        const struct keel_report_loop *loop = &process->loop[i];
        in_regions += loop->kind == KEEL_REPORT_REGION && !loop->nested ? loop->elapsed_s : 0;
    }
    if (in_regions > 1.01 * (process->elapsed_s - process->serial_s) && times->outside > 0) {
        double teams = in_regions / fmin(in_regions, times->outside);
        times->serial = max_real(times->outside - in_regions, 0);
        times->threads *= max_real(ceil(within(teams, TEAMS_MAX) - 0.01), 1);
    }
}

static struct times times_of(const struct keel_report_process *process)
{
    struct times times = {.threads = process->threads > 0 ? process->threads : 1};

    times.elapsed = max_real(process->elapsed_s, 0);
    double mpi = within(process->mpi_s, times.elapsed);
    times.outside = times.elapsed - mpi;
    double in_regions = within(process->mpi_in_regions_s, mpi);
    times.serial = within(process->serial_s - (mpi - in_regions), times.outside);
    count_teams(process, &times);
    times.regions = times.outside - times.serial;
    times.useful = process->ranks > 1 && !process->mpi_seen ? 0 : times.serial;
    add_regions(process, &times);
    double capacity = times.threads * times.regions;
    times.busy = within(times.busy, capacity);
    times.waited = within(times.waited - times.threads * in_regions, capacity - times.busy);
    times.claiming = within(times.claiming, capacity - times.busy - times.waited);
    return times;
}

/* Sums over processes; spans of a process are weighted with its threads. */
struct sums {
    double longest, longest_outside;
    double threads, elapsed, outside, perfect, useful, waited, claiming;
};

static void add(struct sums *sums, const struct times *times)
{
    sums->longest = max_real(sums->longest, times->elapsed);
    sums->longest_outside = max_real(sums->longest_outside, times->outside);
    sums->threads += times->threads;
    sums->elapsed += times->threads * times->elapsed;
    sums->outside += times->threads * times->outside;
    sums->perfect += times->useful + times->threads * times->regions;
    sums->useful += times->useful + times->busy;
    sums->waited += times->waited;
    sums->claiming += times->claiming;
}

/* unseen: some rank's calls of MPI were not measured. */
static struct keel_report_efficiency efficiency_of(const struct sums *sums, bool unseen)
{
    struct keel_report_efficiency efficiency = {
        .mpi_balance = unseen ? NAN : ratio(sums->outside, sums->threads * sums->longest_outside),
        .mpi_communication = unseen ? NAN : ratio(sums->longest_outside, sums->longest),
        .serial = unseen ? NAN : ratio(sums->perfect, sums->outside),
        .balance = ratio(sums->useful, sums->useful + sums->waited),
        .overhead = ratio(sums->useful + sums->waited, sums->perfect),
    };

    efficiency.mpi = efficiency.mpi_balance * efficiency.mpi_communication;
    efficiency.openmp = efficiency.serial * efficiency.balance * efficiency.overhead;
    efficiency.parallel = efficiency.mpi * efficiency.openmp;
    return efficiency;
}

struct keel_report_summary keel_report_summarise(const struct keel_report_process *const *process,
                                                 size_t count)
{
    struct sums sums = {0};
    bool of_ranks = false, unseen = false;

    for (size_t i = 0; i < count; i++) {
        struct times times = times_of(process[i]);
        add(&sums, &times);
        of_ranks |= process[i]->ranks > 1;
        unseen |= process[i]->ranks > 1 && !process[i]->mpi_seen;
    }
    return (struct keel_report_summary){
        .processes = count,
        .threads = (uint64_t)sums.threads,
        .elapsed_s = sums.longest,
        .of_ranks = of_ranks,
        .mpi_seen = of_ranks && !unseen,
        .useful_s = sums.useful,
        .serial_s = max_real(sums.outside - sums.perfect, 0),
        .waited_s = sums.waited,
        .claiming_s = sums.claiming,
        .other_s = max_real(sums.perfect - sums.useful - sums.waited - sums.claiming, 0),
        .mpi_s = max_real(sums.elapsed - sums.outside, 0),
        .early_s = max_real(sums.threads * sums.longest - sums.elapsed, 0),
        .efficiency = efficiency_of(&sums, unseen),
    };
}
