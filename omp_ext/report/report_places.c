/* Loops of several ranks, brought together by where they stand. */
#include "omp_ext/report/report_places.h"

#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/report_summary.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* --- one process --- */

/* Its loops as places of their own, from place[0] on. */
static void begin_places(const struct keel_report_process *process, struct keel_report_place *place)
{
    for (size_t i = 0; i < process->loop_count; i++) {
        const struct keel_report_loop *loop = &process->loop[i];
        struct keel_report_loss loss = keel_report_loss_of(loop);
        place[i] = (struct keel_report_place){
            .loop = loop,
            .mixed = loop->mixed,
            .lost_s = loss.lost_s,
            .waited_s = loss.waited_s,
            .claiming_s = loss.claiming_s,
            .elapsed_s = loop->elapsed_s,
            .gain_s = loop->gain_s,
            .busy_s = loss.busy_s,
            .longest_s = loss.busy_s * (1 + loss.imbalance_percent / 100),
            .instances = loop->instances,
            .iterations = loop->iterations,
        };
    }
}

/* What loops and parts lose is not shown again for the region around them. */
static void leave_out_inner(const struct keel_report_process *process,
                            struct keel_report_place *place)
{
    for (size_t i = 0; i < process->loop_count; i++) {
        const struct keel_report_loop *loop = &process->loop[i];
        if (loop->kind == KEEL_REPORT_REGION || loop->region < 0 ||
            (size_t)loop->region >= process->loop_count ||
            process->loop[loop->region].kind != KEEL_REPORT_REGION) {
            continue;
        }
        struct keel_report_place *region = &place[loop->region];
        region->is_rest = true;
        region->lost_s = larger(region->lost_s - place[i].lost_s, 0);
        region->waited_s = larger(region->waited_s - place[i].waited_s, 0);
        region->claiming_s = larger(region->claiming_s - place[i].claiming_s, 0);
        region->elapsed_s = larger(region->elapsed_s - place[i].elapsed_s, 0);
    }
}

/* --- all of them --- */

static int compare_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

static int compare_where(const struct keel_report_loop *a, const struct keel_report_loop *b)
{
    int result = compare_text(a->place, b->place);

    result = result != 0 ? result : compare_text(a->function, b->function);
    return result != 0 ? result : (a->kind > b->kind) - (a->kind < b->kind);
}

static int by_lost(const void *first, const void *second)
{
    const struct keel_report_place *a = first, *b = second;

    if (a->lost_s != b->lost_s) {
        return a->lost_s < b->lost_s ? 1 : -1;
    }
    if (a->elapsed_s != b->elapsed_s) {
        return a->elapsed_s < b->elapsed_s ? 1 : -1;
    }
    return compare_where(a->loop, b->loop);
}

static int by_where(const void *first, const void *second)
{
    const struct keel_report_place *a = first, *b = second;
    int where = compare_where(a->loop, b->loop);

    return where != 0 ? where : by_lost(first, second);
}

/* In one process, a template's loop has a site for each type, and so has an inlined function's for
 * each of its callers: times add up. Ranks run at the same time. */
static void add(struct keel_report_place *sum, const struct keel_report_place *place,
                bool in_process)
{
    sum->is_rest |= place->is_rest;
    sum->mixed |= place->mixed || compare_text(sum->loop->schedule, place->loop->schedule) != 0;
    sum->lost_s += place->lost_s;
    sum->waited_s += place->waited_s;
    sum->claiming_s += place->claiming_s;
    sum->busy_s += place->busy_s;
    sum->longest_s += place->longest_s;
    sum->iterations += place->iterations;
    if (in_process) {
        sum->elapsed_s += place->elapsed_s;
        sum->gain_s += place->gain_s;
        sum->instances += place->instances;
    } else {
        sum->elapsed_s = larger(sum->elapsed_s, place->elapsed_s);
        sum->gain_s = larger(sum->gain_s, place->gain_s);
        sum->instances = sum->instances > place->instances ? sum->instances : place->instances;
    }
}

/* Each place once, with the figures of the one that loses most first. A process may have several
 * loops without a known place, which stay apart. */
static size_t join(struct keel_report_place *place, size_t count, bool in_process)
{
    size_t kept = 0;

    qsort(place, count, sizeof *place, by_where);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && compare_text(place[i].loop->place, "") != 0 &&
            compare_where(place[kept - 1].loop, place[i].loop) == 0) {
            add(&place[kept - 1], &place[i], in_process);
        } else {
            place[kept++] = place[i];
        }
    }
    return kept;
}

struct keel_report_place *keel_report_places(const struct keel_report_job *job, size_t *count)
{
    size_t all = 0;

    for (size_t i = 0; i < job->count; i++) {
        all += job->process[i]->loop_count;
    }
    struct keel_report_place *place = all > 0 ? calloc(all, sizeof *place) : NULL;
    *count = 0;
    for (size_t i = 0; place != NULL && i < job->count; i++) {
        begin_places(job->process[i], place + *count);
        leave_out_inner(job->process[i], place + *count);
        *count += join(place + *count, job->process[i]->loop_count, true);
    }
    if (place != NULL) {
        *count = join(place, *count, false);
        qsort(place, *count, sizeof *place, by_lost);
    }
    return place;
}

double keel_report_place_imbalance(const struct keel_report_place *place)
{
    return place->busy_s > 0 ? larger(place->longest_s / place->busy_s - 1, 0) * 100 : 0;
}
