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

/* The order of addresses within what was given is the order in which it was given. */
struct place {
    const struct keel_report_process *process;
    size_t given;
    size_t repeated; /* how many of the same job and rank come before */
};

static int compare_ranks(const struct place *a, const struct place *b)
{
    int by_job = compare_jobs(a->process, b->process);

    if (by_job != 0) {
        return by_job;
    }
    return (a->process->rank > b->process->rank) - (a->process->rank < b->process->rank);
}

static int compare_given(const struct place *a, const struct place *b)
{
    return (a->given > b->given) - (a->given < b->given);
}

static int by_job_and_rank(const void *first, const void *second)
{
    const struct place *a = first, *b = second;

    if (!is_rank(a->process) || !is_rank(b->process)) {
        int ranks_first = (int)is_rank(b->process) - (int)is_rank(a->process);
        return ranks_first != 0 ? ranks_first : compare_given(a, b);
    }
    int by_rank = compare_ranks(a, b);
    return by_rank != 0 ? by_rank : compare_given(a, b);
}

static int by_job_and_repetition(const void *first, const void *second)
{
    const struct place *a = first, *b = second;

    if (!is_rank(a->process) || !is_rank(b->process)) {
        return by_job_and_rank(first, second);
    }
    int by_job = compare_jobs(a->process, b->process);
    int by_turn = (a->repeated > b->repeated) - (a->repeated < b->repeated);
    return by_job != 0 ? by_job : by_turn != 0 ? by_turn : compare_ranks(a, b);
}

static void count_repeated(struct place *place, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        bool same = is_rank(place[i].process) && is_rank(place[i - 1].process) &&
                    compare_ranks(&place[i], &place[i - 1]) == 0;
        place[i].repeated = same ? place[i - 1].repeated + 1 : 0;
    }
}

void keel_report_job_sort(const struct keel_report_process **process, size_t count)
{
    struct place *place = calloc(count + 1, sizeof *place);

    for (size_t i = 0; place != NULL && i < count; i++) {
        place[i] = (struct place){process[i], i, 0};
    }
    if (place == NULL) {
        return; /* in the order that they have */
    }
    qsort(place, count, sizeof *place, by_job_and_rank);
    count_repeated(place, count);
    qsort(place, count, sizeof *place, by_job_and_repetition);
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
