/* When all work of a phase is done in the whole job: Mattern's four counters.
 *
 *   what was sent and received -> [termination] -> words of a wave -> sums over all ranks
 *        -> [termination] -> goes on | what is held has to be returned | ended
 *
 * A wave is a sum over all ranks, to which each contributes at some moment when it has nothing to
 * do. A wave begins when the one before is complete. Let R be what had been received by the one
 * wave and S what had been sent by the next: every contribution to the first came before every one
 * to the second. If R == S, all that was sent by then had been received before the second wave
 * began, so nothing was on its way while it ran, and nobody could be woken up (Mattern 1987,
 * Algorithms for distributed termination detection, section 5). Counters never go back, also from
 * phase to phase. Pure. */
#ifndef SCHEDULES_OBJECTS_TERMINATION_H
#define SCHEDULES_OBJECTS_TERMINATION_H

#include <stdbool.h>
#include <stdint.h>

#define KEEL_TERMINATION_WORDS 3

enum keel_termination_result {
    KEEL_TERMINATION_GOES_ON, /* another wave is to follow */
    KEEL_TERMINATION_HELD,    /* nothing is going on but that messages are held for objects that
                                 nobody has: they are to be returned now */
    KEEL_TERMINATION_ENDED
};

/* Written by the functions below only. */
struct keel_termination {
    uint64_t sent, received; /* by this rank, ever */
    uint64_t received_by_all;
    bool has_wave; /* received_by_all is that of the wave before */
};

/* A phase begins: waves of the phase before do not count. */
void keel_termination_begin(struct keel_termination *termination);

/* What this rank adds to a wave: it is idle. held: messages that it keeps for objects that it does
 * not know. */
void keel_termination_contribute(const struct keel_termination *termination, uint64_t held,
                                 uint64_t word[KEEL_TERMINATION_WORDS]);

/* The sums of a wave have come; the same on all ranks. */
enum keel_termination_result keel_termination_take(struct keel_termination *termination,
                                                   const uint64_t sum[KEEL_TERMINATION_WORDS]);

#endif
