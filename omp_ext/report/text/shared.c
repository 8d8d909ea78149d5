/* Tables by rank. */
#include "omp_ext/report/text/shared.h"

#include <inttypes.h>
#include <string.h>

#include "omp_ext/report/text/number.h"
#include "omp_ext/report/text/wrapped.h"

#define DECISIONS_SHOWN 10

/* --- shared loops --- */

static const struct keel_report_shared *find_shared(const struct keel_report_process *process,
                                                    const char *place)
{
    for (size_t i = 0; i < process->shared_count; i++) {
        if (strcmp(process->shared[i].place, place) == 0) {
            return &process->shared[i];
        }
    }
    return NULL;
}

static bool shared_before(const struct keel_report_job *job, size_t rank, const char *place)
{
    for (size_t i = 0; i < rank; i++) {
        if (find_shared(job->process[i], place) != NULL) {
            return true;
        }
    }
    return false;
}

static void print_shared_rank(FILE *stream, int rank, const struct keel_report_shared *shared)
{
    double share =
        shared->iterations > 0 ? (double)shared->executed / (double)shared->iterations * 100 : 0;

    fprintf(stream, "  %4d %11s %6.1f%% %9s %9s %8s %10s %6s %11s\n", rank,
            keel_report_count(shared->executed).text, share,
            keel_report_seconds(shared->busy_s).text, keel_report_seconds(shared->waited_s).text,
            keel_report_count(shared->chunks).text, keel_report_count(shared->messages).text,
            keel_report_count(shared->migrations).text, keel_report_count(shared->migrated).text);
}

static void print_shared_loop(FILE *stream, const struct keel_report_job *job,
                              const struct keel_report_shared *first)
{
    fprintf(stream, "\nshared loop %.40s under %.24s, run %s times\n", first->place,
            first->schedule, keel_report_count(first->instances).text);
    fprintf(stream, "  %4s %11s %7s %9s %9s %8s %10s %6s %11s\n", "rank", "iterations", "share",
            "busy s", "waiting s", "chunks", "messages", "moves", "moved iter.");
    for (size_t i = 0; i < job->count; i++) {
        const struct keel_report_shared *shared = find_shared(job->process[i], first->place);
        if (shared != NULL) {
            print_shared_rank(stream, job->process[i]->rank, shared);
        }
    }
}

void keel_report_print_shared(FILE *stream, const struct keel_report_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        for (size_t j = 0; j < job->process[i]->shared_count; j++) {
            const struct keel_report_shared *shared = &job->process[i]->shared[j];
            if (!shared_before(job, i, shared->place)) {
                print_shared_loop(stream, job, shared);
            }
        }
    }
}

/* --- rows --- */

static const struct keel_report_rows *find_rows(const struct keel_report_process *process,
                                                const char *name)
{
    for (size_t i = 0; i < process->rows_count; i++) {
        if (strcmp(process->rows[i].name, name) == 0) {
            return &process->rows[i];
        }
    }
    return NULL;
}

static bool rows_before(const struct keel_report_job *job, size_t rank, const char *name)
{
    for (size_t i = 0; i < rank; i++) {
        if (find_rows(job->process[i], name) != NULL) {
            return true;
        }
    }
    return false;
}

static void print_rows_rank(FILE *stream, int rank, const struct keel_report_rows *rows)
{
    fprintf(stream, "  %4d %10s %10s %11s %9s %9s %9s %11s\n", rank,
            keel_report_count(rows->rows_sent).text, keel_report_count(rows->rows_received).text,
            keel_report_count(rows->bytes_sent).text, keel_report_seconds(rows->busy_s).text,
            keel_report_seconds(rows->waiting_s).text, keel_report_seconds(rows->movement_s).text,
            keel_report_seconds(rows->decision_s).text);
}

/* The reason on lines of its own where there is no room. */
static void print_decision(FILE *stream, const struct keel_report_decision *decision)
{
    int width =
        fprintf(stream, "  hook %5" PRIu64 " at %7s s: %6s rows, %5.1f%%, %.12s:", decision->hook,
                keel_report_seconds(decision->time_s).text, keel_report_count(decision->moved).text,
                decision->gain * 100, decision->policy);

    if (width + 1 + (int)strnlen(decision->reason, KEEL_REPORT_COLUMNS) <= KEEL_REPORT_COLUMNS) {
        fprintf(stream, " %s\n", decision->reason);
    } else {
        putc('\n', stream);
        keel_report_print_wrapped(stream, decision->reason, 6, 6);
    }
}

/* All ranks decide the same: those of one are shown. */
static void print_decisions(FILE *stream, const struct keel_report_rows *rows, bool all)
{
    size_t first =
        all || rows->decision_count <= DECISIONS_SHOWN ? 0 : rows->decision_count - DECISIONS_SHOWN;
    uint64_t hidden = rows->decisions_left_out + first;

    if (rows->decision_count > 0) {
        fputs("  decisions: rows that moved, part of the time that moving saves, policy, reason\n",
              stream);
    }
    for (size_t i = first; i < rows->decision_count; i++) {
        print_decision(stream, &rows->decision[i]);
    }
    if (hidden > 0) {
        fprintf(stream, "  and %s more that are like these, or earlier\n",
                keel_report_count(hidden).text);
    }
}

static void print_copies(FILE *stream, const struct keel_report_job *job, const char *name)
{
    for (size_t i = 0; i < job->count; i++) {
        const struct keel_report_rows *rows = find_rows(job->process[i], name);
        if (rows != NULL && rows->copies > 0) {
            fprintf(stream, "  rank %d: %s copies in %s s: %s bytes sent, %s bytes of memory\n",
                    job->process[i]->rank, keel_report_count(rows->copies).text,
                    keel_report_seconds(rows->copies_s).text,
                    keel_report_count(rows->copies_sent_bytes).text,
                    keel_report_count(rows->copies_bytes).text);
        }
    }
}

static void print_rows(FILE *stream, const struct keel_report_job *job,
                       const struct keel_report_rows *first, bool all)
{
    fprintf(stream, "\nrows of %.40s: %s hooks, %s movements of %s rows\n", first->name,
            keel_report_count(first->hooks).text, keel_report_count(first->movements).text,
            keel_report_count(first->rows_moved).text);
    fprintf(stream, "  %4s %10s %10s %11s %9s %9s %9s %11s\n", "rank", "rows sent", "rows got",
            "bytes sent", "busy s", "waiting s", "moving s", "deciding s");
    for (size_t i = 0; i < job->count; i++) {
        const struct keel_report_rows *rows = find_rows(job->process[i], first->name);
        if (rows != NULL) {
            print_rows_rank(stream, job->process[i]->rank, rows);
        }
    }
    print_copies(stream, job, first->name);
    print_decisions(stream, first, all);
}

void keel_report_print_rows(FILE *stream, const struct keel_report_job *job, bool all)
{
    for (size_t i = 0; i < job->count; i++) {
        for (size_t j = 0; j < job->process[i]->rows_count; j++) {
            const struct keel_report_rows *rows = &job->process[i]->rows[j];
            if (!rows_before(job, i, rows->name)) {
                print_rows(stream, job, rows, all);
            }
        }
    }
}
