/* The loops that bench/dispatch times.
 *
 * To time only chunks, the functions below call the runtime just as compiled loops do (see
 * -fdump-tree-optimized), but have no loop over the iterations of a chunk. That also counts the
 * chunks exactly. */
#include "bench/dispatch_dir/timed_loops.h"

#include <omp.h>
#include <stdatomic.h>

#include "bench/support/support.h"

/* Written by one thread each. */
struct thread_time {
    _Alignas(128) double start_ns;
    double end_ns;
    uint64_t chunks;
};

static struct thread_time times[LOOP_THREADS_MAX];

static struct loop_time whole_team(unsigned threads)
{
    struct loop_time whole = {0};
    double start_ns = times[0].start_ns, end_ns = times[0].end_ns;

    for (unsigned i = 0; i < threads; i++) {
        start_ns = times[i].start_ns < start_ns ? times[i].start_ns : start_ns;
        end_ns = times[i].end_ns > end_ns ? times[i].end_ns : end_ns;
        whole.chunks += times[i].chunks;
    }
    whole.ns = end_ns - start_ns;
    return whole;
}

/* Makes the compiler produce `value`; does nothing with it. */
static inline void use(long value)
{
    __asm__ volatile("" : : "r"(value));
}

/* --- taking the chunks of one loop; returns how many this thread got -------------------------- */

/* libgomp's interface (libgomp.h); the names are those that gcc 12 uses for these clauses. */
bool GOMP_loop_maybe_nonmonotonic_runtime_start(long, long, long, long *, long *);
bool GOMP_loop_maybe_nonmonotonic_runtime_next(long *, long *);
bool GOMP_loop_nonmonotonic_dynamic_start(long, long, long, long, long *, long *);
bool GOMP_loop_nonmonotonic_dynamic_next(long *, long *);
bool GOMP_loop_nonmonotonic_guided_start(long, long, long, long, long *, long *);
bool GOMP_loop_nonmonotonic_guided_next(long *, long *);
void GOMP_loop_end_nowait(void);

#define TAKE(name, start_call, next_call)                     \
    static uint64_t take_##name(const struct loop_case *work) \
    {                                                         \
        long start, end;                                      \
        uint64_t taken = 0;                                   \
                                                              \
        if (start_call) {                                     \
            do {                                              \
                use(start);                                   \
                use(end);                                     \
                taken++;                                      \
            } while (next_call(&start, &end));                \
        }                                                     \
        GOMP_loop_end_nowait();                               \
        return taken;                                         \
    }

TAKE(runtime, GOMP_loop_maybe_nonmonotonic_runtime_start(0, work->iterations, 1, &start, &end),
     GOMP_loop_maybe_nonmonotonic_runtime_next)
TAKE(dynamic,
     GOMP_loop_nonmonotonic_dynamic_start(0, work->iterations, 1, work->chunk, &start, &end),
     GOMP_loop_nonmonotonic_dynamic_next)
TAKE(guided, GOMP_loop_nonmonotonic_guided_start(0, work->iterations, 1, work->chunk, &start, &end),
     GOMP_loop_nonmonotonic_guided_next)

/* The least that any self-scheduling has to do: one atomic addition per chunk, in line. A counter
 * on its own cache line for each instance, so that none has to be reset. */
#define COUNTERS 4096

static struct {
    _Alignas(128) _Atomic long next;
} counters[COUNTERS];

static uint64_t take_by_fetch_add(const struct loop_case *work, unsigned instance)
{
    _Atomic long *next = &counters[instance].next;
    uint64_t taken = 0;

    for (;;) {
        long first = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
        if (first >= work->iterations) {
            return taken;
        }
        use(first);
        taken++;
    }
}

static uint64_t take_chunks(const struct loop_case *work, unsigned instance)
{
    switch (work->clause) {
    case LOOP_RUNTIME:
        return take_runtime(work);
    case LOOP_DYNAMIC:
        return take_dynamic(work);
    case LOOP_GUIDED:
        return take_guided(work);
    case LOOP_FETCH_ADD:
        return take_by_fetch_add(work, instance);
    }
    return 0;
}

static struct loop_time time_chunks(const struct loop_case *work)
{
    for (unsigned i = 0; i <= work->instances && i < COUNTERS; i++) {
        atomic_store_explicit(&counters[i].next, 0, memory_order_relaxed);
    }
#pragma omp parallel num_threads(work->threads)
    {
        struct thread_time *time = &times[omp_get_thread_num()];
        uint64_t taken = 0;

        /* plans, site records and libgomp's own records are made here, not in the timed part */
        take_chunks(work, 0);
#pragma omp barrier
        time->start_ns = now_ns();
        for (unsigned i = 1; i <= work->instances; i++) {
            taken += take_chunks(work, i);
        }
        time->end_ns = now_ns();
        time->chunks = taken;
    }
    return whole_team(work->threads);
}

/* --- whole loops, as in usual programs -------------------------------------------------------- */

static struct loop_time time_combined(const struct loop_case *work)
{
    long n = work->iterations;
    double start_ns = now_ns();

    for (unsigned instance = 0; instance < work->instances; instance++) {
        if (work->clause == LOOP_RUNTIME) {
#pragma omp parallel for schedule(runtime) num_threads(work->threads)
            for (long i = 0; i < n; i++) {
                use(i);
            }
        } else {
#pragma omp parallel for schedule(dynamic) num_threads(work->threads)
            for (long i = 0; i < n; i++) {
                use(i);
            }
        }
    }
    return (struct loop_time){.ns = now_ns() - start_ns};
}

static void run_nowait(const struct loop_case *work)
{
    long n = work->iterations;

    if (work->clause == LOOP_RUNTIME) {
#pragma omp for schedule(runtime) nowait
        for (long i = 0; i < n; i++) {
            use(i);
        }
    } else {
#pragma omp for schedule(dynamic) nowait
        for (long i = 0; i < n; i++) {
            use(i);
        }
    }
}

static struct loop_time time_nowait(const struct loop_case *work)
{
#pragma omp parallel num_threads(work->threads)
    {
        struct thread_time *time = &times[omp_get_thread_num()];

        run_nowait(work);
#pragma omp barrier
        time->start_ns = now_ns();
        for (unsigned i = 0; i < work->instances; i++) {
            run_nowait(work);
        }
        time->end_ns = now_ns();
        time->chunks = 0;
    }
    return whole_team(work->threads);
}

static void use_static(bool yes)
{
    omp_set_schedule(yes ? omp_sched_static : omp_sched_dynamic, yes ? 0 : 1);
}

const struct dispatch_loops dispatch_loops = {
    .chunks = time_chunks,
    .combined = time_combined,
    .nowait = time_nowait,
    .use_static = use_static,
};
