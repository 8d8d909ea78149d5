/* The time of many chunks, in closed form.
 *
 * Completes a forecast (predict.h): what is too long to be walked chunk by chunk ends here. */
#ifndef SCHEDULES_FORECAST_ESTIMATE_H
#define SCHEDULES_FORECAST_ESTIMATE_H

#include <stdint.h>

/* A thread of a forecast. */
struct keel_forecast_worker {
    double clock_ns; /* at which it asks for a chunk */
    double busy_ns;  /* in chunks and in getting them */
    double speed;    /* > 0; 1: average */
    double chunk_ns; /* time of the chunk it is in */
    uint64_t chunk;  /* iterations of that; 0: none that is still to be reported */
    uint64_t thread;
};

/* The part of a loop that nobody has begun. */
struct keel_estimate_rest {
    double iterations;   /* > 0 */
    double iteration_ns; /* mean time on an average thread, >= 0 */
    double deviation_ns; /* of single iterations, >= 0 */
    double claim_ns;     /* time to get a chunk, >= 0 */
    double chunks;       /* > 0 */
    double last_chunk;   /* size of the chunks at the end, iterations */
};

/* Chunks in `iterations` of a sequence that goes on with chunks of `chunk` >= `smallest` > 0 and
 * shrinks in proportion to what remains. */
double keel_estimate_chunks(double iterations, double chunk, double smallest);

/* Chunks that go to the next free thread. Moves each thread to the time by which all of them,
 * working without a pause, are through with the rest; threads that come later take no part. Returns
 * when the last one ends: they don't end together. */
double keel_estimate_shared(const struct keel_estimate_rest *rest,
                            struct keel_forecast_worker *workers, uint64_t count);

/* Chunks that are dealt in turn: moves each thread to its end. `run` is that of chance.h. Returns
 * by how much chance has made the sum of all work longer, ns. */
double keel_estimate_dealt(const struct keel_estimate_rest *rest,
                           struct keel_forecast_worker *workers, uint64_t count, unsigned run);

#endif
