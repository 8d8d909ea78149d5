/* Finding jobs among processes. */
#include "omp_ext/report/report_job.h"

#include <stdlib.h>
#include <string.h>

#include "schedules/text/text.h"

static const char *name_of(const char *text)
{
    return text != NULL ? text : "";
}

/* Of two processes' jobs: launcher's name, or else the program, and the number of ranks. */
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
    size_t repeated; /* how many of the same job and rank were given before */
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
        return; /* in the order that they have */
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

/* Appends the ranks from `first` up to, not with, `end`. */
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
