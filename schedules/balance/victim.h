/* Victim selection: which worker an idle worker asks for iterations. Along the cluster tree
 * (PAPERS.md K3), or random victims, or a neighbourhood (R2), and then lifelines (L1).
 *
 *   idle -> keel_victim_next(): ASK w | LOOK w | PENDING | WAIT -> message -> answer
 *        -> keel_victim_answered() -> ...
 *
 * A state machine. The caller sends the messages and reports the answers. A round asks a bounded
 * number of victims; when all have been asked without success the result is WAIT.
 *
 * Lifelines, if the caller uses them: a few fixed partners that are asked at the end of a round. A
 * lifeline that has nothing keeps the request and shares what it gets later; it is not asked again
 * until it has shared. A worker that gets iterations shares them directly, so that an idle worker
 * need not poll: it sends O(log P) messages each time that it is idle, however long that lasts, as
 * long as its lifelines have nothing. Pure. */
#ifndef SCHEDULES_BALANCE_VICTIM_H
#define SCHEDULES_BALANCE_VICTIM_H

#include <stdint.h>

#include "schedules/balance/cluster_tree.h"

enum keel_victim_kind {
    KEEL_VICTIM_TREE,  /* its links in turns, from the lowest (K3), a round asks all; each keeps the
                          request, and is asked again in the next round */
    KEEL_VICTIM_STEAL, /* random victims, first the last one that gave iterations: R2; a round asks
                          min(P - 1, 2 ceil(log2 P) + 2) different ones; before lifelines,
                          min(P - 1, KEEL_VICTIM_RANDOM) */
    KEEL_VICTIM_DIFFUSE, /* looks at a neighbourhood, takes from the fullest, or goes on to the next
                            neighbourhood: R2; a round looks at 4 neighbourhoods at most,
                            scattered at as many as one of `steal` asks, or at all. Before
                            lifelines at one, next to it at first, then at a random place:
                            neighbours share among themselves and are idle together */
};

#define KEEL_VICTIM_RANDOM 2 /* random victims of a round before lifelines */

#define KEEL_VICTIM_NEIGHBOURS_MAX 16

/* What to do next. */
enum keel_victim_action {
    KEEL_VICTIM_ASK,     /* ask `worker` for iterations */
    KEEL_VICTIM_LOOK,    /* ask `worker` how many it has left */
    KEEL_VICTIM_PENDING, /* answers are on their way: call again with them */
    KEEL_VICTIM_WAIT,    /* every candidate of this round has been asked */
};

/* Whether a victim that gives nothing keeps the request, and shares what it gets later. */
enum keel_victim_keep {
    KEEL_VICTIM_KEEP_NOT,
    KEEL_VICTIM_KEEP,
    KEEL_VICTIM_KEEP_IF_EMPTY, /* a lifeline: if it has nothing */
};

struct keel_victim_step {
    enum keel_victim_action action;
    uint32_t worker;
    enum keel_victim_keep keep; /* ASK */
};

struct keel_victim_neighbour {
    uint32_t worker;
    bool asked, answered;
    uint64_t left;
};

/* Written by the functions below only. */
struct keel_victim_search {
    enum keel_victim_kind kind;
    uint32_t workers;                    /* P */
    uint32_t worker;                     /* its own number */
    const struct keel_tree_links *links; /* tree: outlives it */
    uint64_t random;                     /* state of the sequence of victims */
    uint32_t asked;          /* in this round, before the lifelines; diffuse: looked at */
    uint32_t lifelines;      /* their number; 0: they are not used */
    uint32_t lifeline;       /* the next one to be asked: 0 .. lifelines - 1 */
    uint32_t tried;          /* lifelines that this round has passed */
    bool lowest_first;       /* tree: each round from the lowest link */
    uint32_t line;           /* the pending ASK's lifeline; `lifelines` if it goes to none */
    uint64_t kept;           /* lifelines that keep a request, a bit for each */
    bool pending;            /* an answer to ASK is on its way, ... */
    uint32_t partner;        /* ... from this worker */
    uint32_t last_victim;    /* steal: the last worker that gave iterations */
    uint32_t first_victim;   /* steal: last_victim as the round began */
    uint32_t victim, stride; /* steal: the next one, and the distance to the one after it; diffuse,
                                scattered: the first one */
    uint32_t neighbours;     /* diffuse: size of a neighbourhood, 1 .. MAX */
    uint32_t offset;  /* tree: the next link; diffuse: where the next neighbourhood begins, on the
                                            ring */
    bool looked;      /* diffuse: at its first neighbourhood */
    bool scattered;   /* diffuse: others come in the order of `victim` and `stride`, */
    bool all;         /* and a round looks at all */
    uint32_t looking; /* diffuse: members of the present neighbourhood */
    struct keel_victim_neighbour neighbour[KEEL_VICTIM_NEIGHBOURS_MAX];
};

