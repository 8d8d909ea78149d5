/* The program that bench/demo runs under each schedule: draws the picture several times in one
 * process, and writes a line
 *
 *   label  picture  threads  seconds  imbalance  chunks          separated by tabs
 *
 * for each but the first. In the first, threads are created, memory is touched, and Keel measures
 * the loop for schedules that need the variation of its iterations.
 *
 *   program LABEL SIZE PICTURES [FILE]        FILE gets the last picture, for picture.c */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/demo_dir/mandelbrot.h"
#include "omp_ext/gomp/worksharing.h"

/* --- counts the chunks of loops over long: those with schedule(runtime), whichever library hands
 * them out, and under Keel those that were built with the plugin ---
 *
 * The program's own calls of the runtime find the functions here, which call the next library that
 * has them, Keel's or libgomp's, and count each "yes". There is no other exact way: two chunks of
 * neighbouring rows that go to one thread look like one to the loop body. The cost, some
 * nanoseconds each, is nothing beside a row. */

static _Atomic uint64_t chunks;

/* Chunks since the last call. No loop may be running. */
static uint64_t chunk_count_take(void)
{
    return atomic_exchange(&chunks, 0);
}

static bool counted(bool chunk)
{
    /* relaxed: read after the team's barrier */
    atomic_fetch_add_explicit(&chunks, chunk, memory_order_relaxed);
    return chunk;
}

/* Threads that find it at the same time store the same address. */
static void *find(_Atomic(void *) *found, const char *name)
{
    void *function = atomic_load_explicit(found, memory_order_relaxed);

    if (function == NULL) {
        function = dlsym(RTLD_NEXT, name);
        if (function == NULL) {
            fprintf(stderr, "keel: no OpenMP runtime has %s; the program can't go on\n", name);
            exit(1);
        }
        atomic_store_explicit(found, function, memory_order_relaxed);
    }
    return function;
}

/* The two calls of each kind of loop: a loop by itself starts with the first one; one combined with
 * its parallel region only has the second. */
#define COUNT(name)                                                                                \
    bool GOMP_loop_##name##_start(long start, long end, long step, long *first, long *last);       \
    bool GOMP_loop_##name##_next(long *first, long *last);                                         \
                                                                                                   \
    bool GOMP_loop_##name##_start(long start, long end, long step, long *first, long *last)        \
    {                                                                                              \
        static _Atomic(void *) found;                                                              \
        bool (*function)(long, long, long, long *, long *) =                                       \
            (bool (*)(long, long, long, long *, long *))find(&found, "GOMP_loop_" #name "_start"); \
        return counted(function(start, end, step, first, last));                                   \
    }                                                                                              \
                                                                                                   \
    bool GOMP_loop_##name##_next(long *first, long *last)                                          \
    {                                                                                              \
        static _Atomic(void *) found;                                                              \
        bool (*function)(long *, long *) =                                                         \
            (bool (*)(long *, long *))find(&found, "GOMP_loop_" #name "_next");                    \
        return counted(function(first, last));                                                     \
    }

COUNT(runtime)
COUNT(nonmonotonic_runtime)
COUNT(maybe_nonmonotonic_runtime)

/* For a loop that was built with the plugin. If Keel leaves it to the program, each thread has one
 * chunk. Passes a record of its own to Keel, so that Keel is asked each time. */
unsigned keel_worksharing_begin(struct keel_worksharing_loop *loop, unsigned flags,
                                unsigned threads, long start, long end, long step, long chunk,
                                long *first, long *last)
{
    static _Atomic(void *) found;
    static struct keel_worksharing_loop asking = {&asking.none, 0};
    typedef unsigned begins(struct keel_worksharing_loop *, unsigned, unsigned, long, long, long,
                            long, long *, long *);
    begins *function = (begins *)find(&found, "keel_worksharing_begin");
    unsigned state = function(&asking, flags, threads, start, end, step, chunk, first, last);

    (void)loop;

    counted(state == 0 || (state & KEEL_WORKSHARING_CHUNK) != 0);
    return state;
}

bool keel_worksharing_next(long *first, long *last)
{
    static _Atomic(void *) found;
    bool (*function)(long *, long *) =
        (bool (*)(long *, long *))find(&found, "keel_worksharing_next");

    return counted(function(first, last));
}

/* --- the picture --- */

static void *array(size_t count, size_t size)
{
    void *memory = aligned_alloc(128, (count * size + 127) / 128 * 128);

    if (memory == NULL) {
        fputs("keel: demo_dir/draw: no memory for the picture\n", stderr);
        exit(1);
    }
    return memset(memory, 0, (count * size + 127) / 128 * 128);
}

/* Percent imbalance: the busiest thread over the mean. */
static double imbalance(const struct mandelbrot *picture, int threads)
{
    double most_s = 0, sum_s = 0;

    for (int i = 0; i < threads; i++) {
        double busy_s = picture->thread[i].busy_s;
        most_s = busy_s > most_s ? busy_s : most_s;
        sum_s += busy_s;
    }
    return sum_s > 0 ? (most_s / (sum_s / threads) - 1) * 100 : 0;
}

static void draw(struct mandelbrot *picture, const char *label, int number)
{
    int threads = omp_get_max_threads();

    memset(picture->thread, 0, (size_t)threads * sizeof *picture->thread);
    chunk_count_take();
    double start_s = omp_get_wtime();
    mandelbrot_draw(picture);
    double time_s = omp_get_wtime() - start_s;
    if (number > 0) {
        printf("%s\t%d\t%d\t%.9f\t%.4f\t%llu\n", label, number, threads, time_s,
               imbalance(picture, threads), (unsigned long long)chunk_count_take());
    }
}

static int save(const struct mandelbrot *picture, const char *path)
{
    size_t size = (size_t)picture->size;
    FILE *file = fopen(path, "wb");

    if (file == NULL) {
        perror(path);
        return 1;
    }
    fwrite(&picture->size, sizeof picture->size, 1, file);
    fwrite(picture->owner, sizeof *picture->owner, size, file);
    fwrite(picture->steps, sizeof *picture->steps, size * size, file);
    if (ferror(file) | fclose(file)) {
        perror(path);
        return 1;
    }
    return 0;
}

int main(int arguments, char **argument)
{
    struct mandelbrot picture = {.size = arguments > 2 ? atoi(argument[2]) : 0};
    int pictures = arguments > 3 ? atoi(argument[3]) : 0;

    if (picture.size < 1 || picture.size > 20000 || pictures < 1) {
        fputs("usage: program LABEL SIZE PICTURES [FILE]\n", stderr);
        return 2;
    }
    size_t size = (size_t)picture.size;
    picture.steps = array(size * size, sizeof *picture.steps);
    picture.owner = array(size, sizeof *picture.owner);
    picture.thread = array((size_t)omp_get_max_threads(), sizeof *picture.thread);
    for (int i = 0; i <= pictures; i++) {
        draw(&picture, argument[1], i);
    }
    return arguments > 4 ? save(&picture, argument[4]) : 0;
}
