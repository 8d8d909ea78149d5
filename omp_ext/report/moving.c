/* Tables of shared loops, and of rows and objects that move. */
#include "omp_ext/report/report_text.h"

#include <inttypes.h>
#include <string.h>

#define DECISIONS_SHOWN 10
#define PHASES_SHOWN 10

/* --- shared loops --- */

static const void *shared_at(const struct keel_report_process *process, size_t index)
{
    return index < process->shared_count ? &process->shared[index] : NULL;
}

static void print_shared_head(FILE *stream, const void *entry)
{
    const struct keel_report_shared *shared = entry;

    fprintf(stream, "\nshared loop %.40s under %.24s, run %s times\n", shared->place,
            shared->schedule, keel_report_count(shared->instances).text);
    fprintf(stream, "  %4s %11s %7s %9s %9s %8s %10s %6s %11s\n", "rank", "iterations", "share",
            "busy s", "waiting s", "chunks", "messages", "moves", "moved iter.");
}

static void print_shared_rank(FILE *stream, int rank, const void *entry)
{
    const struct keel_report_shared *shared = entry;
    double share =
        shared->iterations > 0 ? (double)shared->executed / (double)shared->iterations * 100 : 0;

    fprintf(stream, "  %4d %11s %6.1f%% %9s %9s %8s %10s %6s %11s\n", rank,
            keel_report_count(shared->executed).text, share,
            keel_report_seconds(shared->busy_s).text, keel_report_seconds(shared->waited_s).text,
            keel_report_count(shared->chunks).text, keel_report_count(shared->messages).text,
            keel_report_count(shared->migrations).text, keel_report_count(shared->migrated).text);
}

/* --- rows --- */

static const void *rows_at(const struct keel_report_process *process, size_t index)
{
    return index < process->rows_count ? &process->rows[index] : NULL;
}

static void print_rows_head(FILE *stream, const void *entry)
{
    const struct keel_report_rows *rows = entry;

    fprintf(stream, "\nrows of %.40s: %s balance calls, %s movements of %s rows\n", rows->name,
            keel_report_count(rows->hooks).text, keel_report_count(rows->movements).text,
            keel_report_count(rows->rows_moved).text);
    fprintf(stream, "  %4s %10s %10s %11s %9s %9s %9s %11s\n", "rank", "rows sent", "rows got",
            "bytes sent", "busy s", "waiting s", "moving s", "deciding s");
}

static void print_rows_rank(FILE *stream, int rank, const void *entry)
{
    const struct keel_report_rows *rows = entry;

    fprintf(stream, "  %4d %10s %10s %11s %9s %9s %9s %11s\n", rank,
            keel_report_count(rows->rows_sent).text, keel_report_count(rows->rows_received).text,
            keel_report_count(rows->bytes_sent).text, keel_report_seconds(rows->busy_s).text,
            keel_report_seconds(rows->waiting_s).text, keel_report_seconds(rows->movement_s).text,
            keel_report_seconds(rows->decision_s).text);
}

static void print_copies(FILE *stream, int rank, uint64_t copies, double s, uint64_t sent_bytes,
                         uint64_t bytes)
{
    if (copies > 0) {
        fprintf(stream, "  rank %d: %s copies in %s s: %s bytes sent, %s bytes of memory\n", rank,
                keel_report_count(copies).text, keel_report_seconds(s).text,
                keel_report_count(sent_bytes).text, keel_report_count(bytes).text);
    }
}

static void print_rows_copies(FILE *stream, int rank, const void *entry)
{
    const struct keel_report_rows *rows = entry;

    print_copies(stream, rank, rows->copies, rows->copies_s, rows->copies_sent_bytes,
                 rows->copies_bytes);
}

/* Prints a decision, with its reason on the same line if there is room. */
static void print_decision(FILE *stream, const struct keel_report_decision *decision)
{
    int width =
        fprintf(stream, "  call %5" PRIu64 " at %7s s: %6s rows, %5.1f%%, %.12s:", decision->hook,
                keel_report_seconds(decision->time_s).text, keel_report_count(decision->moved).text,
                decision->gain * 100, decision->policy);

    if (width + 1 + (int)strnlen(decision->reason, KEEL_REPORT_COLUMNS) <= KEEL_REPORT_COLUMNS) {
        fprintf(stream, " %s\n", decision->reason);
    } else {
        putc('\n', stream);
        keel_report_print_wrapped(stream, decision->reason, 6, 6);
    }
}

