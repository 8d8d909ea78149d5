/* What sites have measured of loops, for the figures of every report. */
#include "omp_ext/explain/explain_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/recorder/recording_reader.h"
#include "omp_ext/report/report_advice.h"
#include "omp_ext/site/settled.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/slow_lock.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/forecast/predict.h"
#include "schedules/loop/least_chunk.h"

#define NUMBERS_MAX 16     /* per line */
#define THREADS_MAX 512    /* whose speeds are in figures */
#define READING_LEAVES 0.1 /* of a time that is hardly longer than reading the clock */

/* --- what belongs to a loop --- */

static bool is_of(const struct keel_measurement_view *view, const struct keel_report_loop *loop)
{
    const char *address = loop->address;

    return loop->kind == KEEL_REPORT_LOOP && address != NULL && view->records->address != NULL &&
           strcmp(view->records->address, address) == 0;
}

/* Of the records of the loop's largest teams, the one that has seen most; NULL: there is none. */
static struct keel_record *record_of(const struct keel_measurement_view *view, uint64_t threads)
{
    struct keel_record *found = NULL;

    for (/* acquire: pairs with the release in keel_record_of_team() */
         struct keel_record *record =
             atomic_load_explicit(&view->records->first, memory_order_acquire);
         record != NULL; record = record->next) {
        if (record->threads == threads && (found == NULL || record->total_ns > found->total_ns)) {
            found = record;
        }
    }
    return found;
}

/* --- costs and speeds --- */

static void append_speeds(struct keel_explain_lines *lines, const struct keel_blocks *blocks)
{
    keel_explain_append(lines, "; speeds of the threads");
    for (uint64_t i = 0; i < blocks->workers && i < NUMBERS_MAX; i++) {
        keel_explain_append(lines, " %.2f", keel_blocks_speed(blocks, i));
    }
    keel_explain_append(lines, blocks->workers > NUMBERS_MAX ? " ..." : "");
}

static void append_profile(struct keel_explain_lines *lines, const struct keel_profile *profile)
{
    double least = INFINITY, most = 0;

    for (unsigned i = 0; i < KEEL_PROFILE_BINS; i++) {
        least = fmin(least, profile->cost[i]);
        most = fmax(most, profile->cost[i]);
    }
    keel_explain_append(lines, ", from %.2g to %.2g of that along the loop", least, most);
}

/* Records count units of `grain` iterations; people are told of iterations. */
static void print_blocks_costs(struct keel_explain_lines *lines, const struct keel_record *record,
                               double grain)
{
    const struct keel_blocks *blocks = record->blocks;

    keel_explain_append(lines, "measured: an iteration takes ");
    keel_explain_append_time(lines, keel_blocks_iteration_ns(blocks) / grain);
    append_profile(lines, &blocks->profile);
    if (record->auto_state != NULL && record->auto_state->workload.iterations > 0) {
        keel_explain_append(lines, ", deviation ");
        keel_explain_append_time(lines, record->auto_state->workload.deviation_ns / sqrt(grain));
    }
    append_speeds(lines, blocks);
    if (record->claim_ns > 0) {
        keel_explain_append(lines, "; a chunk costs ");
        keel_explain_append_time(lines, record->claim_ns);
    }
    keel_explain_append(lines, "\n");
}

static void print_blocks(struct keel_explain_lines *lines, const struct keel_blocks *blocks)
{

    keel_explain_append(lines, "blocks: begin at");
    for (uint64_t i = 0; i < blocks->workers && i < NUMBERS_MAX; i++) {
        keel_explain_append(lines, " %.3f", blocks->worker[i].bound);
    }
    keel_explain_append(
        lines, "%s of the loop, since %llu instance%s; moving them would gain %.1f %%",
        blocks->workers > NUMBERS_MAX ? " ..." : "", (unsigned long long)blocks->unchanged,
        blocks->unchanged == 1 ? "" : "s", 100 * blocks->gain);
    keel_explain_append(lines, "\n");
}

static double pace_ns(const struct keel_record_worker *worker)
{
    double pace_ns = atomic_load_explicit(&worker->pace_ns, memory_order_relaxed);

    return pace_ns > 0 ? pace_ns : worker->known.mean_ns;
}

/* Of schedules that know no more of their threads. */
static void print_paces(struct keel_explain_lines *lines, const struct keel_record *record,
                        double grain)
{

    keel_explain_append(lines, "measured: an iteration takes the threads");
    for (uint64_t i = 0; i < record->threads && i < NUMBERS_MAX; i++) {
        keel_explain_append(lines, "%s ", i > 0 ? "," : "");
        keel_explain_append_time(lines, pace_ns(&record->worker[i]) / grain);
    }
    keel_explain_append(lines, "%s", record->threads > NUMBERS_MAX ? " ..." : "");
    keel_explain_append(lines, "\n");
}

