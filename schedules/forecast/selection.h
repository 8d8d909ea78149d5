/* The selection of `auto`: which schedule the next instance of a loop runs.
 *
 *   measure -> forecasts (predict.h) -> keep the best, or the one before if it is as good
 *      ^                                   |
 *      |                                   +--> try others that are forecast to be as good, rarely;
 *      |                                   |    keep another one once that was quicker
 *      +------- its times leave their band +
 *
 * Every try may cost more than its measured time, so tries take a small part of all time: the more
 * an instance of a candidate may cost, the later it is tried. A loop that is repeated 20 times has
 * few tries or none, one that is repeated 1000 times all.
 *
 * One per loop site and team size. Candidates are numbers 0 .. count - 1; the caller knows their
 * schedules. If the number of iterations jumps between very different sizes, a selection for each
 * size is better. Pure: times come from the caller. Not for several threads at once, but reports
 * may come late, twice or never: each just counts for the candidate that it names. */
#ifndef SCHEDULES_FORECAST_SELECTION_H
#define SCHEDULES_FORECAST_SELECTION_H

#include "schedules/forecast/predict.h"

#define KEEL_SELECTION_MAX 16     /* candidates */
#define KEEL_SELECTION_MEASURE -1 /* in place of a candidate: run the schedule that measures */

enum keel_selection_phase {
    KEEL_SELECTION_MEASURING, /* until forecasts come */
    KEEL_SELECTION_KEEPING,
};

/* The reason for the present phase. */
enum keel_selection_reason {
    KEEL_SELECTION_NEW,         /* measuring: nothing is known */
    KEEL_SELECTION_SLOWER,      /* measuring: the one kept has become slower */
    KEEL_SELECTION_FASTER,      /* measuring: it has become quicker */
    KEEL_SELECTION_FORECAST,    /* kept: best by the forecasts */
    KEEL_SELECTION_STAYED,      /* kept: no other is forecast to be quicker by enough */
    KEEL_SELECTION_OVERTAKEN,   /* kept: quicker than the one before, when it was tried */
    KEEL_SELECTION_RECALLED,    /* kept: as in an earlier run */
    KEEL_SELECTION_NO_FORECAST, /* kept: there are no forecasts */
};

/* One candidate, since the last forecasts. */
struct keel_selection_entry {
    double forecast_ns; /* of an iteration: time of the loop / N; 0: none */
    double measured_ns; /* of an iteration, a running mean of its instances; 0: none */
    double chunks;      /* forecast of an instance */
    uint64_t instances;
    bool in_question; /* still to be tried: not ruled out by forecasts */
};

/* Read by anyone, written by the functions below. */
struct keel_selection {
    unsigned count;
    enum keel_selection_phase phase;
    enum keel_selection_reason reason;
    int measurer;          /* the candidate that runs while it measures; -1: none of them */
    int kept;              /* while keeping, and after it until another is kept; -1: none yet */
    int trying;            /* while keeping: the next instance runs this one instead; -1: none */
    uint64_t next_try;     /* `since` of the next try */
    uint64_t measurements; /* how often it has measured */
    uint64_t since;        /* instances since the last forecasts */
    uint64_t distance;     /* least `since` at which it measures again */
    double spread;         /* mean difference from one instance to the next, relative */
    double last_ns;        /* an iteration of the kept one's last instance; 0: none */
    unsigned above, below; /* bit k: whether, k instances ago, time left the band on that side */
    struct keel_selection_entry entry[KEEL_SELECTION_MAX];
};

/* Begins a selection among `count` candidates, 1 .. KEEL_SELECTION_MAX, without measurements.
 * measurer: the candidate that runs while it measures; -1 if none of them does. */
void keel_selection_begin(struct keel_selection *selection, unsigned count, int measurer);

/* The same, but keeps candidate `kept` until its times change. */
void keel_selection_recall(struct keel_selection *selection, unsigned count, int measurer,
                           int kept);

/* The schedule of the next instance: a candidate, or KEEL_SELECTION_MEASURE. */
int keel_selection_next(const struct keel_selection *selection);

/* Forecasts for all candidates, in a loop of `iterations` >= 1, from the measurements. Those that
 * are not finite and positive rule their candidate out. Ignored unless it is measuring. */
void keel_selection_forecast(struct keel_selection *selection, const struct keel_forecast *forecast,
                             uint64_t iterations);

/* An instance of `iterations` under `which` took `time_ns`; while measuring, under the candidate
 * that measures. Instances without iterations, or without a finite and positive time, don't
 * count. */
void keel_selection_note(struct keel_selection *selection, int which, double time_ns,
                         uint64_t iterations);

/* The band of the kept candidate, as a factor > 1: times of an iteration beyond measured_ns times
 * this, or under measured_ns divided by it, have left it. */
double keel_selection_band(const struct keel_selection *selection);

/* "best by the forecasts" ... */
const char *keel_selection_reason_text(enum keel_selection_reason reason);

#endif
