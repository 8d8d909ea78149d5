/* What `auto` chose, for the figures of a loop. */
#include "omp_ext/explain/explain_inside.h"

#include <math.h>

#define MANY_TIMES 10 /* from there on, percents say little */
#define CLOSE 1.25    /* forecasts beyond this times the best are told apart */

static const char *name_of(const struct keel_candidates *candidates, int candidate)
{
    return candidates->policy[candidate].spec.schedule->name;
}

static void append_count(struct keel_explain_lines *lines, uint64_t count, const char *what)
{
    keel_explain_append(lines, "%llu %s%s", (unsigned long long)count, what, count == 1 ? "" : "s");
}

/* --- nothing chosen yet --- */

/* Instances teach it something only if they have iterations. */
static void print_waiting(struct keel_explain_lines *lines, const struct keel_record *record)
{
    const struct keel_auto_state *state = record->auto_state;

    keel_explain_append(lines, "auto has chosen nothing yet: ");
    if (record->instances == 0) {
        keel_explain_append(lines, "no instance had iterations to measure");
    } else {
        append_count(lines, record->instances, "instance");
        keel_explain_append(lines, ", ");
        keel_explain_append_time(lines, record->total_ns);
        keel_explain_append(lines, " in all, too little: it compares schedules once they have "
                                   "taken ");
        keel_explain_append_time(lines, keel_candidates_forecasts_due_ns(state));
    }
    keel_explain_append(lines, "\n");
}

/* --- the choice --- */

static void print_chosen(struct keel_explain_lines *lines, const struct keel_candidates *candidates,
                         const struct keel_record *record)
{
    const struct keel_selection *choice = &record->auto_state->choice;

    keel_explain_append(lines, "auto chose %s (%s)", name_of(candidates, choice->kept),
                        keel_selection_reason_text(choice->reason));
    keel_explain_append(lines, ", after measuring ");
    append_count(lines, choice->measurements, "time");
    if (choice->phase == KEEL_SELECTION_MEASURING) {
        keel_explain_append(lines, "; it is measuring again");
    }
    keel_explain_append(lines, "\n");
}

/* The candidate whose forecast comes after that of `last` (-1: the best); -1: none does. */
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

/* Best first; what is far behind by itself. */
static void print_predicted(struct keel_explain_lines *lines,
                            const struct keel_candidates *candidates,
                            const struct keel_auto_state *state)
{
    int best = next_forecast(state, -1), last = -1;
    bool far = false;

    keel_explain_append(lines, "predicted:");
    for (int i = best; i >= 0; i = next_forecast(state, i)) {
        double time_ns = state->forecast[i].time_ns;
        bool is_far = time_ns > CLOSE * state->forecast[best].time_ns;
        keel_explain_append(lines, "%s %s",
                            is_far && !far ? "; slower:"
                            : last >= 0    ? ","
                                           : "",
                            name_of(candidates, i));
        keel_explain_append(lines, " ");
        keel_explain_append_time(lines, time_ns);
        far = is_far;
        last = i;
    }
    keel_explain_append(lines, "\n");
}

/* "3 % more than predicted" */
static void append_difference(struct keel_explain_lines *lines,
                              const struct keel_selection_entry *entry, bool kept)
{
    double times = entry->measured_ns / entry->forecast_ns, percent = 100 * (times - 1);

    if (!(entry->forecast_ns > 0)) {
        return;
    }
    if (times >= MANY_TIMES) {
        keel_explain_append(lines, kept ? ", %.0f times what was predicted" : " (%.0f times that)",
                            times);
    } else if (!kept) {
        keel_explain_append(lines, " (%+.0f %%)", percent);
    } else if (fabs(percent) < 0.5) {
        keel_explain_append(lines, ", as predicted");
    } else {
        keel_explain_append(lines, ", %.0f %% %s than predicted", fabs(percent),
                            percent > 0 ? "more" : "less");
    }
}

static void append_seen(struct keel_explain_lines *lines, const char *name,
                        const struct keel_selection_entry *entry, double iterations, bool kept)
{
    keel_explain_append(lines, " %s ", name);
    keel_explain_append_time(lines, entry->measured_ns * iterations);
    keel_explain_append(lines, " in ");
    append_count(lines, entry->instances, "instance");
    append_difference(lines, entry, kept);
}

static bool was_seen(const struct keel_selection_entry *entry)
{
    return entry->measured_ns > 0 && entry->instances > 0;
}

/* The kept one first. */
static void print_seen(struct keel_explain_lines *lines, const struct keel_candidates *candidates,
                       const struct keel_auto_state *state)
{
    const struct keel_selection *choice = &state->choice;
    double iterations =
        (double)(state->workload.iterations > 0 ? state->workload.iterations : state->iterations);
    bool any = false;

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < (int)choice->count; i++) {
            if ((i == choice->kept) == (round == 0) && was_seen(&choice->entry[i])) {
                keel_explain_append(lines, "%s", any ? ";" : "seen:");
                append_seen(lines, name_of(candidates, i), &choice->entry[i], iterations,
                            i == choice->kept);
                any = true;
            }
        }
    }
    if (any) {
        keel_explain_append(lines, "\n");
    }
}

/* What was recalled from an earlier run may be kept without forecasts. */
void keel_explain_choice(struct keel_explain_lines *lines, const struct keel_candidates *candidates,
                         const struct keel_record *record)
{
    const struct keel_auto_state *state = record->auto_state;
    bool forecast = state->workload.iterations > 0;

    if (!forecast && state->choice.kept < 0) {
        print_waiting(lines, record);
        return;
    }
    print_chosen(lines, candidates, record);
    if (forecast) {
        print_predicted(lines, candidates, state);
    }
    print_seen(lines, candidates, state);
}
