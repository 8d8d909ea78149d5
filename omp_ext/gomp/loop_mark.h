/* The mark for `keel run` that a loop came to Keel. */
#ifndef OMP_EXT_GOMP_LOOP_MARK_H
#define OMP_EXT_GOMP_LOOP_MARK_H

#include <stdatomic.h>
#include <stdbool.h>

extern atomic_bool keel_loop_mark_done;

/* What is in the file: bytes. */
#define KEEL_LOOP_MARK '1'
#define KEEL_LOOP_MARK_FOREIGN \
    '2' /* another runtime is in libgomp's place, and a message says so */

/* Writes the byte into the file that KEEL_SEEN names, if any, for `keel run`; once. */
void keel_loop_mark_write(void);
void keel_loop_mark_foreign(void);

/* Call when a loop is scheduled; only the first call does anything. */
static inline void keel_loop_mark(void)
{
    /* relaxed: who comes too late for this to be seen does nothing */
    if (__builtin_expect(!atomic_load_explicit(&keel_loop_mark_done, memory_order_relaxed), 0)) {
        keel_loop_mark_write();
    }
}

#endif
