/* How work comes to workers and leaves them by itself, estimated while a job runs: lambda and mu of
 * the matrix iterative model (PAPERS.md F1).
 *
 *   work of each at each decision, less what balancing has moved -> [arrivals] -> drift and
 *   deviation of each -> dynamics.h -> iterative.h
 *
 * Seen is only by how much a worker's work has changed: lambda - mu. Where work comes and goes in
 * single tasks, at any time with the same chance, a change in time t has the mean (lambda - mu) t
 * and, in squared tasks, the variance (lambda + mu) t; so both follow from mean and variance. Later
 * changes count more. Speeds of workers do not count: those change the time that work takes, not
 * how much there is.
 *
 * Pure; any thread. All workers that note the same numbers estimate the same. */
#ifndef SCHEDULES_MODEL_ITERATIVE_ARRIVALS_H
#define SCHEDULES_MODEL_ITERATIVE_ARRIVALS_H

#include <stddef.h>
#include <stdint.h>

/* Weight of what was noted before, at each note: the last fifteen or so count. */
#define KEEL_ARRIVALS_MEMORY 0.875

/* Written by the functions below. Sums over notes with their weights w, for changes c in time t. */
struct keel_arrivals {
    uint32_t workers; /* P */
    double notes;     /* w */
    double time_s;    /* w t */
    double spread_s;  /* w^2 t */
    double sums[];    /* P: w c; P: w c^2 / t */
};

/* Bytes that the state of `workers` >= 1 takes. */
size_t keel_arrivals_size(uint32_t workers);

/* Nothing noted. */
void keel_arrivals_begin(struct keel_arrivals *arrivals, uint32_t workers);

/* In time_s > 0 each worker's work has come from before[i], with what balancing had moved by then,
 * to after[i]; P values each, any unit. Ignored where a number is none or negative. */
void keel_arrivals_note(struct keel_arrivals *arrivals, double time_s, const double *before,
                        const double *after);

/* Work counts in new units: what counted 1 for worker w counts factor[w] from now on, > 0 and
 * finite; P values. */
void keel_arrivals_scale(struct keel_arrivals *arrivals, const double *factor);

/* What is known of a worker. Work is in the unit of the notes; s. */
struct keel_arrivals_estimate {
    double drift;    /* lambda - mu: work per s */
    double error;    /* standard error of that; INFINITY while fewer than two changes are noted */
    double variance; /* of changes by chance, squared work per s; 0 while it is not known */
};

struct keel_arrivals_estimate keel_arrivals_of(const struct keel_arrivals *arrivals,
                                               uint32_t worker);

/* The drift as far as it is beyond what may be chance (certainty.h): 0 up to two standard
 * errors. */
double keel_arrivals_drift(const struct keel_arrivals *arrivals, uint32_t worker);

/* lambda and mu in work per s, both >= 0, for tasks of this size > 0, in the unit of work. Of a
 * variance too small for the drift, all of that is lambda, or mu. */
struct keel_arrivals_flows {
    double lambda, mu;
};

struct keel_arrivals_flows keel_arrivals_flows(const struct keel_arrivals *arrivals,
                                               uint32_t worker, double task);

#endif