/* All ranks decide the same: prints the decisions of one. */
static void print_decisions(FILE *stream, const void *entry, bool all)
{
    const struct keel_report_rows *rows = entry;
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

/* --- objects --- */

static const void *objects_at(const struct keel_report_process *process, size_t index)
{
    return index < process->objects_count ? &process->objects[index] : NULL;
}

static void print_objects_head(FILE *stream, const void *entry)
{
    const struct keel_report_objects *objects = entry;

    fprintf(stream, "\nobjects of %.40s: %s phases\n", objects->name,
            keel_report_count(objects->phases).text);
    fprintf(stream, "  %4s %9s %8s %8s %8s %11s %8s %8s %11s %8s\n", "rank", "computed", "messages",
            "given", "got", "bytes given", "busy s", "idle s", "answering s", "passed on");
}

static void print_objects_rank(FILE *stream, int rank, const void *entry)
{
    const struct keel_report_objects *objects = entry;

    fprintf(stream, "  %4d %9s %8s %8s %8s %11s %8s %8s %11s %8s\n", rank,
            keel_report_count(objects->computed).text, keel_report_count(objects->handled).text,
            keel_report_count(objects->given).text, keel_report_count(objects->taken).text,
            keel_report_count(objects->bytes_given).text, keel_report_seconds(objects->busy_s).text,
            keel_report_seconds(objects->idle_s).text,
            keel_report_seconds(objects->answering_s).text,
            keel_report_count(objects->forwarded).text);
}

static void print_objects_copies(FILE *stream, int rank, const void *entry)
{
    const struct keel_report_objects *objects = entry;

    print_copies(stream, rank, objects->copies, objects->copies_s, objects->copies_sent_bytes,
                 objects->copies_bytes);
}

/* Prints parameters that one rank has chosen at run time. */
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

/* All ranks report the same phases: prints those of one. */
static void print_phases(FILE *stream, const void *entry, bool all)
{
    const struct keel_report_objects *objects = entry;
    size_t first =
        all || objects->phase_count <= PHASES_SHOWN ? 0 : objects->phase_count - PHASES_SHOWN;
    uint64_t hidden = objects->phases_left_out + first;

    print_choices(stream, objects);
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

/* --- all of them --- */

/* Entries of one kind, which begin with their name. */
struct kind {
    const void *(*at)(const struct keel_report_process *process, size_t index); /* NULL: no more */
    void (*head)(FILE *stream, const void *entry);
    void (*rank)(FILE *stream, int rank, const void *entry);
    void (*copies)(FILE *stream, int rank, const void *entry); /* NULL if there are none */
    void (*rest)(FILE *stream, const void *entry, bool all);   /* NULL if there is none */
};

static const char *name_of(const void *entry)
{
    return *(const char *const *)entry;
}

/* Returns NULL if the process has no entry of that name. */
static const void *find(const struct kind *kind, const struct keel_report_process *process,
                        const char *name)
{
    const void *entry;
    size_t i = 0;

    while ((entry = kind->at(process, i)) != NULL && strcmp(name_of(entry), name) != 0) {
        i++;
    }
    return entry;
}

static void print_for_ranks(FILE *stream, const struct kind *kind,
                            const struct keel_report_job *job, const char *name,
                            void (*print)(FILE *stream, int rank, const void *entry))
{
    for (size_t i = 0; print != NULL && i < job->count; i++) {
        const void *entry = find(kind, job->process[i], name);
        if (entry != NULL) {
            print(stream, job->process[i]->rank, entry);
        }
    }
}

/* Prints each name once, with the head and rest of the first rank that has it. */
static void print_kind(FILE *stream, const struct kind *kind, const struct keel_report_job *job,
                       bool all)
{
    for (size_t i = 0; i < job->count; i++) {
        const void *entry;
        for (size_t j = 0; (entry = kind->at(job->process[i], j)) != NULL; j++) {
            size_t first = 0;
            while (find(kind, job->process[first], name_of(entry)) == NULL) {
                first++;
            }
            if (first < i) {
                continue;
            }
            kind->head(stream, entry);
            print_for_ranks(stream, kind, job, name_of(entry), kind->rank);
            print_for_ranks(stream, kind, job, name_of(entry), kind->copies);
            if (kind->rest != NULL) {
                kind->rest(stream, entry, all);
            }
        }
    }
}

void keel_report_print_moving(FILE *stream, const struct keel_report_job *job, bool all)
{
    static const struct kind kinds[] = {
        {shared_at, print_shared_head, print_shared_rank, NULL, NULL},
        {rows_at, print_rows_head, print_rows_rank, print_rows_copies, print_decisions},
        {objects_at, print_objects_head, print_objects_rank, print_objects_copies, print_phases},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        print_kind(stream, &kinds[i], job, all);
    }
}
