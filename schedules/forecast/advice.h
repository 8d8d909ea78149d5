/* Advice on a loop that has run: another schedule, with its predicted gain, or the obstacle to a
 * gain.
 *
 *   times of a loop, measurements of its iterations -> [advice] -> text
 *                                                          ^
 *                                            forecasts (predict.h)
 *
 * Pure; any thread. Impossible numbers (not finite, negative) count as not known. */
#ifndef SCHEDULES_FORECAST_ADVICE_H
#define SCHEDULES_FORECAST_ADVICE_H

#include "schedules/loop/cost_profile.h"
#include "schedules/loop/schedule.h"

/* The subject of the times. */
enum keel_advice_subject {
    KEEL_ADVICE_LOOP,   /* a loop that reaches libgomp or Keel, which count its iterations */
    KEEL_ADVICE_STATIC, /* a loop with static shares that the compiler has built in */
    KEEL_ADVICE_PART,   /* a part of a region between barriers: perhaps such a loop */
    KEEL_ADVICE_REGION, /* a parallel construct with all its loops */
};

/* A loop as it ran, all instances together. 0: not known, unless specified otherwise. */
struct keel_advice_loop {
    enum keel_advice_subject subject;
    const struct keel_spec *spec; /* in force, parameters complete, without a grain; libgomp's own
                                     as Keel's of the same chunks; NULL: not known, or several */
    uint64_t threads;             /* P >= 1 */
    uint64_t instances;           /* >= 1 */
    uint64_t iterations;          /* of all instances */
    uint64_t chunks;              /* of all instances */
    double elapsed_s;             /* as well, from the first thread's start to the last's end */
    double elapsed_squares_s2;    /* sum of squares of the instances' times */
    uint64_t waits_seen;          /* instances whose threads' waiting times are known */
    double median_wait_s;         /* in a median one of these, as the mean of its threads */
    double busy_s;                /* in iterations, all threads together */
    double busiest_s;             /* of the thread with most */
    double claiming_s;            /* in getting chunks, all threads together */
    bool holds_loops;             /* of a region: its loops have advice of their own */
    /* Measured. */
    double iteration_s;                 /* mean */
    double deviation_s;                 /* standard deviation of an iteration around the profile */
    double claim_s;                     /* to get a chunk, clock readings included */
    const struct keel_profile *profile; /* NULL: not known */
    const double *speed;                /* P values > 0, mean 1; NULL: all equal */
};

enum keel_advice_hint {
    KEEL_ADVICE_NO_HINT,
    KEEL_ADVICE_CLAIMS,         /* getting chunks takes a large part of the time */
    KEEL_ADVICE_LONG_ITERATION, /* one iteration takes longer than a thread's share of all */
    KEEL_ADVICE_FEW_ITERATIONS, /* no more of them than threads */
    KEEL_ADVICE_BUILT_STATIC,   /* Keel can't schedule it as it was compiled */
    KEEL_ADVICE_SERIAL_PART,    /* one thread works, the others wait */
    KEEL_ADVICE_TOO_SHORT,      /* an instance hardly lasts as long as starting a team */
};

/* The evidence for a gain. */
enum keel_advice_evidence {
    KEEL_ADVICE_NOT_KNOWN, /* too little was measured to say anything */
    KEEL_ADVICE_WAITING,   /* threads waited: the gain is an upper bound */
    KEEL_ADVICE_COUNTED,   /* the savings of fewer chunks than were counted, an upper bound */
    KEEL_ADVICE_FORECAST,  /* the forecasts of both schedules, from measurements of the loop */
};

struct keel_advice {
    enum keel_advice_subject subject;
    const struct keel_schedule *schedule; /* suggested; NULL: none */
    uint64_t chunk;                       /* its chunk size, iterations; 0: without one */
    double gain_s; /* of all instances together; > 0 with a schedule, otherwise 0 */
    enum keel_advice_evidence evidence;
    enum keel_advice_hint hint;
    double lost;       /* part of the threads' time not spent in iterations, 0 .. 1 */
    double part;       /* CLAIMS: of the threads' time, the part in claims */
    double instance_s; /* time of an instance */
    unsigned few; /* instances that were measured, if they are too few to separate the loop's times
                     from those of interruptions; otherwise 0. Without a schedule: none is suggested
                     for this reason. */
};

/* Part of the threads' time; if less is lost, there is nothing to gain. */
#define KEEL_ADVICE_LOST_MIN 0.05

/* Part of a loop's time that a suggestion has to gain at least. */
#define KEEL_ADVICE_PART_MIN 0.03

/* From this number of instances on, the median one is taken as not interrupted. */
#define KEEL_ADVICE_INSTANCES_MIN 3

/* Ten time slices of 10 ms: a gain per instance above it is believed even of fewer instances. */
#define KEEL_ADVICE_INTERRUPTED_S 0.1

/* A schedule is suggested only for a gain beyond that part, beyond two standard errors of the
 * loop's mean time, and beyond the cost of scheduling an instance. The gain from less waiting is at
 * most the waiting time of a median instance, times the instances, if it is known: a thread that
 * other programs interrupt now and then is not the loop's fault. */
struct keel_advice keel_advise(const struct keel_advice_loop *loop);

/* --- advice_text.c: as people read it --- */

#define KEEL_ADVICE_TEXT_MAX 160 /* bytes that hold any of these texts, terminator included */

/* The advice and its gain: "fac2: 0.41 s less, by its cost profile", "steal: up to 0.41 s less",
 * "chunks cost as much as iterations: try steal,64 (up to 30 ms less)", "nothing to gain"; "" if
 * nothing is known. */
void keel_advice_write(const struct keel_advice *advice, char *text);

#endif