/* Parameters that were measured once. */
static void print_parameters(struct keel_explain_lines *lines,
                             const struct keel_measurement_view *view)
{
    double grain = (double)view->wanted->grain;

    keel_explain_append(lines, "measured: an iteration takes ");
    keel_explain_append_time(lines, keel_cost_mean_ns(view->cost) / grain);
    keel_explain_append(lines, ", deviation ");
    keel_explain_append_time(lines, keel_cost_deviation_ns(view->cost) / sqrt(grain));
    keel_explain_append(lines, "; a chunk costs ");
    keel_explain_append_time(lines, keel_cost_overhead_ns(view->cost));
    keel_explain_append(lines, "\n");
}

/* --- what follows from it --- */

static void print_least_chunk(struct keel_explain_lines *lines,
                              const struct keel_measurement_view *view)
{
    const struct keel_policy *completed = view->completed;

    if (completed == NULL || !completed->spec.min_measured) {
        return;
    }
    uint64_t least = completed->spec.value[KEEL_MIN].count * completed->grain;
    keel_explain_append(lines,
                        "smallest chunk: %llu iteration%s, as long as getting %d chunks; at most "
                        "1/%d of a thread's "
                        "share",
                        (unsigned long long)least, least == 1 ? "" : "s", KEEL_LEAST_CLAIMS,
                        KEEL_LEAST_PARTS);
    keel_explain_append(lines, "\n");
}

static void print_settled(struct keel_explain_lines *lines,
                          const struct keel_settled_judgement *judged)
{

    if (judged->is_static) {
        keel_explain_append(lines, "short: up to %llu iterations are settled for static shares",
                            (unsigned long long)judged->most);
    } else {
        keel_explain_append(lines, "short: %llu iterations and more are scheduled",
                            (unsigned long long)judged->least);
    }
    keel_explain_append(lines, "; static shares take ");
    keel_explain_append_time(lines, judged->span_ns);
    keel_explain_append(lines, "; a schedule can gain ");
    keel_explain_append_time(lines, judged->gain_ns);
    keel_explain_append(lines, " and costs ");
    keel_explain_append_time(lines, judged->cost_ns);
    keel_explain_append(lines, "\n");
}

static void print_judged(struct keel_explain_lines *lines, const struct keel_measurement_view *view)
{
    struct keel_settled_site *site = view->settled_site;

    if (keel_brief_lock_try(&site->lock)) {
        if (site->judged.most > 0) {
            print_settled(lines, &site->judged);
        }
        keel_brief_lock_release(&site->lock);
    }
}

/* --- all of a place --- */

struct explained {
    const struct keel_report_loop *loop;
    struct keel_explain_lines lines;
};

/* Where blocks lie says little while `auto` runs another schedule. */
static void print_record(struct keel_explain_lines *lines, const struct keel_measurement_view *view,
                         const struct keel_record *record)
{
    double grain = (double)view->wanted->grain;

    if (record->blocks == NULL) {
        print_paces(lines, record, grain);
    } else if (record->blocks->instances > 0) {
        print_blocks_costs(lines, record, grain);
    }
    if (record->auto_state != NULL) {
        keel_explain_choice(lines, view->candidates, record);
    } else if (record->blocks != NULL && record->blocks->instances > 0) {
        print_blocks(lines, record->blocks);
    }
}

static void print_view(const struct keel_measurement_view *view, void *context)
{
    struct explained *explained = context;
    struct keel_explain_lines *lines = &explained->lines;
    uint64_t threads = explained->loop->threads;

    if (!is_of(view, explained->loop)) {
        return;
    }
    struct keel_record *record = record_of(view, threads);
    if (view->cost->chunks > 0 && view->wanted->spec.schedule->learns == KEEL_LEARNS_NOT) {
        print_parameters(lines, view);
    }
    if (record != NULL && keel_brief_lock_try(&record->lock)) {
        print_record(lines, view, record);
        keel_brief_lock_release(&record->lock);
    }
    print_least_chunk(lines, view);
    print_judged(lines, view);
}

/* A line each; NULL: nothing is known, or memory is short. */
static char *lines_of(const struct keel_report_loop *loop)
{
    struct explained explained = {.loop = loop};

    keel_slow_lock();
    keel_site_each(print_view, &explained);
    keel_slow_unlock();
    return explained.lines.length > 0 ? strdup(explained.lines.text) : NULL;
}

/* --- for advice and reports --- */

/* What `measured` and `learned` of a loop point into. */
struct learned_loop {
    double costs[KEEL_PROFILE_BINS];
    double speeds[THREADS_MAX];
    char *lines;
};

struct keel_learned {
    size_t count;
    struct learned_loop *loop[];
};

struct filled {
    struct keel_report_loop *loop;
    struct learned_loop *learned;
};

