/* Adversarial schedules: threads, chunks and order are drawn from a seed, as far from the usual as
 * OpenMP allows.
 *
 *   seed -> [borders, order, owners] -> places 0 .. chunks - 1 -> chunk of a thread
 *
 * Keeps the properties of every schedule: each iteration once; if a loop promises it, each thread's
 * iterations increase; the chunk that ends the loop is the last one of its thread. Pure: all
 * threads of a team compute the same from the same seed, and share at most one counter. */
#ifndef SCHEDULES_CLAIM_ADVERSARY_H
#define SCHEDULES_CLAIM_ADVERSARY_H

#include <stdbool.h>
#include <stdint.h>

#define KEEL_ADVERSARY_CHUNKS_MAX 65536

/* Which thread gets the chunk at a place of the order. */
enum keel_adversary_who {
    KEEL_ADVERSARY_SHARED,      /* threads draw places from a counter: neighbours run at a time */
    KEEL_ADVERSARY_RANDOM,      /* a thread by the seed; here and below nothing is shared */
    KEEL_ADVERSARY_ROUND_ROBIN, /* one thread after the other */
    KEEL_ADVERSARY_REVERSED,    /* blocks, from the last thread's to the first one's */
    KEEL_ADVERSARY_ONE,         /* all chunks go to one thread */
};

/* One instance of a loop. */
struct keel_adversary {
    uint64_t seed;
    uint64_t iterations; /* N */
    uint64_t threads;    /* P */
    uint64_t chunks;     /* K <= min(N, KEEL_ADVERSARY_CHUNKS_MAX) */
    uint64_t factor;     /* place p < K - 1 holds chunk (p * factor + offset) mod (K - 1); */
    uint64_t offset;     /* the last place holds the last chunk */
    enum keel_adversary_who who;
};

/* A number that depends on all bits of `seed` and `what`. */
uint64_t keel_adversary_draw(uint64_t seed, uint64_t what);

/* Prepares an instance of `iterations` >= 0 for `threads` >= 1. in_order: each thread's iterations
 * have to increase. In a team of one they always do, as in a program without threads. */
void keel_adversary_begin(struct keel_adversary *adversary, uint64_t seed, uint64_t iterations,
                          uint64_t threads, bool in_order);

/* The iterations [*first, *last) of the chunk at `place` < chunks; first < last. */
void keel_adversary_chunk(const struct keel_adversary *adversary, uint64_t place, uint64_t *first,
                          uint64_t *last);

/* Writes the chunk at the first place from *place on that belongs to `thread`, and moves *place
 * behind it. False if there is none. Not for KEEL_ADVERSARY_SHARED. */
bool keel_adversary_next_own(const struct keel_adversary *adversary, uint64_t thread,
                             uint64_t *place, uint64_t *first, uint64_t *last);

#endif
