/* What a loop schedule is: one const descriptor per schedule, whose hooks are pure functions of a
 * view of the loop.
 *
 * Sits first in the data flow: spec -> [schedule] -> plan of one loop instance -> claim -> chunk.
 * Nothing here knows OpenMP, MPI, the environment or a clock. */
#ifndef SCHEDULES_LOOP_SCHEDULE_H
#define SCHEDULES_LOOP_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/* Every parameter that some schedule takes; names, ranges and units stand in spec.c. */
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
    bool in_order;     /* each thread's iterations have to increase: schedule->in_order stands in */
    bool min_measured; /* value[KEEL_MIN] was not stated but measured, see below */
    unsigned given;    /* KEEL_BIT of each parameter that was stated */
    union keel_value value[KEEL_PARAMETERS];
};

/* The loop as a size hook sees it, just before the next chunk (of a batched schedule: batch) is
 * sized. Invariant: claimed + remaining == iterations, where `step` chunks have been claimed. */
struct keel_view {
    const struct keel_spec *spec;
    uint64_t iterations; /* N >= 1 */
    uint64_t threads;    /* P >= 1 */
    uint64_t remaining;  /* R, 1..N */
    uint64_t step;       /* number of chunks before this one */
    uint64_t min_chunk;  /* lower bound, >= 1; `begin` may raise it */
    uint64_t chunk;      /* what the last call of `size` gave, clamped from below; 0 at first */
    union keel_value constant[4]; /* the schedule's own, written by `begin` only */
};

/* How the chunks follow each other; lets the plan end in a closed form. */
enum keel_shape {
    KEEL_DECREASING, /* never grows: once at min_chunk, all others are min_chunk too */
    KEEL_UNIFORM,    /* all chunks are alike: size is asked once                     */
    KEEL_IRREGULAR,  /* anything else                                                */
};

/* Who gets which chunk. */
enum keel_claim {
    KEEL_CLAIM_STEPS,    /* chunk s belongs to the thread that draws step s       */
    KEEL_CLAIM_OWN,      /* chunk s belongs to thread s mod P, nothing is shared  */
    KEEL_CLAIM_WEIGHTED, /* a claim takes the claiming thread's weight times what `size` says */
    /* Sized when they are claimed, by what the team has measured so far (team.h): */
    KEEL_CLAIM_SIZED,  /* a claim takes what `take` says of the iterations that are left */
    KEEL_CLAIM_BLOCKS, /* each thread has a block; an idle one takes from another's end */
};

/* What has been measured of a thread. */
struct keel_pace {
    double mean_ns;      /* time of an iteration; 0: not measured */
    double variance_ns2; /* of that time, from one iteration to another */
};

/* What is known of a team's threads altogether; the unmeasured ones are left out. */
struct keel_paces {
    uint64_t measured;
    double speed_per_ns; /* sum of 1 / mean */
    double spread_ns;    /* sum of variance / mean */
};

/* A thread that asks for a chunk whose size depends on measurements. The hooks read it. */
struct keel_claim_context {
    const struct keel_spec *spec;
    uint64_t iterations;     /* N >= 1 */
    uint64_t threads;        /* P >= 1 */
    uint64_t remaining;      /* in the loop, or of blocks: in the block to take from; >= 1 */
    uint64_t loop_remaining; /* of all blocks together, where the schedule counts them */
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
    /* Where threads are expected to differ before they are measured (claim_placement.h): the weight
     * of this thread, and of those in `team` together; 0: all weigh 1. */
    double own_weight, team_weight;
};

