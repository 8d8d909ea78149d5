/* Tables of what ranks share and move: loops, rows and objects. */
#include "omp_ext/report/text/print.h"

#include <inttypes.h>
#include <string.h>

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

/* --- objects --- */

#define PHASES_SHOWN 10

static const struct keel_report_objects *find(const struct keel_report_process *process,
                                              const char *name)
{
    for (size_t i = 0; i < process->objects_count; i++) {
        if (strcmp(process->objects[i].name, name) == 0) {
            return &process->objects[i];
        }
    }
    return NULL;
}

static bool came_before(const struct keel_report_job *job, size_t rank, const char *name)
{
    for (size_t i = 0; i < rank; i++) {
        if (find(job->process[i], name) != NULL) {
            return true;
        }
    }
    return false;
}

/* --- ranks --- */

static void print_rank(FILE *stream, int rank, const struct keel_report_objects *objects)
{
    fprintf(stream, "  %4d %9s %8s %8s %8s %11s %8s %8s %11s %8s\n", rank,
            keel_report_count(objects->computed).text, keel_report_count(objects->handled).text,
            keel_report_count(objects->given).text, keel_report_count(objects->taken).text,
            keel_report_count(objects->bytes_given).text, keel_report_seconds(objects->busy_s).text,
            keel_report_seconds(objects->idle_s).text,
            keel_report_seconds(objects->answering_s).text,
            keel_report_count(objects->forwarded).text);
}

static void print_ranks(FILE *stream, const struct keel_report_job *job, const char *name)
{
    fprintf(stream, "  %4s %9s %8s %8s %8s %11s %8s %8s %11s %8s\n", "rank", "computed", "messages",
            "given", "got", "bytes given", "busy s", "idle s", "answering s", "passed on");
    for (size_t i = 0; i < job->count; i++) {
        const struct keel_report_objects *objects = find(job->process[i], name);
        if (objects != NULL) {
            print_rank(stream, job->process[i]->rank, objects);
        }
    }
}

static void print_copies_of_objects(FILE *stream, const struct keel_report_job *job,
                                    const char *name)
{
    for (size_t i = 0; i < job->count; i++) {
        const struct keel_report_objects *objects = find(job->process[i], name);
        if (objects != NULL && objects->copies > 0) {
            fprintf(stream, "  rank %d: %s copies in %s s: %s bytes sent, %s bytes of memory\n",
                    job->process[i]->rank, keel_report_count(objects->copies).text,
                    keel_report_seconds(objects->copies_s).text,
                    keel_report_count(objects->copies_sent_bytes).text,
                    keel_report_count(objects->copies_bytes).text);
        }
    }
}

/* What was chosen while it ran, on one rank. */
static void print_choices(FILE *stream, const struct keel_report_objects *objects)
{
    if (objects->neighbours > 0) {
        fprintf(stream, "  an idle rank looked at %s others at a time, lately\n",
                keel_report_count(objects->neighbours).text);
    }
    if (objects->quantum_s > 0) {
        fprintf(stream, "  a thread looked for questions every %s s, lately\n",
                keel_report_seconds(objects->quantum_s).text);
    }
}

/* --- phases --- */

static void print_bounds(FILE *stream, double lower_s, double upper_s)
{
    if (upper_s > 0) {
        fprintf(stream, " %8s %8s", keel_report_seconds(lower_s).text,
                keel_report_seconds(upper_s).text);
    } else {
        fprintf(stream, " %8s %8s", "-", "-");
    }
}

static void print_phase(FILE *stream, const struct keel_report_phase *phase)
{
    fprintf(stream, "  %5s %-8.8s %8s %8s", keel_report_count(phase->phase).text, phase->policy,
            keel_report_count(phase->computed).text, keel_report_seconds(phase->came_s).text);
    print_bounds(stream, phase->expected_lower_s, phase->expected_upper_s);
    print_bounds(stream, phase->lower_s, phase->upper_s);
    fprintf(stream, " %10s\n",
            phase->unbalanced_s > 0 ? keel_report_seconds(phase->unbalanced_s).text : "-");
    keel_report_print_wrapped(stream, phase->advice, 8, 8);
}

/* All ranks tell the same of them: those of one are shown. */
static void print_phases(FILE *stream, const struct keel_report_objects *objects, bool all)
{
    size_t first =
        all || objects->phase_count <= PHASES_SHOWN ? 0 : objects->phase_count - PHASES_SHOWN;
    uint64_t hidden = objects->phases_left_out + first;

    if (objects->phase_count > 0) {
        fprintf(stream, "  %41s %17s\n", "expected before", "by its weights");
        fprintf(stream, "  %5s %-8s %8s %8s %8s %8s %8s %8s %10s\n", "phase", "policy", "objects",
                "took s", "least s", "most s", "least s", "most s", "unmoved s");
    }
    for (size_t i = first; i < objects->phase_count; i++) {
        print_phase(stream, &objects->phase[i]);
    }
    if (hidden > 0) {
        fprintf(stream, "  and %s earlier phases\n", keel_report_count(hidden).text);
    }
}

void keel_report_print_objects(FILE *stream, const struct keel_report_job *job, bool all)
{
    for (size_t i = 0; i < job->count; i++) {
        for (size_t j = 0; j < job->process[i]->objects_count; j++) {
            const struct keel_report_objects *objects = &job->process[i]->objects[j];
            if (!came_before(job, i, objects->name)) {
                fprintf(stream, "\nobjects of %.40s: %s phases\n", objects->name,
                        keel_report_count(objects->phases).text);
                print_ranks(stream, job, objects->name);
                print_copies_of_objects(stream, job, objects->name);
                print_choices(stream, objects);
                print_phases(stream, objects, all);
            }
        }
    }
}
