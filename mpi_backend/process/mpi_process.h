/* The base of the layer, about this process: no communicator. */
#ifndef MPI_BACKEND_PROCESS_MPI_PROCESS_H
#define MPI_BACKEND_PROCESS_MPI_PROCESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "schedules/ranks/mpi_variables.h"

/* How sources mark what libkeel_mpi.so exports. */
#define KEEL_MPI_PUBLIC __attribute__((visibility("default")))

/* --- settings ---
 *
 * What the environment asks of Keel across nodes: one snapshot, taken once. */

/* The snapshot: taken by the first caller, and never changed. Any thread. Of the ranks on one node
 * only the first prints messages about wrong values, if its rank is known from its launcher. */
const struct keel_ranks_settings *keel_mpi_settings(void);

/* Of what `digest` is of, and of this rank's KEEL_MPI_WEIGHTS: for ranks to compare. Any thread. */
uint64_t keel_mpi_weights_digest(uint64_t digest);

/* What the launcher calls the job, or where it does not, a name that ranks of one machine share if
 * the launcher started them itself; "": no launcher. Any thread. */
const char *keel_mpi_settings_job(void);

/* --- the clock ---
 *
 * The clock of shared loops. Not MPI's, as threads measure that may not call MPI; simulators of MPI
 * replace it. */

/* Wall time, ns. Any thread. */
static inline double keel_mpi_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The same in s. */
static inline double keel_mpi_clock_s(void)
{
    return keel_mpi_clock_ns() / 1e9;
}

/* --- errors ---
 *
 * What becomes of errors: their names, and KEEL_MPI_ON_ERROR. */

/* "KEEL_MPI_MISMATCH", of a code of keel_mpi.h. */
const char *keel_mpi_error_name(int code);

/* The end of every function about shared loops: returns `code`. An error ends the job where
 * KEEL_MPI_ON_ERROR asks for that; a loop that the program has cancelled is none. */
int keel_mpi_error_return(int code);

/* The same after the message, by the rank that has written it for all ranks. These give it time in
 * keel_mpi_error_return(). */
void keel_mpi_error_reported(int code);

/* A message about an error of the program, which its ranks make alike as a rule: of all on one
 * machine, one says that, once. A rank with a message handler of its own hears all. Any thread. */
__attribute__((format(printf, 1, 2))) void keel_mpi_misuse(const char *format, ...);

/* --- structures of the program ---
 *
 * Structures that programs allocate. Each begins with `size_t struct_size`, the size that the
 * program knows, so that fields can be added at the end: fields that only one side knows are not
 * read, and a later program gets 0 in them. */

#define KEEL_MPI_SIZED_MAX 4096 /* bytes; a larger struct_size was never set */

/* Whether struct_size of a structure that the program has given to `function` can be right: at
 * least `least` bytes. false: not, with a message. */
bool keel_mpi_sized_check(const void *structure, size_t least, const char *function);

/* Copies the library's structure of `size` bytes to the program's one; both begin with
 * struct_size, which stays. */
void keel_mpi_sized_give(void *program, const void *own, size_t size);

/* Copies the program's structure to the library's one of `size` bytes; what the program does not
 * know becomes 0. */
void keel_mpi_sized_take(void *own, size_t size, const void *program);

/* --- which MPI ---
 *
 * Which MPI this library was built for, and which one the process has. Handles of one family mean
 * nothing to the other: MPICH's are numbers, Open MPI's are addresses. */

enum keel_mpi_family {
    KEEL_MPI_FAMILY_UNKNOWN, /* goes with all others */
    KEEL_MPI_FAMILY_OPEN_MPI,
    KEEL_MPI_FAMILY_MPICH, /* the MPICH ABI: Intel MPI, Cray MPICH and MVAPICH, too */
};

struct keel_mpi_kind {
    enum keel_mpi_family family;
    const char *name; /* as people call it; static */
};

/* Whether MPI is initialised and not finalised. Any thread. */
bool keel_mpi_is_there(void);

/* By what MPI_Get_library_version() says. Pure. */
struct keel_mpi_kind keel_mpi_kind_of(const char *library_version);

/* Whether the process has an MPI of another family; the first call that finds that says so. Any
 * thread, also before MPI is initialised and after its end. */
bool keel_mpi_kind_is_wrong(void);

/* --- libkeel.so ---
 *
 * libkeel.so, where it is in the process: it comes with the program, or by LD_PRELOAD.
 *
 *   lender.c, work.c, identity.c, reported.c -> [libkeel] ->
 * omp_ext/lending/lending.h */

struct keel_lending;

/* What libkeel.so does for this library; NULL: it is not there, or the two know no common version
 * of lending.h. Any thread. */
const struct keel_lending *keel_mpi_libkeel(void);

/* Whether it is in the process, of whatever version. */
bool keel_mpi_libkeel_is_there(void);

/* Writes the name of the loop that starts there into text[size]: "mandel.c:42 (render)", or its
 * place in its module. caller, outlined: as in omp_ext/lending/lending.h. */
void keel_mpi_libkeel_loop_name(const void *caller, void (*outlined)(void *), char *text,
                                size_t size);

/* The newest version by which the one in the process lends loops. */
uint32_t keel_mpi_libkeel_version(void);

/* --- threads of the library ---
 *
 * A thread that looks after something from time to time while others work, and sleeps in between.
 *
 *   start -> sleep -> look -> sleep as long as that says -> ... -> stop: at once, unless it looks
 *
 * No MPI. Signals are for the program's own threads. */

/* Begins as {0}. */
struct keel_mpi_periodic {
    pthread_t thread;
    pthread_mutex_t mutex; /* of `stops` */
    pthread_cond_t stopped;
    bool runs, stops;
    double first_s;
    double (*look)(void *context);
    void *context;
};

/* The thread looks first_s from now, and again after as many seconds as `look` returns. Without a
 * thread, nothing does. */
void keel_mpi_periodic_start(struct keel_mpi_periodic *periodic, double first_s,
                             double (*look)(void *context), void *context);

/* It does not look any more. Not where none runs: nothing. */
void keel_mpi_periodic_stop(struct keel_mpi_periodic *periodic);

#endif
