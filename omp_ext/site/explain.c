/* KEEL_EXPLAIN. */
#include "omp_ext/site/explain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "omp_ext/settings/settings.h"
#include "omp_ext/site/candidates.h"
#include "omp_ext/site/record.h"
#include "omp_ext/site/settled.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/message.h"
#include "schedules/learn/least_chunk.h"
#include "schedules/loop/spec.h"
#include "schedules/text/c_locale.h"
#include "schedules/text/text.h"

#define NUMBERS_MAX 16 /* per line */

/* A line that grows, cut where it is full. */
struct line {
    char text[480];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void append(struct line *line, const char *format, ...)
{
    va_list arguments;

    locale_t previous = keel_c_locale_enter();
    va_start(arguments, format);
    line->length =
        keel_text_append_list(line->text, sizeof line->text, line->length, format, arguments);
    va_end(arguments);
    keel_c_locale_leave(previous);
}

/* A time in the unit that suits it. */
static void append_time(struct line *line, double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    unsigned unit = 0;

    for (; unit < 3 && ns >= 1000; unit++) {
        ns /= 1000;
    }
    append(line, "%.3g %s", ns, units[unit]);
}

static void print_line(const struct line *line)
{
    keel_message("%s", line->text);
}

/* --- lines of KEEL_EXPLAIN --- */

static void print_site(const struct keel_measurement_view *view, const struct keel_record *record)
{
    const char *name = view->records->name != NULL ? view->records->name : "a loop";
    char spec[KEEL_SPEC_TEXT_MAX];
    struct line line = {0};

    keel_policy_write(view->wanted, spec, sizeof spec);
    append(&line, "%s, %s", name, spec);
    if (record != NULL) {
        append(&line, ", %llu threads", (unsigned long long)record->threads);
    }
    if (record != NULL && record->instances > 0) {
        append(&line, ": %llu instances, mean ", (unsigned long long)record->instances);
        append_time(&line, record->total_ns / (double)record->instances);
    }
    print_line(&line);
}

static void append_speeds(struct line *line, const struct keel_blocks *blocks)
{
    append(line, ", speeds");
    for (uint64_t i = 0; i < blocks->workers && i < NUMBERS_MAX; i++) {
        append(line, " %.2f", keel_blocks_speed(blocks, i));
    }
    append(line, blocks->workers > NUMBERS_MAX ? " ..." : "");
}

static void append_profile(struct line *line, const struct keel_profile *profile)
{
    double least = INFINITY, most = 0;

    for (unsigned i = 0; i < KEEL_PROFILE_BINS; i++) {
        least = fmin(least, profile->cost[i]);
        most = fmax(most, profile->cost[i]);
    }
    append(line, ", costs along the loop %.2g to %.2g of the mean", least, most);
}

/* Records count units of `grain` iterations; people are told of iterations. */
static void print_measured(const struct keel_record *record, double grain)
{
    const struct keel_blocks *blocks = record->blocks;
    struct line line = {0};

    append(&line, "  measured: an iteration takes ");
    append_time(&line, keel_blocks_iteration_ns(blocks) / grain);
    if (record->auto_state != NULL && record->auto_state->workload.iterations > 0) {
        append(&line, ", deviation ");
        append_time(&line, record->auto_state->workload.deviation_ns / sqrt(grain));
    }
    append_profile(&line, &blocks->profile);
    append_speeds(&line, blocks);
    append(&line, ", a chunk costs ");
    append_time(&line, record->claim_ns);
    print_line(&line);
}

static void print_blocks(const struct keel_blocks *blocks)
{
    struct line line = {0};

    append(&line, "  blocks: begin at");
    for (uint64_t i = 0; i < blocks->workers && i < NUMBERS_MAX; i++) {
        append(&line, " %.3f", blocks->worker[i].bound);
    }
    append(&line, "%s of the loop; where they are since %llu instances, moving would gain %.1f %%",
           blocks->workers > NUMBERS_MAX ? " ..." : "", (unsigned long long)blocks->unchanged,
           100 * blocks->gain);
    print_line(&line);
}

static const char *candidate_name(const struct keel_measurement_view *view, int candidate)
{
    return view->candidates->policy[candidate].spec.schedule->name;
}

static void print_predicted(const struct keel_measurement_view *view,
                            const struct keel_auto_state *auto_state)
{
    struct line line = {0};

    append(&line, "  predicted:");
    for (unsigned i = 0; i < view->candidates->count; i++) {
        append(&line, "%s %s ", i > 0 ? "," : "", candidate_name(view, (int)i));
        append_time(&line, auto_state->forecast[i].time_ns);
    }
    print_line(&line);
}

static void print_chosen(const struct keel_measurement_view *view,
                         const struct keel_auto_state *auto_state)
{
    const struct keel_selection *choice = &auto_state->choice;
    struct line line = {0};

    append(&line, "  chosen: %s (%s), after measuring %llu time%s",
           choice->kept >= 0 ? candidate_name(view, choice->kept) : "nothing yet",
           keel_selection_reason_text(choice->reason), (unsigned long long)choice->measurements,
           choice->measurements == 1 ? "" : "s");
    print_line(&line);
}

static void print_seen(const struct keel_measurement_view *view,
                       const struct keel_auto_state *auto_state)
{
    const struct keel_selection *choice = &auto_state->choice;
    double iterations =
        (double)(auto_state->workload.iterations > 0 ? auto_state->workload.iterations
                                                     : auto_state->iterations);
    struct line line = {0};

    append(&line, "  seen:");
    for (unsigned i = 0; i < choice->count; i++) {
        const struct keel_selection_entry *entry = &choice->entry[i];
        if (entry->measured_ns > 0) {
            append(&line, " %s ", candidate_name(view, (int)i));
            append_time(&line, entry->measured_ns * iterations);
            append(&line, " in %llu", (unsigned long long)entry->instances);
        }
    }
    append(&line, " instances; band %.0f %%", 100 * (keel_selection_band(choice) - 1));
    print_line(&line);
}

/* What was recalled from an earlier run may be kept without forecasts. */
static void print_choice(const struct keel_measurement_view *view,
                         const struct keel_auto_state *auto_state)
{
    bool forecast = auto_state->workload.iterations > 0;

    if (forecast) {
        print_predicted(view, auto_state);
    }
    if (forecast || auto_state->choice.kept >= 0) {
        print_chosen(view, auto_state);
    }
    if (forecast || (auto_state->choice.kept >= 0 &&
                     auto_state->choice.entry[auto_state->choice.kept].measured_ns > 0)) {
        print_seen(view, auto_state);
    }
}

/* Of schedules that know no more of their threads. */
static void print_paces(const struct keel_record *record, double grain)
{
    struct line line = {0};

    append(&line, "  measured: an iteration takes the threads");
    for (uint64_t i = 0; i < record->threads && i < NUMBERS_MAX; i++) {
        const struct keel_record_worker *worker = &record->worker[i];
        double pace_ns = atomic_load_explicit(&worker->pace_ns, memory_order_relaxed);
        append(&line, "%s ", i > 0 ? "," : "");
        append_time(&line, (pace_ns > 0 ? pace_ns : worker->known.mean_ns) / grain);
    }
    append(&line, "%s", record->threads > NUMBERS_MAX ? " ..." : "");
    print_line(&line);
}

static void print_record(const struct keel_measurement_view *view, const struct keel_record *record)
{
    double grain = (double)view->wanted->grain;

    print_site(view, record);
    if (record->blocks != NULL && record->blocks->instances > 0) {
        print_measured(record, grain);
        print_blocks(record->blocks);
    } else if (record->blocks == NULL) {
        print_paces(record, grain);
    }
    if (record->auto_state != NULL) {
        print_choice(view, record->auto_state);
    }
}

/* Parameters that were measured once. */
static void print_parameters(const struct keel_measurement_view *view)
{
    double grain = (double)view->wanted->grain;
    struct line line = {0};

    print_site(view, NULL);
    append(&line, "  measured: an iteration takes ");
    append_time(&line, keel_cost_mean_ns(view->cost) / grain);
    append(&line, ", deviation ");
    append_time(&line, keel_cost_deviation_ns(view->cost) / sqrt(grain));
    append(&line, ", a chunk costs ");
    append_time(&line, keel_cost_overhead_ns(view->cost));
    if (view->wanted->spec.schedule->states_min) {
        double part = view->cost->overhead_ns / (view->cost->overhead_ns + view->cost->time_ns);
        append(&line, ", claims take %.0f %% of the time", 100 * part);
    }
    print_line(&line);
}

static void print_least_chunk(const struct keel_measurement_view *view)
{
    const struct keel_policy *completed = view->completed;
    struct line line = {0};

    if (completed == NULL || !completed->spec.min_measured) {
        return;
    }
    append(&line,
           "  smallest chunk: %llu iterations, which last as long as %d claims; less where "
           "that is more than 1/%d of a thread's share",
           (unsigned long long)(completed->spec.value[KEEL_MIN].count * completed->grain),
           KEEL_LEAST_CLAIMS, KEEL_LEAST_PARTS);
    print_line(&line);
}

/* Under settled->lock. */
static void print_settled(const struct keel_settled_length *settled)
{
    bool is_static =
        atomic_load_explicit(&settled->phase, memory_order_relaxed) == KEEL_SETTLED_STATIC;
    unsigned long long shortest = 1ull << settled->length;
    struct line line = {0};

    append(&line, "  %llu to %llu iterations, %llu threads: %s, as static shares take ", shortest,
           2 * shortest - 1, (unsigned long long)settled->threads,
           is_static ? "settled for static shares" : "scheduled");
    append_time(&line, keel_trials_span_ns(&settled->trials));
    append(&line, " and scheduling can gain ");
    append_time(&line, keel_trials_gain_ns(&settled->trials));
    append(&line, " of that for ");
    append_time(&line, settled->cost_ns);
    print_line(&line);
}

static void print_settled_lengths(const struct keel_measurement_view *view)
{
    /* acquire: pairs with the release of what finds it */
    for (struct keel_settled_length *settled =
             atomic_load_explicit(&view->settled_site->first, memory_order_acquire);
         settled != NULL; settled = settled->next) {
        if (keel_brief_lock_try(&settled->lock)) {
            if (settled->trials.count > 0) {
                print_settled(settled);
            }
            keel_brief_lock_release(&settled->lock);
        }
    }
}

static void print_view(const struct keel_measurement_view *view, void *context)
{
    bool parameters =
        view->cost->chunks > 0 && view->wanted->spec.schedule->learns == KEEL_LEARNS_NOT;

    (void)context;
    if (parameters) {
        print_parameters(view);
    }
    /* acquire: pairs with the release in keel_record_of_team() */
    for (struct keel_record *record =
             atomic_load_explicit(&view->records->first, memory_order_acquire);
         record != NULL; record = record->next) {
        if (keel_brief_lock_try(&record->lock)) {
            print_record(view, record);
            keel_brief_lock_release(&record->lock);
        }
    }
    print_least_chunk(view);
    print_settled_lengths(view);
}

/* A process that came to no loop is not told that its environment is wrong, either. */
void keel_explain(void)
{
    /* acquire: pairs with the release in keel_settings_take() */
    const struct keel_settings *settings =
        atomic_load_explicit(&keel_settings_taken, memory_order_acquire);

    if (settings != NULL && settings->explain) {
        keel_slow_lock();
        keel_site_each(print_view, NULL);
        keel_slow_unlock();
    }
}