/* What a schedule learns from the measured paces of the threads: a weighted one its weights, when
 * it says. */
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
    const char *summary; /* what it is, a few words */
    const char *formula; /* chunk size, with N, P, R, k */
    const char *use;     /* when to use it */
    const char *source;  /* where the formula comes from */

    /* Parameters that may be given by position, in order. KEEL_MIN and KEEL_GRAIN may always be
     * given by name; as KEEL_MIN is 0, unused places count as KEEL_MIN, so a schedule without any
     * takes the minimum first. */
    enum keel_parameter positional[KEEL_POSITIONAL_MAX];
    unsigned positionals; /* how many of these; 0: one, KEEL_MIN */
    unsigned parameters;  /* KEEL_BIT of those that may be given by name, beside KEEL_MIN and the
                             positional */
    double ratio;         /* default of KEEL_RATIO; 0: that of spec.c */
    unsigned measured; /* KEEL_BIT of those that Keel measures in the first instance when they are
                          not given */

    bool states_min; /* its name says what its smallest chunk is, or it measures that by itself */
    enum keel_shape shape;
    enum keel_claim claim;
    bool batched; /* `size` is asked once for each batch of P chunks */
    enum keel_learning learns;
    bool weighs_blocks;   /* blocks that nothing is learned of are as large as threads are expected
                             to be fast, see claim_placement.h; else equal */
    bool learns_overhead; /* the time to get a chunk counts as part of its time */

    /* Prepares constants and min_chunk for one loop instance; NULL: nothing to prepare. */
    void (*begin)(struct keel_view *view);
    /* Size of the next chunk. The caller raises it to min_chunk and cuts it to what remains.
     * NULL: min_chunk. */
    uint64_t (*size)(const struct keel_view *view);

    /* Claims that are sized when they are made; the caller raises and cuts likewise. */
    uint64_t (*take)(
        const struct keel_claim_context *context); /* size of the next chunk; NULL: min_chunk */
    /* Blocks: how much of context->remaining iterations to take from the end of another thread's
     * block, that thread being as quick as `victim` says. NULL: half. */
    uint64_t (*steal)(const struct keel_claim_context *context, const struct keel_pace *victim);
    bool chooses;          /* instances run one of several other schedules (selection.h) */
    bool timed;            /* chunks are timed, and the hooks find paces in the context */
    bool counts_loop;      /* blocks: claims are counted, for context->loop_remaining */
    bool steals_one_chunk; /* blocks: the stolen range is one chunk, not a new block */
    /* Called after each chunk, with context->progress; NULL: nothing to adapt. */
    void (*adapt)(struct keel_claim_context *context);
    /* The program gives the costs of the iterations, and claims take single places of the list
     * that team.h makes from them; `min` holds for its chunks. Without costs, `in_order` stands
     * in. */
    bool wants_costs;
    /* The schedule for loops that promise each thread increasing iterations; NULL: itself. Set for
     * every schedule of blocks, and those that want costs. */
    const struct keel_schedule *in_order;
};

/* --- least chunks ---
 *
 * The smallest chunk that is worth its claim, where nobody has stated one.
 *
 *   measured costs -> [least chunk] -> spec -> plan of an instance, or its team
 *
 * Pure: times come from the caller. */

/* A smallest chunk lasts as long as that many claims: where all chunks are as small as that, claims
 * take 3 % of the time. */
#define KEEL_LEAST_CLAIMS 32

/* Of a thread's equal share of the loop, the smallest chunk is no more than this part: threads end
 * half a chunk apart on average, which is 3 % of the time then. */
#define KEEL_LEAST_PARTS 16

/* Iterations that last as long as KEEL_LEAST_CLAIMS claims of claim_ns, with iteration_ns each; 1
 * where one of the two is not known (not positive, or not finite). */
uint64_t keel_least_chunk(double claim_ns, double iteration_ns);

/* Of a loop of `iterations` in a team of `threads`: `least`, or where that is too large for all
 * threads to end together, iterations / (KEEL_LEAST_PARTS threads); >= 1. */
uint64_t keel_least_chunk_within(uint64_t least, uint64_t iterations, uint64_t threads);

/* Whether the spec states its smallest chunk, by a parameter or by the
 * schedule's name. If not, it follows from measured costs. */
bool keel_least_chunk_is_stated(const struct keel_spec *spec);

/* The smallest chunk of a loop instance under `spec`. */
static inline uint64_t keel_least_chunk_under(const struct keel_spec *spec, uint64_t iterations,
                                              uint64_t threads)
{
    uint64_t least = spec->value[KEEL_MIN].count;

    return spec->min_measured ? keel_least_chunk_within(least, iterations, threads) : least;
}

/* --- what several schedules that size chunks by measurements work out from a context --- */

/* Size of a thread's first chunk while nothing is known of its pace: small, as it can't be taken
 * back from a slow thread, but not so small that it tells nothing. */
uint64_t keel_claim_context_probe(const struct keel_claim_context *context);

/* Iterations per ns of the whole team; threads that have not been measured count as the mean of the
 * others. The calling thread has been measured. */
double keel_claim_context_team_speed(const struct keel_claim_context *context);

/* The calling thread's part of the team's speed, 0 .. 1, likewise. */
double keel_claim_context_share(const struct keel_claim_context *context);

/* The smallest chunk worth its claim, iterations: as long as 32 times what getting it takes. */
uint64_t keel_claim_context_least_chunk(const struct keel_claim_context *context);

#endif
