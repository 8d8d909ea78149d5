/* Times of the program's loops, and which candidate is best in each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/compare/compare.h"
#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/report/report_file.h"

/* The place of a run among the samples. */
struct slot {
    size_t round, candidate;
};

static struct keel_loop_time *find(const struct keel_loop_times *loops, const char *place)
{
    for (size_t i = 0; i < loops->count; i++) {
        if (strcmp(loops->of[i].place, place) == 0) {
            return &loops->of[i];
        }
    }
    return NULL;
}

static struct keel_loop_time *add(struct keel_loop_times *loops, const char *place,
                                  const char *function)
{
    loops->of = keel_command_room(loops->of, loops->count, sizeof *loops->of);
    struct keel_loop_time *loop = &loops->of[loops->count++];
    *loop = (struct keel_loop_time){.place = keel_command_text("%s", place),
                                    .function = keel_command_text("%s", function),
                                    .samples = {.candidates = loops->candidates}};
    return loop;
}

/* A loop that rules can mean and that is not part of another's time. */
static bool counts(const struct keel_report_loop *loop)
{
    return loop->kind == KEEL_REPORT_LOOP && !loop->nested && loop->place[0] != '\0' &&
           loop->elapsed_s > 0;
}

/* Of several loops at one place, as instances of a template, the sum. */
static double time_at(const struct keel_report_process *process, const char *place,
                      double *instances)
{
    double sum_s = 0;

    *instances = 0;
    for (size_t i = 0; i < process->loop_count; i++) {
        const struct keel_report_loop *loop = &process->loop[i];
        if (counts(loop) && strcmp(loop->place, place) == 0) {
            sum_s += loop->elapsed_s;
            *instances += (double)loop->instances;
        }
    }
    return sum_s;
}

/* One loop of a process; one that another process has, too, keeps its time where that is longer.
 */
static void note(struct keel_loop_times *loops, const struct keel_report_process *process,
                 const struct keel_report_loop *reported, struct slot slot)
{
    double instances, time_s = time_at(process, reported->place, &instances);
    struct keel_loop_time *loop = find(loops, reported->place);

    if (loop == NULL) {
        loop = add(loops, reported->place, reported->function);
    }
    if (!(keel_samples_at(&loop->samples, slot.round, slot.candidate) >= time_s)) {
        loop->instances = instances;
        keel_samples_note(&loop->samples, slot.round, slot.candidate, time_s);
    }
}

static void note_process(struct keel_loop_times *loops, const struct keel_report_process *process,
                         struct slot slot)
{
    for (size_t i = 0; i < process->loop_count; i++) {
        if (counts(&process->loop[i])) {
            note(loops, process, &process->loop[i], slot);
        }
    }
}

void keel_loop_times_read(struct keel_loop_times *loops, const char *report, size_t round,
                          size_t candidate)
{
    struct keel_report_document document = {0};
    char reason[KEEL_REPORT_REASON_MAX];

    keel_report_file_read(report, &document, reason);
    for (size_t i = 0; i < document.count; i++) {
        note_process(loops, document.process[i], (struct slot){round, candidate});
    }
    keel_report_document_free(&document);
}

/* --- standings --- */

/* Under the candidate of most time in it that has run: the reference's own, unless that has no such
 * loop. */
static double share_of(const struct keel_standings *loop, const struct keel_standings *program,
                       size_t candidates)
{
    for (size_t i = 0; i < candidates; i++) {
        if (loop->of[i].runs > 0 && program->of[i].median_s > 0) {
            return loop->of[i].median_s / program->of[i].median_s;
        }
    }
    return 0;
}

static int by_share(const void *a, const void *b)
{
    const struct keel_loop_standings *first = a, *second = b;

    return (first->share < second->share) - (first->share > second->share);
}

size_t keel_loop_standings_make(struct keel_loop_standings **list,
                                const struct keel_session *session,
                                const struct keel_standings *program, double least)
{
    size_t count = 0;

    *list = keel_command_memory(session->loops.count, sizeof **list);
    for (size_t i = 0; i < session->loops.count; i++) {
        struct keel_loop_standings *next = &(*list)[count];
        next->loop = &session->loops.of[i];
        keel_standings_make(&next->standings, &next->loop->samples, &session->sequence,
                            session->matters);
        next->share = share_of(&next->standings, program, session->count);
        count += next->share >= least;
    }
    qsort(*list, count, sizeof **list, by_share);
    return count;
}