/* Begins a loop. links: of this worker, for the tree, otherwise NULL. neighbours: for diffuse, 1 ..
 * KEEL_VICTIM_NEIGHBOURS_MAX. seed: any number; workers with different numbers draw different
 * victims from the same seed. */
void keel_victim_begin(struct keel_victim_search *search, enum keel_victim_kind kind,
                       uint32_t workers, uint32_t worker, const struct keel_tree_links *links,
                       uint32_t neighbours, uint64_t seed);

/* Diffuse: sets the size of the next neighbourhoods, 1 .. KEEL_VICTIM_NEIGHBOURS_MAX. */
void keel_victim_set_neighbours(struct keel_victim_search *search, uint32_t neighbours);

/* Rounds of `steal` and `diffuse` end with lifelines from now on. Before the first step. */
void keel_victim_use_lifelines(struct keel_victim_search *search);

/* Tree: each round begins at the lowest link from now on, so that higher ones are asked only if
 * lower ones have failed (K3). Without this, rounds go on with the next link. */
void keel_victim_lowest_first(struct keel_victim_search *search);

/* Diffuse: others follow each other in a drawn order from now on, instead of by their distance.
 * all: a round looks at all of them. Before the first step. */
void keel_victim_scatter(struct keel_victim_search *search, bool all);

/* Returns the next step. Every ASK and LOOK has to be answered by keel_victim_answered(). */
struct keel_victim_step keel_victim_next(struct keel_victim_search *search);

/* Asks `worker` out of turn, as if keel_victim_next() had returned it. Returns false, and does
 * nothing, while an answer to an ASK, or this worker's answer to a LOOK, is on its way. */
bool keel_victim_ask(struct keel_victim_search *search, uint32_t worker);

/* `worker` has answered: it gave `got` iterations and has `left` more; kept: it keeps the request.
 * Iterations begin another round. Answers of workers that were not asked are ignored. */
void keel_victim_answered(struct keel_victim_search *search, uint32_t worker, uint64_t got,
                          uint64_t left, bool kept);

/* `worker` has sent iterations for a request that it kept: it keeps none any more. */
void keel_victim_shared(struct keel_victim_search *search, uint32_t worker);

/* Begins another round, after iterations came from somewhere. */
void keel_victim_new_round(struct keel_victim_search *search);

/* Whether all lifelines, or links of the tree, keep a request, so that there is no worker to ask
 * until one has shared. False for other victims. */
bool keel_victim_is_kept_by_all(const struct keel_victim_search *search);

/* After WAIT and a pause: asks those lifelines again that keep no request; all links of the tree.
 * Without either there is no worker to ask until a new round begins. */
void keel_victim_ask_again(struct keel_victim_search *search);

/* --- amounts ---
 *
 * How much one worker hands to another that is idle (PAPERS.md K4, K5), and the bounds of the
 * workers' first blocks. Pure. */

/* One of the two workers. */
struct keel_amounts_side {
    uint64_t left; /* iterations that it has not begun */
    double speed;  /* iterations per ns; 0: not known */
};

/* As gamma: the victim's throughput over the thief's, up to 1; 1/2 if one is not known (K4). */
#define KEEL_AMOUNTS_BY_RATIO (-2.0)

/* How many of victim->left iterations to hand over so that both end at the same time or, as these
 * are whole, that the later end is soonest: 0 .. victim->left. The victim is half-way through an
 * iteration, on average, and the thief waits `delay_ns` >= 0 for the iterations. gamma: 0: by
 * throughput (K4), or half of the victim's surplus, rounded up, if a speed is not known; otherwise
 * the fraction to hand over, or KEEL_AMOUNTS_BY_RATIO, rounded up.
 *
 * A victim that is between two iterations has to begin one before it calls this: otherwise the last
 * iteration of a job could go from idle worker to idle worker for ever. */
uint64_t keel_amounts_to_transfer(const struct keel_amounts_side *victim,
                                  const struct keel_amounts_side *thief, double delay_ns,
                                  double gamma);

/* Writes where the first block of each of `workers` >= 1 begins, in proportion to `weight` (each >
 * 0 and finite; NULL: equal): workers + 1 values from 0 to `iterations`, not decreasing, each
 * within one iteration of the exact share's end; with weights while workers * iterations < 2^60. */
void keel_amounts_first_blocks(uint64_t iterations, uint32_t workers, const double *weight,
                               uint64_t *first);

/* The beginning of the block of one of `workers` if all are equal: the same value, without memory.
 * worker: 0 .. workers. */
uint64_t keel_amounts_equal_block(uint64_t iterations, uint32_t workers, uint32_t worker);

#endif
