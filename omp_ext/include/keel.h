/* Keel's interface for programs. Most need none of it: KEEL_SCHEDULE in the environment is enough.
 *
 *     #include <keel.h>                                  cc ... -fopenmp -lkeel   (before -lgomp;
 * see `keel cflags`)
 *
 *     keel_set_schedule("fac2,16");
 *     #pragma omp parallel for schedule(runtime)
 *     for (long i = 0; i < rows; i++) compute(i);
 *
 * A schedule is written as for KEEL_SCHEDULE: name[,value...][:key=value,...], see `keel list`;
 * "libgomp" leaves loops to libgomp. Rules for single loops are for the environment only. */
#ifndef KEEL_H
#define KEEL_H

#if __SIZEOF_POINTER__ != 8
#error "Keel takes loops of 64-bit programs only; compile this one without -m32 or -mx32"
#endif

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. Within one major version, programs that were built with an earlier
 * minor one run with later libraries. */
#define KEEL_VERSION_MAJOR 0
#define KEEL_VERSION_MINOR 1

#define KEEL_VERSION_TEXT_OF(major, minor) #major "." #minor
#define KEEL_VERSION_TEXT(major, minor) KEEL_VERSION_TEXT_OF(major, minor)
#define KEEL_VERSION KEEL_VERSION_TEXT(KEEL_VERSION_MAJOR, KEEL_VERSION_MINOR) /* "MAJOR.MINOR" */

/* Results; all but KEEL_OK leave everything as it was, except KEEL_OVERRULED. */
enum {
    KEEL_OK = 0,
    KEEL_UNREADABLE = 1, /* not a schedule, or a parameter or a cost is wrong: keel_problem() says
                            which */
    KEEL_OVERRULED = 2,  /* recorded, but KEEL_SCHEDULE in the environment sets a schedule for all
                           loops, which overrides it */
    KEEL_NO_ROOM = 3     /* more than 1024 different schedules, or no memory */
};

/* Sets the schedule of the loops that the calling thread starts next: of its own
 * schedule(runtime) loops, and of those of teams that it creates. As with OpenMP's
 * run-sched-var, all threads of a team that share a loop should have asked for the same; if not,
 * that of the first thread to arrive is used. Of an ordered loop they must have asked for the
 * same, as OpenMP demands. In a parallel region it holds until the region ends; a region that is
 * running when a program asks for the first schedule of all stays libgomp's. NULL takes it back.
 * Ranks over OMP_SCHEDULE and earlier omp_set_schedule() calls; a later omp_set_schedule() ranks
 * over it. Any thread, at any time. */
int keel_set_schedule(const char *schedule);

/* Writes the schedule that the calling thread's next loop will have, unless a rule means that loop,
 * into text[0 .. size-1], cut if need be and always terminated (nothing if size is 0). Returns the
 * full length without terminator, as snprintf does. "libgomp" if libgomp decides. Any thread. */
int keel_get_schedule(char *text, size_t size);

/* Gives the costs of iterations 0 .. count-1 of a loop, relative to each other and in any unit, to
 * schedules that go by them: binlpt and lpt. Iteration 0 is the one that the loop, if it ran alone,
 * would begin with, whatever its variable begins at; in collapsed loops the last variable counts
 * fastest.
 *
 *     double costs[rows];
 *     for (long i = 0; i < rows; i++) costs[i] = row_start[i + 1] - row_start[i];
 *     keel_set_costs(costs, rows);
 *     keel_set_schedule("binlpt");
 *     #pragma omp parallel for schedule(runtime)
 *     for (long i = 0; i < rows; i++) multiply(i);
 *
 * They hold for the loops of exactly `count` iterations that the calling thread starts next, and
 * for those of teams that it creates, until its next call; in a parallel region, until the region
 * ends. All threads of a team that share a loop should have given the same. Loops of other lengths
 * run as under fac2, as do loops that promise `monotonic:` or `ordered` iterations. costs: each at
 * least 0 and finite, copied; if all are 0, they count as equal. Giving the same costs again costs
 * no more than comparing them. NULL, or a count of 0, takes them back. KEEL_UNREADABLE: a cost is
 * wrong; KEEL_NO_ROOM: there is no memory; the costs stay as they were. Any thread, at any time. */
int keel_set_costs(const double *costs, size_t count);

/* What was wrong in the calling thread's last keel_set_schedule() or keel_set_costs(), "" if
 * nothing. Valid until its next call. */
const char *keel_problem(void);

/* The version of the library that is loaded, like KEEL_VERSION: what a program runs with may be
 * later than what it was built with. Stays valid for ever. Any thread, at any time. */
const char *keel_version(void);

/* The same as numbers, like KEEL_VERSION_MAJOR and KEEL_VERSION_MINOR. Any thread, at any time. */
void keel_get_version(int *major, int *minor);

/* Has Keel's messages to the person who runs the program handed to `handler` instead of written to
 * standard error: those of libkeel.so, and those of libkeel_mpi.so unless
 * keel_mpi_set_message_handler() says otherwise. NULL: standard error again. text: one line without
 * "keel: " before it and without a line end, at most 505 bytes; valid until the handler returns.
 *
 *     static void log_message(const char *text, void *file) { fprintf(file, "[keel] %s\n", text); }
 *     keel_set_message_handler(log_message, log_file);
 *
 * The handler is called by whatever thread has something to say, also threads of Keel's own, one
 * call at a time. It may write, allocate and lock; it must return, must not wait for another
 * thread of the program, and must call neither MPI nor any function of Keel's but this one. What
 * Keel would say meanwhile in the same thread goes to standard error. It may be called from now on
 * until this function has returned from setting another one: then it has returned for the last
 * time, and the library that it lives in may be closed (unless the handler itself made that call).
 * Messages from before the first call are on standard error. A child after fork() keeps the
 * handler. Any thread, at any time. */
void keel_set_message_handler(void (*handler)(const char *text, void *context), void *context);

#ifdef __cplusplus
}
#endif
#endif
