/* Tables of objects that move, by rank and by phase. */
#include "omp_ext/report/text/objects.h"

#include <string.h>

#include "omp_ext/report/text/number.h"
#include "omp_ext/report/text/wrapped.h"

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

static void print_copies(FILE *stream, const struct keel_report_job *job, const char *name)
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
                print_copies(stream, job, objects->name);
                print_choices(stream, objects);
                print_phases(stream, objects, all);
            }
        }
    }
}
