/* The report of this process: its recording, and the measurements of its sites. */
#define _GNU_SOURCE
#include "omp_ext/recorder/recording.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/machine/cores.h"
#include "omp_ext/observe/observers.h"
#include "omp_ext/recorder/recording_format.h"
#include "omp_ext/recorder/teams.h"
#include "omp_ext/report/own_report.h"
#include "omp_ext/report/report_document.h"
#include "omp_ext/report/report_data.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/slow_lock.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/schedule.h"
#include "schedules/text/text.h"

/* --- sites' measurements of loops ---
 *
 * They are part of every report; with KEEL_EXPLAIN, lines of text add the predictions, choices and
 * measurements of `auto`.
 *
 *   sites -> [measured, learned] -> report data -> report/ */

#define NUMBERS_MAX 16     /* per line */
#define READING_LEAVES 0.1 /* least part of a time hardly longer than a clock reading */
#define MANY_TIMES 10      /* from this ratio on, it is printed instead of percent */
#define CLOSE 1.25         /* forecasts beyond this times the best are listed as slower */

/* --- the records of a loop --- */

static bool is_of(const struct keel_measurement_view *view, const struct keel_report_loop *loop)
{
    const char *address = loop->address;

    return loop->kind == KEEL_REPORT_LOOP && address != NULL && view->records->address != NULL &&
           strcmp(view->records->address, address) == 0;
}

/* The longest-running record of the loop's largest teams; NULL if there is none. */
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

/* --- numbers. Records count units of `grain` iterations --- */

/* The time of a chunk includes one clock reading, which is subtracted; READING_LEAVES of the time
 * remains at least, as clock readings vary. */
static double iteration_ns(const struct keel_cost *cost)
{
    double mean_ns = keel_cost_mean_ns(cost);
    double reading_ns =
        keel_clock_reading_ns() * (double)cost->chunks / (double)max_u64(cost->iterations, 1);

    return fmax(mean_ns - reading_ns, READING_LEAVES * mean_ns);
}

/* For schedules whose parameters are measured once. */
static struct keel_report_measured measured_once(const struct keel_measurement_view *view)
{
    double grain = (double)view->wanted->grain;

    return (struct keel_report_measured){
        .iteration_s = iteration_ns(view->cost) / grain / 1e9,
        .deviation_s = keel_cost_deviation_ns(view->cost) / sqrt(grain) / 1e9,
        .claim_s = keel_cost_overhead_ns(view->cost) / 1e9,
    };
}

/* For a record with blocks. */
static struct keel_report_measured measured_in(const struct keel_record *record, double grain,
                                               struct keel_report_document *document)
{
    const struct keel_blocks *blocks = record->blocks;
    double *costs = keel_report_memory(document, KEEL_PROFILE_BINS, sizeof *costs);
    double *speeds = keel_report_memory(document, blocks->workers, sizeof *speeds);

    for (unsigned i = 0; costs != NULL && i < KEEL_PROFILE_BINS; i++) {
        costs[i] = blocks->profile.cost[i];
    }
    for (uint64_t i = 0; speeds != NULL && i < blocks->workers; i++) {
        speeds[i] = keel_blocks_speed(blocks, i);
    }
    return (struct keel_report_measured){
        .iteration_s = keel_blocks_iteration_ns(blocks) / grain / 1e9,
        .deviation_s = record->auto_state != NULL
                           ? record->auto_state->workload.deviation_ns / sqrt(grain) / 1e9
                           : 0,
        .claim_s = record->claim_ns / 1e9,
        .costs = costs,
        .costs_count = costs != NULL ? KEEL_PROFILE_BINS : 0,
        .speeds = speeds,
        .speeds_count = speeds != NULL ? blocks->workers : 0,
    };
}

/* --- the same in lines --- */

struct duration {
    char text[KEEL_DURATION_MAX];
};

static struct duration duration(double ns)
{
    struct duration duration;

    keel_duration_write(ns / 1e9, 3, duration.text);
    return duration;
}

static void print_measured(FILE *lines, const struct keel_report_measured *measured)
{
    double least = INFINITY, most = 0;

    fprintf(lines, "measured: an iteration takes %s", duration(1e9 * measured->iteration_s).text);
    for (size_t i = 0; i < measured->costs_count; i++) {
        least = fmin(least, measured->costs[i]);
        most = fmax(most, measured->costs[i]);
    }
    if (measured->costs_count > 0) {
        fprintf(lines, ", from %.2g to %.2g of that along the loop", least, most);
    }
    if (measured->deviation_s > 0) {
        fprintf(lines, ", deviation %s", duration(1e9 * measured->deviation_s).text);
    }
    if (measured->speeds_count > 0) {
        fputs("; speeds of the threads", lines);
    }
    for (size_t i = 0; i < measured->speeds_count && i < NUMBERS_MAX; i++) {
        fprintf(lines, " %.2f", measured->speeds[i]);
    }
    fputs(measured->speeds_count > NUMBERS_MAX ? " ..." : "", lines);
    if (measured->claim_s > 0) {
        fprintf(lines, "; a chunk costs %s", duration(1e9 * measured->claim_s).text);
    }
    fputs("\n", lines);
}

