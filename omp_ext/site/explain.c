/* KEEL_EXPLAIN. */
#include "omp_ext/site/explain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "omp_ext/site/auto.h"
#include "omp_ext/support/message.h"
#include "omp_ext/site/record.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/settled.h"
#include "omp_ext/site/site.h"
#include "schedules/learn/least_chunk.h"
#include "schedules/text/number.h"
#include "schedules/loop/spec.h"

#define NUMBERS_MAX 16 /* per line */

/* A line that grows, cut where it is full. */
struct line {
    char text[480];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void append(struct line *line, const char *format, ...)
{
    va_list arguments;

    locale_t previous = keel_number_enter();
    va_start(arguments, format);
    int added =
        vsnprintf(line->text + line->length, sizeof line->text - line->length, format, arguments);
    va_end(arguments);
    keel_number_leave(previous);
    line->length = (size_t)fmin((double)(line->length + (size_t)added), sizeof line->text - 1);
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

static void say(const struct line *line)
{
    keel_message("%s", line->text);
}

/* --- what is told --- */

static void tell_site(const struct keel_site_view *view, const struct keel_record *record)
{
    const char *name = view->memory->name != NULL ? view->memory->name : "a loop";
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
    say(&line);
}

static void append_speeds(struct line *line, const struct keel_rebalance *balance)
{
    append(line, ", speeds");
    for (uint64_t i = 0; i < balance->workers && i < NUMBERS_MAX; i++) {
        append(line, " %.2f", keel_rebalance_speed(balance, i));
    }
    append(line, balance->workers > NUMBERS_MAX ? " ..." : "");
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
static void tell_measured(const struct keel_record *record, double grain)
{
    const struct keel_rebalance *balance = record->balance;
    struct line line = {0};

    append(&line, "  measured: an iteration takes ");
    append_time(&line, keel_rebalance_iteration_ns(balance) / grain);
    if (record->chooser != NULL && record->chooser->workload.iterations > 0) {
        append(&line, ", deviation ");
        append_time(&line, record->chooser->workload.deviation_ns / sqrt(grain));
    }
    append_profile(&line, &balance->profile);
    append_speeds(&line, balance);
    append(&line, ", a chunk costs ");
    append_time(&line, record->claim_ns);
    say(&line);
}

static void tell_blocks(const struct keel_rebalance *balance)
{
    struct line line = {0};

    append(&line, "  blocks: begin at");
    for (uint64_t i = 0; i < balance->workers && i < NUMBERS_MAX; i++) {
        append(&line, " %.3f", balance->worker[i].bound);
    }
    append(&line, "%s of the loop; where they are since %llu instances, moving would gain %.1f %%",
           balance->workers > NUMBERS_MAX ? " ..." : "", (unsigned long long)balance->calm,
           100 * balance->gain);
    say(&line);
}

static const char *candidate_name(const struct keel_site_view *view, int candidate)
{
    return view->candidates->policy[candidate].spec.schedule->name;
}

static void tell_predicted(const struct keel_site_view *view, const struct keel_chooser *chooser)
{
    struct line line = {0};

    append(&line, "  predicted:");
    for (unsigned i = 0; i < view->candidates->count; i++) {
        append(&line, "%s %s ", i > 0 ? "," : "", candidate_name(view, (int)i));
        append_time(&line, chooser->forecast[i].time_ns);
    }
    say(&line);
}

static void tell_chosen(const struct keel_site_view *view, const struct keel_chooser *chooser)
{
    const struct keel_choice *choice = &chooser->choice;
    struct line line = {0};

    append(&line, "  chosen: %s (%s), after measuring %llu time%s",
           choice->kept >= 0 ? candidate_name(view, choice->kept) : "nothing yet",
           keel_choice_reason_text(choice->reason), (unsigned long long)choice->looks,
           choice->looks == 1 ? "" : "s");
    say(&line);
}

static void tell_seen(const struct keel_site_view *view, const struct keel_chooser *chooser)
{
    const struct keel_choice *choice = &chooser->choice;
    double iterations = (double)(chooser->workload.iterations > 0 ? chooser->workload.iterations
                                                                  : chooser->iterations);
    struct line line = {0};

    append(&line, "  seen:");
    for (unsigned i = 0; i < choice->count; i++) {
        const struct keel_choice_entry *entry = &choice->entry[i];
        if (entry->seen_ns > 0) {
            append(&line, " %s ", candidate_name(view, (int)i));
            append_time(&line, entry->seen_ns * iterations);
            append(&line, " in %llu", (unsigned long long)entry->instances);
        }
    }
    append(&line, " instances; band %.0f %%", 100 * (keel_choice_band(choice) - 1));
    say(&line);
}

/* What was recalled from an earlier run may be kept without forecasts. */
static void tell_choice(const struct keel_site_view *view, const struct keel_chooser *chooser)
{
    bool forecast = chooser->workload.iterations > 0;

    if (forecast) {
        tell_predicted(view, chooser);
    }
    if (forecast || chooser->choice.kept >= 0) {
        tell_chosen(view, chooser);
    }
    if (forecast ||
        (chooser->choice.kept >= 0 && chooser->choice.entry[chooser->choice.kept].seen_ns > 0)) {
        tell_seen(view, chooser);
    }
}

/* Of schedules that know no more of their threads. */
static void tell_paces(const struct keel_record *record, double grain)
{
    struct line line = {0};

    append(&line, "  measured: an iteration takes the threads");
    for (uint64_t i = 0; i < record->threads && i < NUMBERS_MAX; i++) {
        const struct keel_lane *lane = &record->lane[i];
        double pace_ns = atomic_load_explicit(&lane->pace_ns, memory_order_relaxed);
        append(&line, "%s ", i > 0 ? "," : "");
        append_time(&line, (pace_ns > 0 ? pace_ns : lane->known.mean_ns) / grain);
    }
    append(&line, "%s", record->threads > NUMBERS_MAX ? " ..." : "");
    say(&line);
}

static void tell_record(const struct keel_site_view *view, const struct keel_record *record)
{
    double grain = (double)view->wanted->grain;

    tell_site(view, record);
    if (record->balance != NULL && record->balance->instances > 0) {
        tell_measured(record, grain);
        tell_blocks(record->balance);
    } else if (record->balance == NULL) {
        tell_paces(record, grain);
    }
    if (record->chooser != NULL) {
        tell_choice(view, record->chooser);
    }
}

/* Parameters that were measured once. */
static void tell_parameters(const struct keel_site_view *view)
{
    double grain = (double)view->wanted->grain;
    struct line line = {0};

    tell_site(view, NULL);
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
    say(&line);
}

static void tell_least_chunk(const struct keel_site_view *view)
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
    say(&line);
}

/* Under settled->lock. */
static void tell_settled(const struct keel_settled *settled)
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
    say(&line);
}

static void tell_settling(const struct keel_site_view *view)
{
    /* acquire: pairs with the release of what finds it */
    for (struct keel_settled *settled =
             atomic_load_explicit(&view->settling->first, memory_order_acquire);
         settled != NULL; settled = settled->next) {
        if (keel_brief_lock_try(&settled->lock)) {
            if (settled->trials.count > 0) {
                tell_settled(settled);
            }
            keel_brief_lock_release(&settled->lock);
        }
    }
}

static void tell(const struct keel_site_view *view, void *context)
{
    bool parameters =
        view->cost->chunks > 0 && view->wanted->spec.schedule->learns == KEEL_LEARNS_NOT;

    (void)context;
    if (parameters) {
        tell_parameters(view);
    }
    /* acquire: pairs with the release in keel_memory_record() */
    for (struct keel_record *record =
             atomic_load_explicit(&view->memory->first, memory_order_acquire);
         record != NULL; record = record->next) {
        if (keel_brief_lock_try(&record->lock)) {
            tell_record(view, record);
            keel_brief_lock_release(&record->lock);
        }
    }
    tell_least_chunk(view);
    tell_settling(view);
}

/* A process that came to no loop is not told that its environment is wrong, either. */
void keel_explain(void)
{
    /* acquire: pairs with the release in keel_settings_take() */
    const struct keel_settings *settings =
        atomic_load_explicit(&keel_settings_taken, memory_order_acquire);

    if (settings != NULL && settings->explain) {
        keel_slow_lock();
        keel_site_each(tell, NULL);
        keel_slow_unlock();
    }
}
