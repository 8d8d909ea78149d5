/* KEEL_TRACE: which chunks each thread has run, and how long each took.
 *
 *   keel_loop_next() --> [a claim, between two readings of the clock] --> chunk
 *                                          +--> entries in memory --> [at exit] --> file
 *
 * A traced loop has KEEL_LOOP_TRACED for its mode, and its own one in its state here: without
 * KEEL_TRACE nothing is done for a chunk, and for a loop one look at the settings. With it, what is
 * noted takes its place by one fetch-add, in memory that is there once. */
#ifndef OMP_EXT_INSTANCE_TRACE_H
#define OMP_EXT_INSTANCE_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "omp_ext/settings/settings.h"
#include "omp_ext/site/site.h"

#define KEEL_TRACE_CHUNKS_MAX (UINT32_C(1) << 20) /* 64 MiB; later ones are left out */

/* One thread's part in a traced loop instance. Its own. */
struct keel_trace_worker;

static inline bool keel_trace_wanted(void)
{
    return __builtin_expect(keel_settings()->trace_file != NULL, 0);
}

/* When the library is loaded: children that this process forks trace nothing into its file. */
void keel_trace_begin(void);

/* The state in the instance whose number is in *number; 0: nobody has come before. NULL: nothing is
 * traced. */
struct keel_trace_worker *keel_trace_join(_Atomic uint64_t *number,
                                          const struct keel_call_site *place, uint32_t thread);

/* The mode that it keeps for its loop while that is traced. */
int keel_trace_mode(const struct keel_trace_worker *worker);
void keel_trace_set_mode(struct keel_trace_worker *worker, int mode);

/* The thread has got iterations [first, last), and begins them now. */
void keel_trace_chunk(struct keel_trace_worker *worker, uint64_t first, uint64_t last);

/* The chunk that it has got last is over, if there is one that runs. */
void keel_trace_chunk_over(struct keel_trace_worker *worker);

void keel_trace_leave(struct keel_trace_worker *worker);

/* Before a library goes: finds the names of the traced loops. Any thread; takes keel_slow_lock. A
 * process that has come to no loop does nothing. */
void keel_trace_find_names(void);

/* At exit, without locks; quickly: what stands in stdio's buffers stays there. */
void keel_trace_write(bool quickly);

#endif