static double pace_ns(const struct keel_record_worker *worker)
{
    double pace_ns = atomic_load_explicit(&worker->pace_ns, memory_order_relaxed);

    return pace_ns > 0 ? pace_ns : worker->known.mean_ns;
}

/* For schedules that know only the pace of their threads. */
static void print_paces(FILE *lines, const struct keel_record *record, double grain)
{
    fputs("measured: an iteration takes the threads", lines);
    for (uint64_t i = 0; i < record->threads && i < NUMBERS_MAX; i++) {
        fprintf(lines, "%s %s", i > 0 ? "," : "",
                duration(pace_ns(&record->worker[i]) / grain).text);
    }
    fputs(record->threads > NUMBERS_MAX ? " ...\n" : "\n", lines);
}

static void print_blocks(FILE *lines, const struct keel_blocks *blocks)
{
    fputs("blocks: begin at", lines);
    for (uint64_t i = 0; i < blocks->workers && i < NUMBERS_MAX; i++) {
        fprintf(lines, " %.3f", blocks->worker[i].bound);
    }
    fprintf(lines, "%s of the loop, since %" PRIu64 " instance%s; moving them would gain %.1f %%\n",
            blocks->workers > NUMBERS_MAX ? " ..." : "", blocks->unchanged,
            keel_text_plural(blocks->unchanged), 100 * blocks->gain);
}

static void print_least_chunk(FILE *lines, const struct keel_policy *completed)
{
    if (completed != NULL && completed->spec.min_measured) {
        uint64_t least = completed->spec.value[KEEL_MIN].count * completed->grain;
        fprintf(lines,
                "smallest chunk: %" PRIu64 " iteration%s, as long as getting %d chunks; at most "
                "1/%d of a thread's share\n",
                least, keel_text_plural(least), KEEL_LEAST_CLAIMS, KEEL_LEAST_PARTS);
    }
}

static void print_judged(FILE *lines, struct keel_settled_site *site)
{
    if (!keel_brief_lock_try(&site->lock)) {
        return;
    }
    const struct keel_settled_judgement judged = site->judged;
    keel_brief_lock_release(&site->lock);
    if (judged.most > 0 && judged.is_static) {
        fprintf(lines, "short: up to %" PRIu64 " iterations are settled for static shares",
                judged.most);
    } else if (judged.most > 0) {
        fprintf(lines, "short: %" PRIu64 " iterations and more are scheduled", judged.least);
    }
    if (judged.most > 0) {
        fprintf(lines, "; static shares take %s; a schedule can gain %s and costs %s\n",
                duration(judged.span_ns).text, duration(judged.gain_ns).text,
                duration(judged.cost_ns).text);
    }
}

/* --- auto --- */

static const char *name_of(const struct keel_candidates *candidates, int candidate)
{
    return candidates->policy[candidate].spec.schedule->name;
}

/* `auto` learns only from instances that have iterations. */
static void print_waiting(FILE *lines, const struct keel_record *record)
{
    if (record->instances == 0) {
        fputs("auto has chosen nothing yet: no instance had iterations to measure\n", lines);
    } else {
        fprintf(lines,
                "auto has chosen nothing yet: %" PRIu64 " instance%s, %s in all, too little: it "
                "compares schedules once they have taken %s\n",
                record->instances, keel_text_plural(record->instances),
                duration(record->total_ns).text,
                duration(keel_candidates_forecasts_due_ns(record->auto_state)).text);
    }
}

/* The candidate with the next larger forecast after `last` (-1: the smallest); -1 if none. */
static int next_forecast(const struct keel_auto_state *state, int last)
{
    const struct keel_forecast *forecast = state->forecast;
    int next = -1;

    for (int i = 0; i < (int)state->choice.count; i++) {
        bool after = last < 0 || forecast[i].time_ns > forecast[last].time_ns ||
                     (forecast[i].time_ns == forecast[last].time_ns && i > last);
        if (after && forecast[i].time_ns > 0 &&
            (next < 0 || forecast[i].time_ns < forecast[next].time_ns)) {
            next = i;
        }
    }
    return next;
}

