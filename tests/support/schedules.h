/* Runs a test under every schedule and several team sizes, through Keel's interface of the
 * library that is preloaded. C and C++. */
#ifndef TESTS_SUPPORT_SCHEDULES_H
#define TESTS_SUPPORT_SCHEDULES_H

#include <dlfcn.h>
#include <omp.h>
#include <string.h>

#include "omp_ext/include/keel.h"
#include "tests/support/checks.h"

static const char *const every_schedule[] =
    LIST("static", "static,7", "ss", "css,5", "gss", "gss,3", "tss", "tss,20,2", "tfss", "fac2",
         "fac", "fac:mu=100,sigma=50", "wf2", "fsc", "mfsc", "tap", "bold", "fiss", "viss", "pls",
         "rnd", "fac2:min=4", "awf", "awf-b", "awf-c", "awf-d", "awf-e", "af", "maf", "aid",
         "aid,3:ratio=0.5", "rate", "rate:min=3", "afs", "lds", "steal", "steal,3", "ich",
         "binlpt", /* these without costs, see given_costs.c */
         "binlpt,5", "lpt", "auto");

static const int team_sizes[] = {1, 2, 3, 4, 7};

/* With COUNTED_MEMORY, in one source of a program, which exports its symbols, a malloc() of its
 * own: where another one than glibc's is found, Keel takes its memory from there, so that it
 * counts. */
#ifdef COUNTED_MEMORY
#include <malloc.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);

void *malloc(size_t bytes)
{
    return __libc_malloc(bytes);
}

/* Bytes of the program and of Keel. */
static long in_use(void)
{
    return (long)mallinfo2().uordblks;
}
#endif

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define EACH_SCHEDULE(schedule)                        \
    for (const char *const *schedule = every_schedule; \
         schedule < every_schedule + COUNT(every_schedule); schedule++)

/* A function of the library. A program that finds no Keel would test libgomp. */
__attribute__((unused)) static void *find_function(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    if (found == NULL) {
        printf("%s: libkeel.so is not loaded\n", name);
        exit(2);
    }
    return found;
}

typedef int set_schedule_function(const char *);

static set_schedule_function *find_set_schedule(void)
{
    static set_schedule_function *found;

    if (found == NULL) {
        found = (set_schedule_function *)find_function("keel_set_schedule");
    }
    return found;
}

/* Whether the schedule gives a thread increasing iterations in loops that do not ask for it. None
 * does where KEEL_CHECK means all of them. */
__attribute__((unused)) static bool is_in_order(const char *schedule)
{
    static const char *const any_order[] = {"rate", "afs",    "lds", "steal", "ich",
                                            "auto", "binlpt", "lpt", "auto"};

    if (getenv("KEEL_CHECK") != NULL) {
        return false;
    }
    for (unsigned i = 0; i < COUNT(any_order); i++) {
        if (strncmp(schedule, any_order[i], strlen(any_order[i])) == 0) {
            return false;
        }
    }
    return true;
}

/* Asks for `schedule` in the calling thread. */
__attribute__((unused)) static void set_schedule(const char *schedule)
{
    int result = find_set_schedule()(schedule);

    if (!is_in_order(schedule)) {
        check_any_order = true; /* for good: other threads may be under it still */
    }
    CHECK(result == KEEL_OK, "keel_set_schedule(\"%s\") is %d", schedule, result);
}

/* The library's keel_set_costs(). */
__attribute__((unused)) static int set_costs(const double *costs, size_t count)
{
    static int (*found)(const double *, size_t);

    if (found == NULL) {
        found = (int (*)(const double *, size_t))find_function("keel_set_costs");
    }
    return found(costs, count);
}

/* Whether to try schedule number `schedule` with team size number `size`: at night all; by day two
 * sizes, others under the next schedule, and where KEEL_CHECK means all schedules, every
 * fourth one. */
__attribute__((unused)) static bool is_tried(unsigned schedule, unsigned size)
{
    return check_nightly() || ((size + 2 * schedule) % COUNT(team_sizes) < 2 &&
                               (schedule % 4 == 0 || getenv("KEEL_CHECK") == NULL));
}

/* Calls `body` under each schedule with teams of each size that is tried. */
__attribute__((unused)) static void each_schedule_and_team(void (*body)(void))
{
    EACH_SCHEDULE(schedule)
    {
        set_schedule(*schedule);
        check_any_order = !is_in_order(*schedule);
        for (unsigned i = 0; i < COUNT(team_sizes); i++) {
            if (!is_tried((unsigned)(schedule - every_schedule), i)) {
                continue;
            }
            snprintf(check_context, sizeof check_context, ", %s, %d threads", *schedule,
                     team_sizes[i]);
            omp_set_num_threads(team_sizes[i]);
            body();
        }
    }
    check_context[0] = '\0';
}

#endif
