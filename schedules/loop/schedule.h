/* A loop schedule: one const descriptor per schedule, whose hooks are pure functions of a view of
 * the loop.
 *
 * First in the data flow: spec -> [schedule] -> plan of one loop instance -> claim -> chunk.
 * Nothing here knows OpenMP, MPI, the environment or a clock. */
#ifndef SCHEDULES_LOOP_SCHEDULE_H
#define SCHEDULES_LOOP_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/* Every parameter that some schedule takes; names, ranges and units are in spec.c. */
enum keel_parameter {
    KEEL_MIN,      /* smallest chunk, iterations; common to all schedules */
    KEEL_GRAIN,    /* iterations that are never separated, see plan.h; common, too */
    KEEL_CHUNK,    /* size of every chunk, iterations                     */
    KEEL_FIRST,    /* size of the first chunk, iterations                 */
    KEEL_LAST,     /* size of the last chunk, iterations                  */
    KEEL_STAGES,   /* number of stages of an increasing schedule          */
    KEEL_SEED,     /* seed of a random sequence                           */
    KEEL_MU,       /* mean time of an iteration, ns                       */
    KEEL_SIGMA,    /* standard deviation of that time, ns                 */
    KEEL_OVERHEAD, /* time to schedule one chunk, ns                      */
    KEEL_ALPHA,    /* how many deviations a taper guards against          */
    KEEL_RATIO,    /* share of the loop that is divided at first          */
    KEEL_CHUNKS,   /* largest number of chunks                            */
    KEEL_PARAMETERS
};

#define KEEL_BIT(parameter) (1u << (parameter))

union keel_value {
    uint64_t count;
    double real;
};

/* A schedule with its parameters. A value that is not in `given` has its default from spec.c;
 * 0 there means that the schedule derives it from the loop, or that Keel measures it. */
struct keel_spec {
    const struct keel_schedule *schedule;
    bool in_order;     /* each thread's iterations have to increase: schedule->in_order is used */
    bool min_measured; /* value[KEEL_MIN] was not set but measured, see below */
    unsigned given;    /* KEEL_BIT of each parameter that was set */
    union keel_value value[KEEL_PARAMETERS];
};

/* The loop as a size hook gets it, just before the next chunk (of a batched schedule: batch) is
 * sized. Invariant: claimed + remaining == iterations, where `step` chunks have been claimed. */
struct keel_view {
    const struct keel_spec *spec;
    uint64_t iterations;          /* N >= 1 */
    uint64_t threads;             /* P >= 1 */
    uint64_t remaining;           /* R, 1..N */
    uint64_t step;                /* number of chunks before this one */
    uint64_t min_chunk;           /* lower bound, >= 1; `begin` may raise it */
    uint64_t chunk;               /* result of the last `size`, at least min_chunk; 0 at first */
    union keel_value constant[4]; /* the schedule's own, written by `begin` only */
};

/* How the chunks follow each other; lets the plan end in a closed form. */
enum keel_shape {
    KEEL_DECREASING, /* never grows: once at min_chunk, all others are min_chunk too */
    KEEL_UNIFORM,    /* all chunks are equal: size is called once                    */
    KEEL_IRREGULAR,  /* anything else                                                */
};

/* Which thread gets which chunk. */
enum keel_claim {
    KEEL_CLAIM_STEPS,    /* chunk s belongs to the thread that draws step s       */
    KEEL_CLAIM_OWN,      /* chunk s belongs to thread s mod P, nothing is shared  */
    KEEL_CLAIM_WEIGHTED, /* a claim takes the claiming thread's weight times `size` */
    /* Sized when they are claimed, by measurements of the team so far (team.h): */
    KEEL_CLAIM_SIZED,  /* a claim takes `take` of the iterations that are left */
    KEEL_CLAIM_BLOCKS, /* each thread has a block; an idle one takes from another's end */
};

/* Measured times of a thread. */
struct keel_pace {
    double mean_ns;      /* time of an iteration; 0: not measured */
    double variance_ns2; /* of that time, from one iteration to another */
};

/* Measured times of a team's threads together; the unmeasured ones are left out. */
struct keel_paces {
    uint64_t measured;
    double speed_per_ns; /* sum of 1 / mean */
    double spread_ns;    /* sum of variance / mean */
};

/* A thread that claims a chunk whose size depends on measurements. The hooks read it. */
struct keel_claim_context {
    const struct keel_spec *spec;
    uint64_t iterations;     /* N >= 1 */
    uint64_t threads;        /* P >= 1 */
    uint64_t remaining;      /* in the loop, or of blocks: in the block to take from; >= 1 */
    uint64_t loop_remaining; /* of all blocks together, if the schedule counts them */
    uint64_t begun;          /* iterations that the thread has taken in this instance */
    uint64_t chunk;          /* of these, its last chunk; 0: none yet */
    uint64_t done;           /* iterations that it has finished; `adapt` */
    uint64_t divisor;        /* the thread's own, changed by `adapt` only; P at first */
    double progress;    /* iterations that a thread has done so far, mean of the team; `adapt` */
    double overhead_ns; /* mean time that the thread needs to get a chunk; 0: not known */
    double victim_ns;   /* blocks: mean time of an iteration on the thread that this block was taken
                       from; 0: not known, or its own */
    struct keel_pace own;
    struct keel_paces team;
    /* Expected differences of threads before they are measured (claim_placement.h): the weight of
     * this thread, and of those in `team` together; 0: all weigh 1. */
    double own_weight, team_weight;
};

/* What a schedule learns from the measured paces of the threads; a weighted one: when it learns its
 * weights. */
