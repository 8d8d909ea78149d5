/* Whom a worker that runs dry asks for iterations: along the cluster tree (PAPERS.md K3),
 * random victims, or a neighbourhood (R2).
 *
 *   dry -> keel_victim_next(): ask whom? -> message -> answer -> keel_victim_answered() -> ...
 *
 * A state machine without clock, messages or chance of its own: who drives it sends what it says
 * and tells it the answers. Rounds: when all of a round have been asked in vain it says to wait;
 * what to wait for is the driver's business, which then begins another round. (Tried in a simulated
 * job: best, for the tree and for random victims, is that who was asked in vain remembers it, and
 * shares what it gets with who asked once it has begun an iteration of that.) */
#ifndef SCHEDULES_BALANCE_VICTIM_H
#define SCHEDULES_BALANCE_VICTIM_H

#include "schedules/balance/cluster_tree.h"

enum keel_victim_kind {
    KEEL_VICTIM_TREE,    /* its links in turns, from the lowest (K3); a round asks each once */
    KEEL_VICTIM_STEAL,   /* random victims, first the one that last had something: R2; a round asks
                          min(P - 1, 2 ceil(log2 P) + 2) different ones */
    KEEL_VICTIM_DIFFUSE, /* looks at a neighbourhood, takes from the fullest, else the next
                          neighbourhood: R2; a round looks at 4 neighbourhoods at most */
};

#define KEEL_VICTIM_NEIGHBOURS_MAX 16

/* What to do next. */
enum keel_victim_action {
    KEEL_VICTIM_ASK,     /* ask `worker` for iterations */
    KEEL_VICTIM_LOOK,    /* ask `worker` how many it has left */
    KEEL_VICTIM_PENDING, /* answers are on their way: come back with them */
    KEEL_VICTIM_WAIT,    /* nobody is left to ask in this round */
};

struct keel_victim_step {
    enum keel_victim_action action;
    uint32_t worker;
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
    uint32_t asked;                      /* in this round; diffuse: looked at */
    bool pending;                        /* an answer to ASK is on its way ... */
    uint32_t partner;                    /* ... from this worker */
    uint32_t last_victim;                /* who last gave something; == worker: nobody */
    uint32_t first_victim;               /* steal: last_victim as the round began */
    uint32_t victim, stride;             /* steal: the next one, and how far the next but one is */
    uint32_t neighbours;                 /* diffuse: size of a neighbourhood, 1 .. MAX */
    uint32_t offset;                     /* tree: the next link; diffuse: where the next
                                            neighbourhood begins, on the ring */
    uint32_t looking;                    /* diffuse: how many of it are in use */
    struct keel_victim_neighbour neighbour[KEEL_VICTIM_NEIGHBOURS_MAX];
};

/* Begins a loop. links: of this worker, for the tree; else NULL. neighbours: for diffuse, 1 ..
 * KEEL_VICTIM_NEIGHBOURS_MAX. seed: any number; workers with different numbers draw different
 * victims from the same seed. */
void keel_victim_begin(struct keel_victim_search *search, enum keel_victim_kind kind,
                       uint32_t workers, uint32_t worker, const struct keel_tree_links *links,
                       uint32_t neighbours, uint64_t seed);

/* What to do now. Every ASK and LOOK has to be answered by keel_victim_answered(). */
struct keel_victim_step keel_victim_next(struct keel_victim_search *search);

/* `worker` has answered: it gave `got` iterations and has `left` more. Iterations begin another
 * round. Ignored from who was not asked. */
void keel_victim_answered(struct keel_victim_search *search, uint32_t worker, uint64_t got,
                          uint64_t left);

/* Begins another round, after iterations came from somewhere, or after a wait. */
void keel_victim_new_round(struct keel_victim_search *search);

#endif
