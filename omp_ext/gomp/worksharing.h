/* The interface between the plugin's code and libkeel.so for a loop.
 *
 *   a loop built with the plugin -> at most *up_to iterations: it runs as it was written
 *                                -> more: keel_worksharing_begin() -> 0: it runs as it was written
 *                                                                  -> 1: Keel gives its chunks
 *
 * The program refers to these functions weakly and with no address where Keel is not loaded. They
 * are called only by code that the plugin makes. */
#ifndef OMP_EXT_GOMP_WORKSHARING_H
#define OMP_EXT_GOMP_WORKSHARING_H

#include <stdbool.h>

/* How the loop reads. The kinds are those of libgomp's interface; without a clause it is static. */
#define KEEL_WORKSHARING_STATIC 1u
#define KEEL_WORKSHARING_DYNAMIC 2u
#define KEEL_WORKSHARING_GUIDED 3u
#define KEEL_WORKSHARING_KIND 7u
#define KEEL_WORKSHARING_IN_ORDER 8u /* each thread's iterations have to increase */
#define KEEL_WORKSHARING_ORDERED 16u /* the loop has ordered regions */
/* A loop may run before it whose threads do not wait at its end: where Keel gives the chunks, all
 * threads wait for each other first. */
#define KEEL_WORKSHARING_WAIT_FIRST 32u
/* The clause is written and says nothing of order: as with KEEL_WORKSHARING_IN_ORDER, unless
 * KEEL_OVERRIDE says nonmonotonic. */
#define KEEL_WORKSHARING_UNSTATED_ORDER 64u

/* What begin returns: 0, or KEEL_WORKSHARING_KEEL and more. */
#define KEEL_WORKSHARING_KEEL 1u
#define KEEL_WORKSHARING_CHUNK 2u /* this thread's first chunk is at istart and iend */

/* What the program has of each loop: a static variable. It reads both words once for each part in
 * an instance, and writes neither. */
struct keel_worksharing_loop {
    unsigned long *up_to; /* most iterations of instances that do not ask: `none` at first; Keel has
                             it point to a word of its own, see site/mode.h */
    unsigned long none;   /* 0 */
};

/* Begins the calling thread's part in a loop from `start` to before `end`, as GOMP_loop_*_start
 * does. chunk: that of the clause; 0: none. threads: the size of the team, as the program's
 * own libgomp knows it. All threads of a team get the same: 0, or not 0. Any thread. */
unsigned keel_worksharing_begin(struct keel_worksharing_loop *loop, unsigned flags,
                                unsigned threads, long start, long end, long incr, long chunk,
                                long *istart, long *iend);
unsigned keel_worksharing_ull_begin(struct keel_worksharing_loop *loop, unsigned flags,
                                    unsigned threads, bool up, unsigned long long start,
                                    unsigned long long end, unsigned long long incr,
                                    unsigned long long chunk, unsigned long long *istart,
                                    unsigned long long *iend);

/* The thread's next chunk; false: there is none. Only where begin has returned other than 0, as
 * for the end. */
bool keel_worksharing_next(long *istart, long *iend);
bool keel_worksharing_ull_next(unsigned long long *istart, unsigned long long *iend);

/* The end of the thread's part, with a barrier, with one that ends when the region is cancelled
 * (returns whether it is), or with none. */
void keel_worksharing_end(void);
bool keel_worksharing_end_cancel(void);
void keel_worksharing_end_nowait(void);

#endif
