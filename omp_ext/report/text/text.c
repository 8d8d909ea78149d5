/* The text of a report, job by job. */
#define _GNU_SOURCE
#include "omp_ext/report/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/job.h"
#include "omp_ext/report/summary.h"
#include "omp_ext/report/text/cores.h"
#include "omp_ext/report/text/loops.h"
#include "omp_ext/report/text/number.h"
#include "omp_ext/report/text/objects.h"
#include "omp_ext/report/text/ranks.h"
#include "omp_ext/report/text/recording.h"
#include "omp_ext/report/text/shared.h"
#include "schedules/text/c_locale.h"

#define PROGRAM_SHOWN 30 /* bytes of its name: the end, which says most */

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* --- head --- */

static size_t count_hosts(const struct keel_report_job *job)
{
    const struct keel_report_process **of_host = calloc(job->count + 1, sizeof(void *));
    size_t hosts = 0;

    for (size_t i = 0; of_host != NULL && i < job->count; i++) {
        hosts += keel_report_job_host(job, i, of_host) > 0;
    }
    free(of_host);
    return hosts;
}

static void print_program(FILE *stream, const char *name)
{
    size_t length = strlen(name);
    bool whole = length <= PROGRAM_SHOWN;

    fprintf(stream, "%s%s", whole ? "" : "...", whole ? name : name + length - PROGRAM_SHOWN);
}

static void print_ranks(FILE *stream, const struct keel_report_job *job)
{
    size_t hosts = count_hosts(job), ranks = (size_t)job->process[0]->ranks;

    fputs(strlen(job->process[0]->program) > PROGRAM_SHOWN ? ":\n  " : ": ", stream);
    if (job->count == ranks) {
        fprintf(stream, "%zu ranks on ", job->count);
    } else {
        fprintf(stream, "%zu of %zu ranks on ", job->count, ranks);
    }
    if (hosts == 1) {
        fprintf(stream, "%.12s", job->process[0]->host);
    } else {
        fprintf(stream, "%zu nodes", hosts);
    }
}

static void print_missing(FILE *stream, const struct keel_report_job *job, bool of_node)
{
    char list[64];
    size_t missing = keel_report_job_missing(job, list, sizeof list);

    if (missing > 0 && !of_node) {
        fprintf(stream, "nothing is known of rank%s %s: killed, or recorded elsewhere\n",
                plural(missing), list);
    }
}

static void print_incomplete(FILE *stream, const struct keel_report_job *job)
{
    size_t incomplete = 0;

    for (size_t i = 0; i < job->count; i++) {
        incomplete += !job->process[i]->complete;
    }
    if (incomplete > 0 && job->process[0]->ranks > 1) {
        fprintf(stream, "%zu rank%s (marked *) did not end as programs do: recorded until then\n",
                incomplete, plural(incomplete));
    } else if (incomplete > 0) {
        fputs("it did not end as programs do: this is what was recorded until then\n", stream);
    }
}

static void print_head(FILE *stream, const struct keel_report_job *job,
                       const struct keel_report_summary *summary, bool of_node)
{
    fputs("keel: report of ", stream);
    print_program(stream, job->process[0]->program);
    if (job->process[0]->ranks > 1) {
        print_ranks(stream, job);
    } else {
        fprintf(stream, " on %.20s", job->process[0]->host);
    }
    fprintf(stream, ", %llu thread%s, %s s\n", (unsigned long long)summary->threads,
            plural(summary->threads), keel_report_seconds(summary->elapsed_s).text);
    print_missing(stream, job, of_node);
    print_incomplete(stream, job);
}

/* --- efficiencies --- */

static void print_part(FILE *stream, const char *name, double seconds, double total, bool *first)
{
    if (total > 0 && seconds >= 0.0005 * total) {
        fprintf(stream, "%s%s %.1f%%", *first ? "" : ", ", name, seconds / total * 100);
        *first = false;
    }
}

static void print_lost(FILE *stream, const struct keel_report_summary *summary)
{
    double total = (double)summary->threads * summary->elapsed_s;
    bool first = true;

    fputs("  ", stream);
    print_part(stream, "useful", summary->useful_s, total, &first);
    print_part(stream, "waiting", summary->waited_s, total, &first);
    print_part(stream, "chunks", summary->claiming_s, total, &first);
    print_part(stream, "serial", summary->serial_s, total, &first);
    print_part(stream, "MPI", summary->mpi_s, total, &first);
    print_part(stream, "ended early", summary->early_s, total, &first);
    print_part(stream, "other", summary->other_s, total, &first);
    fprintf(stream, " of %s s\n", keel_report_seconds(total).text);
}

static void print_efficiency(FILE *stream, const struct keel_report_summary *summary)
{
    const struct keel_report_efficiency *efficiency = &summary->efficiency;

    if (summary->processes > 1) {
        fprintf(stream, "  parallel efficiency %.2f = MPI %.2f x OpenMP %.2f\n",
                efficiency->parallel, efficiency->mpi, efficiency->openmp);
        fprintf(stream, "    MPI    %.2f = load balance of ranks %.2f x communication %.2f\n",
                efficiency->mpi, efficiency->mpi_balance, efficiency->mpi_communication);
        fprintf(stream,
                "    OpenMP %.2f = serial part %.2f x load balance of threads %.2f x overhead "
                "%.2f\n",
                efficiency->openmp, efficiency->serial, efficiency->balance, efficiency->overhead);
    } else {
        fprintf(stream,
                "  parallel efficiency %.2f = serial part %.2f x load balance %.2f x overhead %.2f",
                efficiency->parallel, efficiency->serial, efficiency->balance,
                efficiency->overhead);
        fprintf(stream, efficiency->mpi < 0.995 ? " x MPI %.2f\n" : "\n", efficiency->mpi);
    }
    print_lost(stream, summary);
}

/* --- jobs --- */

static void print_job(FILE *stream, const struct keel_report_job *job,
                      struct keel_report_text_options options)
{
    struct keel_report_summary summary = keel_report_summarise(job->process, job->count);

    print_head(stream, job, &summary, options.node);
    print_efficiency(stream, &summary);
    fputs("\n", stream);
    keel_report_print_loops(stream, job, &summary, options.all, options.top);
    if (job->process[0]->ranks > 1) {
        fputs("\n", stream);
        keel_report_print_ranks(stream, job, options.all);
    }
    keel_report_print_shared(stream, job);
    keel_report_print_rows(stream, job, options.all);
    keel_report_print_objects(stream, job, options.all);
    keel_report_print_recording(stream, job);
    keel_report_print_cores(stream, job);
}

static void print_jobs(FILE *stream, const struct keel_report_process *const *process, size_t count,
                       struct keel_report_text_options options)
{
    for (size_t done = 0; done < count;) {
        struct keel_report_job job = keel_report_job_first(process + done, count - done);
        if (done > 0) {
            fputs("\n", stream);
        }
        print_job(stream, &job, options);
        done += job.count;
    }
}

/* Names may hold anything, and a terminal obeys some of it. */
static void make_plain(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '\n' && (text[i] < ' ' || text[i] > '~')) {
            text[i] = '?';
        }
    }
}

char *keel_report_text(const struct keel_report_process *const *process, size_t count,
                       struct keel_report_text_options options, size_t *length)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);
    locale_t previous = keel_c_locale_enter();

    if (stream != NULL) {
        print_jobs(stream, process, count, options);
    }
    keel_c_locale_leave(previous);
    if (stream == NULL || fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    make_plain(text, *length);
    return text;
}