/* Best first; those beyond CLOSE after "slower:". */
static void print_predicted(FILE *lines, const struct keel_candidates *candidates,
                            const struct keel_auto_state *state)
{
    const int best = next_forecast(state, -1);
    const char *separator = "";
    bool far = false;

    fputs("predicted:", lines);
    for (int i = best; i >= 0; i = next_forecast(state, i)) {
        double time_ns = state->forecast[i].time_ns;
        bool is_far = time_ns > CLOSE * state->forecast[best].time_ns;
        fprintf(lines, "%s %s %s", is_far && !far ? "; slower:" : separator, name_of(candidates, i),
                duration(time_ns).text);
        far = is_far;
        separator = ",";
    }
    fputs("\n", lines);
}

/* "3 % more than predicted" */
static void print_difference(FILE *lines, const struct keel_selection_entry *entry, bool kept)
{
    if (!(entry->forecast_ns > 0)) {
        return;
    }
    double times = entry->measured_ns / entry->forecast_ns, percent = 100 * (times - 1);
    if (times >= MANY_TIMES) {
        fprintf(lines, kept ? ", %.0f times what was predicted" : " (%.0f times that)", times);
    } else if (!kept) {
        fprintf(lines, " (%+.0f %%)", percent);
    } else if (fabs(percent) < 0.5) {
        fputs(", as predicted", lines);
    } else {
        fprintf(lines, ", %.0f %% %s than predicted", fabs(percent), percent > 0 ? "more" : "less");
    }
}

/* The chosen schedule first. */
static void print_seen(FILE *lines, const struct keel_candidates *candidates,
                       const struct keel_auto_state *state)
{
    const struct keel_selection *choice = &state->choice;
    double iterations =
        (double)(state->workload.iterations > 0 ? state->workload.iterations : state->iterations);
    const char *separator = "seen:";

    for (int turn = -1; turn < (int)choice->count; turn++) {
        int i = turn < 0 ? choice->kept : turn;
        const struct keel_selection_entry *entry = &choice->entry[i < 0 ? 0 : i];
        if (i >= 0 && (turn < 0 || i != choice->kept) && entry->measured_ns > 0 &&
            entry->instances > 0) {
            fprintf(lines, "%s %s %s in %" PRIu64 " instance%s", separator, name_of(candidates, i),
                    duration(entry->measured_ns * iterations).text, (uint64_t)entry->instances,
                    keel_text_plural(entry->instances));
            print_difference(lines, entry, i == choice->kept);
            separator = ";";
        }
    }
    fputs(separator[0] == ';' ? "\n" : "", lines);
}

/* A choice from an earlier run may be kept without forecasts. */
static void print_auto(FILE *lines, const struct keel_candidates *candidates,
                       const struct keel_record *record)
{
    const struct keel_auto_state *state = record->auto_state;
    const struct keel_selection *choice = &state->choice;
    bool forecast = state->workload.iterations > 0;

    if (!forecast && choice->kept < 0) {
        print_waiting(lines, record);
        return;
    }
    fprintf(lines, "auto chose %s (%s), after measuring %" PRIu64 " time%s%s\n",
            name_of(candidates, choice->kept), keel_selection_reason_text(choice->reason),
            choice->measurements, keel_text_plural(choice->measurements),
            choice->phase == KEEL_SELECTION_MEASURING ? "; it is measuring again" : "");
    if (forecast) {
        print_predicted(lines, candidates, state);
    }
    print_seen(lines, candidates, state);
}

/* --- the measurements of one loop --- */

struct learning {
    struct keel_report_document *document;
    struct keel_report_loop *loop;
    FILE *lines; /* NULL without KEEL_EXPLAIN */
};

/* Bounds of blocks mean little while `auto` runs another schedule. Call with the record's lock
 * held. */
static void learn_record(struct learning *learning, const struct keel_measurement_view *view,
                         const struct keel_record *record)
{
    double grain = (double)view->wanted->grain;
    const bool has_blocks = record->blocks != NULL && record->blocks->instances > 0;

    if (has_blocks) {
        learning->loop->measured = measured_in(record, grain, learning->document);
    }
    if (learning->lines == NULL) {
        return;
    }
    if (has_blocks) {
        print_measured(learning->lines, &learning->loop->measured);
    } else if (record->blocks == NULL) {
        print_paces(learning->lines, record, grain);
    }
    if (record->auto_state != NULL) {
        print_auto(learning->lines, view->candidates, record);
    } else if (has_blocks) {
        print_blocks(learning->lines, record->blocks);
    }
}

static void learn_view(const struct keel_measurement_view *view, void *context)
{
    struct learning *learning = context;

    if (!is_of(view, learning->loop)) {
        return;
    }
    struct keel_record *record = record_of(view, learning->loop->threads);
    if (view->cost->chunks > 0 && view->wanted->spec.schedule->learns == KEEL_LEARNS_NOT) {
        learning->loop->measured = measured_once(view);
        if (learning->lines != NULL) {
            print_measured(learning->lines, &learning->loop->measured);
        }
    }
    if (record != NULL && keel_brief_lock_try(&record->lock)) {
        learn_record(learning, view, record);
        keel_brief_lock_release(&record->lock);
    }
    if (learning->lines != NULL) {
        print_least_chunk(learning->lines, view->completed);
        print_judged(learning->lines, view->settled_site);
    }
}