static void fill_in_record(const struct keel_record *record, double grain, struct filled *filled)
{
    struct keel_report_measured *measured = &filled->loop->measured;
    const struct keel_blocks *blocks = record->blocks;

    if (blocks == NULL || blocks->instances == 0) {
        return;
    }
    for (unsigned i = 0; i < KEEL_PROFILE_BINS; i++) {
        filled->learned->costs[i] = blocks->profile.cost[i];
    }
    for (uint64_t i = 0; i < blocks->workers && i < THREADS_MAX; i++) {
        filled->learned->speeds[i] = keel_blocks_speed(blocks, i);
    }
    *measured = (struct keel_report_measured){
        .iteration_s = keel_blocks_iteration_ns(blocks) / grain / 1e9,
        .claim_s = record->claim_ns / 1e9,
        .costs = filled->learned->costs,
        .cost_count = KEEL_PROFILE_BINS,
    };
    if (record->auto_state != NULL) {
        measured->deviation_s = record->auto_state->workload.deviation_ns / sqrt(grain) / 1e9;
    }
    if (blocks->workers <= THREADS_MAX) {
        measured->speeds = filled->learned->speeds;
        measured->speed_count = blocks->workers;
    }
}

/* The time of a chunk has one reading of the clock in it, which is no time of its iterations; of
 * what is left, no more than that part is taken off, as readings vary. */
static double iteration_ns(const struct keel_cost *cost)
{
    double mean_ns = keel_cost_mean_ns(cost);
    double reading_ns =
        keel_clock_reading_ns() * (double)cost->chunks / (double)max_u64(cost->iterations, 1);

    return fmax(mean_ns - reading_ns, READING_LEAVES * mean_ns);
}

static void fill_in_costs(const struct keel_measurement_view *view, struct filled *filled)
{
    double grain = (double)view->wanted->grain;

    filled->loop->measured = (struct keel_report_measured){
        .iteration_s = iteration_ns(view->cost) / grain / 1e9,
        .deviation_s = keel_cost_deviation_ns(view->cost) / sqrt(grain) / 1e9,
        .claim_s = keel_cost_overhead_ns(view->cost) / 1e9,
    };
}

static void fill_in_view(const struct keel_measurement_view *view, void *context)
{
    struct filled *filled = context;

    if (!is_of(view, filled->loop)) {
        return;
    }
    struct keel_record *record = record_of(view, filled->loop->threads);
    if (view->cost->chunks > 0 && view->wanted->spec.schedule->learns == KEEL_LEARNS_NOT) {
        fill_in_costs(view, filled);
    }
    if (record != NULL && keel_brief_lock_try(&record->lock)) {
        fill_in_record(record, (double)view->wanted->grain, filled);
        keel_brief_lock_release(&record->lock);
    }
}

/* Of a chunk, by the schedule in force. Chunks of a plan need no clock. 0: they are not claimed. */
static double claim_s(const struct keel_report_loop *figures)
{
    double timed_s = figures->measured.claim_s;
    struct keel_claim_costs costs =
        keel_predict_claim_costs(timed_s > 0 ? 1e9 * timed_s : 1e9 * KEEL_RECORDING_CLAIM_S);
    struct keel_spec spec;

    if (!keel_report_schedule_of(figures, &spec)) {
        return costs.timed_ns / 1e9;
    }
    return keel_predict_claim_ns(spec.schedule, &costs) / 1e9;
}

/* The recorder takes all chunks to cost the same. */
static void divide_busy_time(const struct keel_report_loop *loop)
{
    double each_s = claim_s(loop);

    for (uint32_t i = 0; i < loop->threads && loop->thread != NULL; i++) {
        struct keel_report_thread *thread = (struct keel_report_thread *)&loop->thread[i];
        double both_s = thread->busy_s + thread->claiming_s;
        thread->claiming_s = fmin((double)thread->chunks * each_s, both_s / 2);
        thread->busy_s = both_s - thread->claiming_s;
    }
}

/* The loops of figures are constant to all but those who make them, and this. */
struct keel_learned *keel_learned_fill_in(struct keel_report_process *process, bool explained)
{
    size_t count = process->loop_count;
    struct keel_learned *all = calloc(1, sizeof *all + count * sizeof all->loop[0]);

    for (; all != NULL && all->count < count; all->count++) {
        struct filled filled = {(struct keel_report_loop *)&process->loop[all->count],
                                malloc(sizeof *filled.learned)};
        all->loop[all->count] = filled.learned;
        if (filled.learned != NULL) {
            keel_slow_lock();
            keel_site_each(fill_in_view, &filled);
            keel_slow_unlock();
            filled.learned->lines = explained ? lines_of(filled.loop) : NULL;
            filled.loop->learned = filled.learned->lines != NULL ? filled.learned->lines : "";
        }
        divide_busy_time(filled.loop);
    }
    return all;
}

void keel_learned_free(struct keel_learned *learned)
{
    for (size_t i = 0; learned != NULL && i < learned->count; i++) {
        free(learned->loop[i] != NULL ? learned->loop[i]->lines : NULL);
        free(learned->loop[i]);
    }
    free(learned);
}
