/* What instances of a loop with static shares have shown. */
#include "schedules/learn/worthwhile.h"

#include <math.h>

#define TRIALS_FIRST 5  /* before the first judgement */
#define INTERRUPTED 4.0 /* a trial that took longer than that times the shortest does not count */
#define LATEST 3        /* trials in a row that do so tell that the loop itself takes longer now */

static unsigned kept(const struct keel_trials *trials)
{
    return trials->count < KEEL_TRIALS ? trials->count : KEEL_TRIALS;
}

void keel_trials_add(struct keel_trials *trials, double span_ns, double gain_ns, double start_ns)
{
    unsigned place = trials->count++ % KEEL_TRIALS;

    trials->span_ns[place] = span_ns;
    trials->gain_ns[place] = gain_ns;
    trials->start_ns[place] = start_ns;
    if (trials->count == 2 * KEEL_TRIALS) {
        trials->count = KEEL_TRIALS; /* all that counts is the place */
    }
}

static double shortest_ns(const struct keel_trials *trials)
{
    double shortest = INFINITY;

    for (unsigned i = 0; i < kept(trials); i++) {
        shortest = fmin(shortest, trials->span_ns[i]);
    }
    return shortest;
}

/* The median of those that were not interrupted; others only add to what is measured. */
static double median_of(const struct keel_trials *trials, const double *values)
{
    double sorted[KEEL_TRIALS], longest = INTERRUPTED * shortest_ns(trials);
    unsigned count = 0;

    for (unsigned i = 0; i < kept(trials); i++) {
        unsigned place = count;
        if (trials->span_ns[i] > longest) {
            continue;
        }
        for (; place > 0 && sorted[place - 1] > values[i]; place--) {
            sorted[place] = sorted[place - 1];
        }
        sorted[place] = values[i];
        count++;
    }
    return count == 0 ? 0 : (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

double keel_trials_span_ns(const struct keel_trials *trials)
{
    return median_of(trials, trials->span_ns);
}

double keel_trials_gain_ns(const struct keel_trials *trials)
{
    return median_of(trials, trials->gain_ns);
}

double keel_trials_start_ns(const struct keel_trials *trials)
{
    return median_of(trials, trials->start_ns);
}

bool keel_trials_enough(const struct keel_trials *trials)
{
    return trials->count >= TRIALS_FIRST;
}

/* The least of the last few spans. */
static double latest_ns(const struct keel_trials *trials)
{
    double least = INFINITY;

    for (unsigned i = 1; i <= LATEST && i <= trials->count; i++) {
        least = fmin(least, trials->span_ns[(trials->count - i) % KEEL_TRIALS]);
    }
    return least;
}

double keel_scheduling_cost_ns(const struct keel_scheduling_cost *scheduling)
{
    return scheduling->start_ns + scheduling->claims * scheduling->claim_ns +
           scheduling->chunk_ns / 2;
}

double keel_trials_length_ns(const struct keel_trials *trials)
{
    double latest = trials->count >= LATEST ? latest_ns(trials) : 0;

    return latest > INTERRUPTED * shortest_ns(trials) ? latest : keel_trials_span_ns(trials);
}