/* Fills in `measured` of the loops of a process of keel_recording_report(); with KEEL_EXPLAIN, also
 * `learned`. Takes keel_slow_lock. The loops are const only for readers of the report data. */
static void learned_fill_in(struct keel_report_document *document,
                            const struct keel_report_process *process)
{
    locale_t previous = keel_c_locale_enter();

    for (size_t i = 0; i < process->loop_count; i++) {
        char *text = NULL;
        size_t length = 0;
        struct learning learning = {document, (struct keel_report_loop *)&process->loop[i],
                                    keel_settings()->explain ? open_memstream(&text, &length)
                                                             : NULL};
        keel_slow_lock();
        keel_site_each(learn_view, &learning);
        keel_slow_unlock();
        if (learning.lines != NULL && fclose(learning.lines) == 0) {
            learning.loop->learned = keel_report_copy(document, text, length);
        }
        free(text);
    }
    keel_c_locale_leave(previous);
}

/* --- the report --- */

#define EXPORT __attribute__((visibility("default")))

/* CLOCK_MONOTONIC at the start of the process. */
static double began_s(void)
{
    const struct keel_recording_header *header = keel_recording;
    uint64_t recorded = keel_clock_ticks() - header->start;

    return keel_clock_s() - (double)recorded * header->seconds_per_tick - header->before_s;
}

static bool is_wanted(void)
{
    return keel_settings()->report || keel_settings()->explain;
}

/* --- data of the MPI layer --- */

static keel_report_ranks_provider *_Atomic ranks_provider;
static keel_report_calls_provider *_Atomic calls_provider;

EXPORT bool keel_report_meet(uint32_t version, keel_report_ranks_provider *provider,
                             uint32_t *newest)
{
    *newest = KEEL_REPORT_RANKS_VERSION;
    if (version != KEEL_REPORT_RANKS_VERSION) {
        return false;
    }
    atomic_store(&ranks_provider, provider);
    return true;
}

EXPORT bool keel_report_meet_calls(uint32_t version, keel_report_calls_provider *provider)
{
    if (version != KEEL_REPORT_CALLS_VERSION || !is_wanted()) {
        return false;
    }
    atomic_store(&calls_provider, provider);
    return true;
}

static bool add_ranks(double began_s, struct keel_report_process *process)
{
    keel_report_ranks_provider *provider = atomic_load(&ranks_provider);

    return provider != NULL && provider(began_s, process);
}

static bool add_calls(struct keel_report_process *process)
{
    keel_report_calls_provider *provider = atomic_load(&calls_provider);

    return provider != NULL && provider(process);
}

static void name_calls(struct keel_report_document *document,
                       const struct keel_report_process *process)
{
    for (size_t i = 0; i < process->call_count; i++) {
        struct keel_report_call *call = (struct keel_report_call *)&process->call[i];
        const struct keel_call_site site = {.caller = call->caller};
        char place[KEEL_SITE_NAME_MAX] = "several places";
        if (call->caller != NULL) {
            keel_site_name(&site, place);
        }
        call->place = keel_report_copy(document, place, strlen(place));
    }
}

/* Recording begins with the first region. A rank without regions may have rows and objects to
 * report, so its recording begins at its end. Other processes without regions have not read the
 * settings, and print no messages about them. */
static void begin_for_ranks(void)
{
    struct keel_report_process process = {0};

    if (keel_recording == NULL && (add_ranks(keel_clock_s(), &process) || add_calls(&process)) &&
        is_wanted()) {
        keel_observers_begin();
    }
}

/* Returns false if memory is short. */
static bool add_report_data(struct keel_report_document *document)
{
    keel_recording_find_names(true);
    struct keel_report_process *process =
        keel_recording_report(keel_recording, keel_recording_used(), document);
    if (process == NULL) {
        return false;
    }
    struct keel_cores cores = keel_cores_of_process();
    process->cores = (struct keel_report_cores){cores.online, cores.allowed, cores.quota};
    add_ranks(began_s(), process);
    if (keel_site_source_ready() && add_calls(process)) {
        name_calls(document, process);
    }
    learned_fill_in(document, process);
    keel_report_complete(document, process);
    return true;
}

void keel_live_report(bool quickly)
{
    struct keel_report_document document = {0};

    begin_for_ranks();
    if (!keel_recorder_records()) {
        return;
    }
    keel_team_places_end();
    keel_recording_complete();
    if (!quickly) {
        fflush(stdout);
    }
    if (add_report_data(&document) &&
        keel_report_hand_over(document.process[0], keel_report_file_name())) {
        keel_recording_store_remove();
    }
    keel_report_document_free(&document);
}