enum keel_learning {
    KEEL_LEARNS_NOT,     /* weights are given */
    KEEL_LEARNS_LOOPS,   /* between instances of a loop */
    KEEL_LEARNS_BATCHES, /* also when a batch begins */
    KEEL_LEARNS_CHUNKS,  /* also after each chunk */
    KEEL_LEARNS_BLOCKS,  /* where each thread's block begins, between instances */
};

#define KEEL_POSITIONAL_MAX 2

struct keel_schedule {
    const char *name;
    const char *aliases; /* separated by one space; NULL: none */
    const char *summary; /* a few words */
    const char *formula; /* chunk size, with N, P, R, k */
    const char *use;     /* when to use it */
    const char *source;  /* of the formula */

    /* Parameters that may be given by position, in order. KEEL_MIN and KEEL_GRAIN may always be
     * given by name; as KEEL_MIN is 0, unused places are KEEL_MIN, so a schedule without any takes
     * the minimum first. */
    enum keel_parameter positional[KEEL_POSITIONAL_MAX];
    unsigned positionals; /* number of these; 0: one, KEEL_MIN */
    unsigned parameters;  /* KEEL_BIT of those that may be given by name, besides KEEL_MIN and the
                             positional */
    double ratio;         /* default of KEEL_RATIO; 0: that of spec.c */
    unsigned measured; /* KEEL_BIT of those that Keel measures in the first instance when they are
                          not given */

    bool states_min; /* its definition contains its smallest chunk, or it measures that itself */
    enum keel_shape shape;
    enum keel_claim claim;
    bool batched; /* `size` is called once for each batch of P chunks */
    enum keel_learning learns;
    bool weighs_blocks;   /* before anything is learned, blocks are proportional to the expected
                             speeds of threads (claim_placement.h), otherwise equal */
    bool learns_overhead; /* the time to get a chunk counts as part of its time */

    /* Prepares constants and min_chunk for one loop instance; may be NULL. */
    void (*begin)(struct keel_view *view);
    /* Size of the next chunk. The caller raises it to min_chunk and cuts it to the rest. NULL:
     * min_chunk. */
    uint64_t (*size)(const struct keel_view *view);

    /* Claims that are sized when they are made; the caller raises and cuts sizes as above. */
    uint64_t (*take)(
        const struct keel_claim_context *context); /* size of the next chunk; NULL: min_chunk */
    /* Blocks: how much of context->remaining iterations to take from the end of another thread's
     * block, which has the pace `victim`. NULL: half. */
    uint64_t (*steal)(const struct keel_claim_context *context, const struct keel_pace *victim);
    bool chooses;          /* instances run one of several other schedules (selection.h) */
    bool timed;            /* chunks are timed, and the hooks find paces in the context */
    bool counts_loop;      /* blocks: claims are counted, for context->loop_remaining */
    bool steals_one_chunk; /* blocks: the stolen range is one chunk, not a new block */
    /* Called after each chunk, with context->progress; NULL: nothing to adapt. */
    void (*adapt)(struct keel_claim_context *context);
    /* The program sets the costs of the iterations, and claims take single entries of the list that
     * team.h makes from them; `min` applies to its chunks. Without costs, `in_order` is used. */
    bool wants_costs;
    /* The schedule for loops that promise each thread increasing iterations; NULL: itself. Set for
     * every schedule of blocks, and those that want costs. */
    const struct keel_schedule *in_order;
};

/* --- least chunks ---
 *
 * The smallest chunk that is worth its claim, if the spec has none.
 *
 *   measured costs -> [least chunk] -> spec -> plan of an instance, or its team
 *
 * Pure: times come from the caller. */

/* A smallest chunk lasts as long as this many claims: if all chunks are as small as that, claims
 * take 3 % of the time. */
#define KEEL_LEAST_CLAIMS 32

/* The smallest chunk is at most this part of a thread's equal share of the loop: threads end half a
 * chunk apart on average, which is then 3 % of the time. */
#define KEEL_LEAST_PARTS 16

/* Iterations that last as long as KEEL_LEAST_CLAIMS claims of claim_ns, with iteration_ns each; 1
 * if one of the two is not known (not positive, or not finite). */
uint64_t keel_least_chunk(double claim_ns, double iteration_ns);

/* Of a loop of `iterations` in a team of `threads`: `least`, or if that is too large for all
 * threads to end together, iterations / (KEEL_LEAST_PARTS threads); >= 1. */
uint64_t keel_least_chunk_within(uint64_t least, uint64_t iterations, uint64_t threads);

/* Whether the spec contains its smallest chunk, by a parameter or by the schedule's definition. If
 * not, it follows from measured costs. */
bool keel_least_chunk_is_stated(const struct keel_spec *spec);

/* The smallest chunk of a loop instance under `spec`. */
static inline uint64_t keel_least_chunk_under(const struct keel_spec *spec, uint64_t iterations,
                                              uint64_t threads)
{
    uint64_t least = spec->value[KEEL_MIN].count;

    return spec->min_measured ? keel_least_chunk_within(least, iterations, threads) : least;
}

/* --- values that several schedules compute from a context --- */

/* Size of a thread's first chunk while its pace is not known: small, as it can't be taken back from
 * a slow thread, but not so small that its time says nothing. */
uint64_t keel_claim_context_probe(const struct keel_claim_context *context);

/* Iterations per ns of the whole team; threads that have not been measured count as the mean of the
 * others. The calling thread has been measured. */
double keel_claim_context_team_speed(const struct keel_claim_context *context);

/* The calling thread's part of the team's speed, 0 .. 1. It has been measured. */
double keel_claim_context_share(const struct keel_claim_context *context);

/* The smallest chunk worth its claim, iterations: it takes 32 times as long as its claim. */
uint64_t keel_claim_context_least_chunk(const struct keel_claim_context *context);

#endif
