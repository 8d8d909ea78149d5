/* The text of a report, job by job. */
#define _GNU_SOURCE
#include "omp_ext/report/report_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/text/text.h"

#define PROGRAM_SHOWN 30 /* bytes of its name: the end, which differs most */

/* --- head --- */

static void print_program(FILE *stream, const char *name)
{
    size_t length = strlen(name);
    bool whole = length <= PROGRAM_SHOWN;

    fprintf(stream, "%s%s", whole ? "" : "...", whole ? name : name + length - PROGRAM_SHOWN);
}

static void print_ranks(FILE *stream, const struct keel_report_job *job)
{
    size_t hosts = keel_report_job_hosts(job), ranks = (size_t)job->process[0]->ranks;

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
                keel_text_plural(missing), list);
    }
}

static void print_incomplete(FILE *stream, const struct keel_report_job *job, int signal)
{
    bool of_ranks = job->process[0]->ranks > 1;
    size_t incomplete = 0;

    for (size_t i = 0; i < job->count; i++) {
        incomplete += !job->process[i]->complete;
    }
    if (incomplete > 0 && of_ranks) {
        fprintf(stream, "%zu rank%s (marked *): ", incomplete, keel_text_plural(incomplete));
    }
    if (incomplete > 0) {
        if (signal != 0) {
            /* it is not known which rank got it: mpirun ends the others */
            fprintf(stream, "%s by signal %d (%s)", of_ranks ? "the job was ended" : "interrupted",
                    signal, strsignal(signal));
        } else {
            fputs("ended by a signal, _exit() or exec()", stream);
        }
        fputs("; this is what was recorded until then\n", stream);
    }
}

static void print_head(FILE *stream, const struct keel_report_job *job,
                       const struct keel_report_summary *summary,
                       struct keel_report_text_options options)
{
    fputs("keel: report of ", stream);
    print_program(stream, job->process[0]->program);
    if (job->process[0]->ranks > 1) {
        print_ranks(stream, job);
    } else {
        fprintf(stream, " on %.20s", job->process[0]->host);
    }
    fprintf(stream, ", %llu thread%s, %s s\n", (unsigned long long)summary->threads,
            keel_text_plural(summary->threads), keel_report_seconds(summary->elapsed_s).text);
    print_missing(stream, job, options.node);
    print_incomplete(stream, job, options.signal);
}

/* --- efficiencies --- */

enum { USEFUL, WAITING, CHUNKS, SERIAL, MPI, EARLY, OTHER, PARTS };

static void print_lost(FILE *stream, const struct keel_report_summary *summary)
{
    static const char *const names[PARTS] = {"useful", "waiting",     "chunks", "serial",
                                             "MPI",    "ended early", "other"};
    static const char *const of_ranks[PARTS] = {
        [USEFUL] = "useful in regions", [SERIAL] = "outside regions", [MPI] = "Keel's MPI"};
    const double part[PARTS] = {summary->useful_s, summary->waited_s, summary->claiming_s,
                                summary->serial_s, summary->mpi_s,    summary->early_s,
                                summary->other_s};
    const double all_s = (double)summary->threads * summary->elapsed_s;
    char text[256];
    size_t length = 0;

    for (int i = 0; i < PARTS; i++) {
        const bool other = summary->of_ranks && !summary->mpi_seen && of_ranks[i] != NULL;
        if (part[i] >= 0.0005 * all_s && all_s > 0) {
            length =
                keel_text_append(text, sizeof text, length, "%s%s %.1f%%", length > 0 ? ", " : "",
                                 other ? of_ranks[i] : names[i], 100 * part[i] / all_s);
        }
    }
    keel_text_append(text, sizeof text, length, "%sof %s thread s", length > 0 ? " " : "",
                     keel_report_seconds(all_s).text);
    keel_report_print_wrapped(stream, text, 2, 4);
}

/* Prints the first rank's values if ranks share cores. */
static void print_shared_cores(FILE *stream, const struct keel_report_process *first)
{
    if (first->shared_threads > 0) {
        fprintf(stream,
                "  cores are shared: %u of the rank's own, teams of up to %u threads; ranks met in "
                "%s s\n",
                first->own_threads, first->shared_threads, keel_report_seconds(first->met_s).text);
    }
}

static void print_efficiency(FILE *stream, const struct keel_report_summary *summary)
{
    const struct keel_report_efficiency *efficiency = &summary->efficiency;

    if (summary->mpi_seen) {
        fprintf(stream,
                "  parallel efficiency %.2f = MPI %.2f (load balance of ranks %.2f x communication "
                "%.2f)\n"
                "      x OpenMP %.2f (serial part %.2f x load balance %.2f x overhead %.2f)\n",
                efficiency->parallel, efficiency->mpi, efficiency->mpi_balance,
                efficiency->mpi_communication, efficiency->openmp, efficiency->serial,
                efficiency->balance, efficiency->overhead);
    } else if (summary->of_ranks) {
        fprintf(stream,
                "  parallel efficiency: not known. MPI calls of the program: not seen; they count "
                "as outside regions\n"
                "  efficiency in regions %.2f = load balance of threads %.2f x overhead %.2f\n",
                efficiency->balance * efficiency->overhead, efficiency->balance,
                efficiency->overhead);
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

    print_head(stream, job, &summary, options);
    print_efficiency(stream, &summary);
    print_shared_cores(stream, job->process[0]);
    fputs("\n", stream);
    keel_report_print_loops(stream, job, &summary, options.all, options.top);
    if (job->process[0]->ranks > 1) {
        fputs("\n", stream);
        keel_report_print_ranks(stream, job, options.all);
    }
    keel_report_print_calls(stream, job, options.all);
    keel_report_print_moving(stream, job, options.all);
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

/* Names may contain control characters, which a terminal would interpret. */
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
