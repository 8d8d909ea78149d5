/* Threads of the program, as programs have them, whatever is asked of Keel:
 *
 *   threads ended [FEW]        some end by cancellation: one that is to end finishes the loops that
 *                              come before the program's own cancellation point, as it does without
 *                              Keel; one that ends within a loop that it runs alone leaves nothing
 *                              behind that others wait for
 *   threads interrupted [FEW]  signals come to those of a team all the time, many within claims
 *   threads stack              prints the most of its stack that a thread has used in loops under
 *                              any schedule: on a stack that was filled with a pattern
 *   threads stack BYTES        a thread with so small a stack runs them; prints nothing
 *   threads static BYTES       the same of loops that the compiler has divided
 *
 * FEW: the schedule is the environment's. Loops stay exact. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "tests/support/schedules.h"

enum { ITERATIONS = 300 };

static const char *schedule; /* that threads ask for; NULL: none */

static void loops_of(int team)
{
    struct marks combined = marks_of(ITERATIONS), alone = marks_of(ITERATIONS);

    if (schedule != NULL) {
        set_schedule(schedule);
    }
    MARKED_LOOP("omp parallel for schedule(runtime) num_threads(team)", combined, int, ITERATIONS)
    MARKED_LOOP("omp for schedule(runtime)", alone, int, ITERATIONS)
    marks_end(&combined, "combined");
    marks_end(&alone, "alone");
}

/* --- ended --- */

static unsigned finished;

static void *ends_behind(void *team)
{
    pthread_cancel(pthread_self()); /* counts at the next cancellation point */
    loops_of(*(int *)team);
    finished++;
    pthread_testcancel();
    return team;
}

static void *ends_within(void *team)
{
#pragma omp for schedule(runtime)
    for (int i = 0; i < ITERATIONS; i++) {
        if (i == ITERATIONS / 2) {
            pthread_cancel(pthread_self());
            pthread_testcancel();
        }
    }
    return team;
}

static void *goes_on(void *team)
{
    loops_of(*(int *)team);
    return NULL;
}

static void *end_of(void *(*thread)(void *), int team)
{
    pthread_t handle;
    void *result = NULL;

    CHECK(pthread_create(&handle, NULL, thread, &team) == 0, "no thread");
    pthread_join(handle, &result);
    return result;
}

static void end_threads(int team)
{
    unsigned before = finished;

    CHECK(end_of(ends_behind, team) == PTHREAD_CANCELED, "the thread has not been cancelled");
    CHECK(finished == before + 1, "a thread ended within Keel");
    CHECK(end_of(ends_within, team) == PTHREAD_CANCELED, "the thread has not ended in its loop");
    CHECK(end_of(goes_on, team) == NULL, "the next thread has not ended by itself");
}

static void ended(bool few)
{
    check_any_order = few;
    for (int round = 0; round < 3; round++) {
        end_threads(1 + round);
    }
    for (size_t i = 0; !few && i < COUNT(every_schedule); i++) {
        schedule = every_schedule[i];
        end_threads(1 + (int)(i % 3));
    }
    loops_of(4);
}

/* --- interrupted --- */

enum { THREADS_MAX = 16, PAUSE_NS = 20000 };

static _Atomic pid_t member[THREADS_MAX]; /* of the team that runs; 0: none */
static atomic_bool done;
static atomic_ulong taken;

/* Long enough that others claim meanwhile. */
static void handle(int number)
{
    struct timespec now, end;

    (void)number;
    atomic_fetch_add(&taken, 1);
    clock_gettime(CLOCK_MONOTONIC, &now);
    do {
        clock_gettime(CLOCK_MONOTONIC, &end);
    } while ((end.tv_sec - now.tv_sec) * 1000000000L + end.tv_nsec - now.tv_nsec < 3000);
}

static void *send_signals(void *unused)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};

    for (unsigned i = 0; !atomic_load(&done); i++) {
        pid_t to = atomic_load(&member[i % THREADS_MAX]);
        if (to != 0) {
            syscall(SYS_tgkill, getpid(), to, SIGUSR1); /* it may have ended */
            nanosleep(&pause, NULL);
        }
    }
    return unused;
}

static void interrupted_loops(void)
{
    struct marks combined = marks_of(ITERATIONS), separate = marks_of(ITERATIONS);

#pragma omp parallel
    {
        atomic_store(&member[omp_get_thread_num()], (pid_t)syscall(SYS_gettid));
        MARKED_LOOP("omp for schedule(runtime)", combined, int, ITERATIONS)
#pragma omp for schedule(runtime) nowait
        for (int i = ITERATIONS; i > 0; i--) {
            marks_hit(&separate, (uint64_t)(ITERATIONS - i));
        }
    }
    marks_end(&combined, "with a barrier");
    marks_end(&separate, "without");
}

static void interrupted(bool few)
{
    const struct sigaction action = {.sa_handler = handle}; /* calls end by EINTR */
    pthread_t sender;

    sigaction(SIGUSR1, &action, NULL);
    CHECK(pthread_create(&sender, NULL, send_signals, NULL) == 0, "no thread");
    check_any_order = few;
    if (!few) {
        each_schedule_and_team(interrupted_loops);
    }
    while (atomic_load(&taken) < 1000) {
        interrupted_loops();
    }
    atomic_store(&done, true);
    pthread_join(sender, NULL);
}

/* --- stack --- */

enum { STACK = 1 << 20, FILL = 0xa5 };

/* Two loops that the compiler has divided: one may be taken over, one may not. */
static void static_loops(void)
{
    static int squares[ITERATIONS], last;

#pragma omp parallel for num_threads(2)
    for (int i = 0; i < ITERATIONS; i++) {
        squares[i] = i * i;
    }
#pragma omp parallel num_threads(2)
    {
        squares[omp_get_thread_num()]--;
#pragma omp for
        for (int i = 2; i < ITERATIONS; i++) {
            squares[i] -= i * i;
        }
    }
    for (int i = 0; i < ITERATIONS; i++) {
        last += squares[i];
    }
    CHECK(last == -1, "the sum of static loops is %d", last);
    last = 0;
}

static void *run(void *only_static)
{
    if (only_static != NULL) {
        pthread_cancel(pthread_self()); /* no loop is a cancellation point */
        static_loops();
    } else {
        loops_of(1);
        loops_of(1);
    }
    return NULL;
}

static void in_thread(void *stack, size_t size, void *only_static)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    int error = stack != NULL ? pthread_attr_setstack(&attributes, stack, size)
                              : pthread_attr_setstacksize(&attributes, size);
    error = error == 0 ? pthread_create(&thread, &attributes, run, only_static) : error;
    CHECK(error == 0, "a thread with a stack of %zu bytes: %s", size, strerror(error));
    if (error == 0) {
        pthread_join(thread, NULL);
    }
    pthread_attr_destroy(&attributes);
}

/* Bytes from the top down to the lowest one that has changed. */
static size_t used_by(const char *name)
{
    unsigned char *stack =
        mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    size_t lowest = 0;

    schedule = name;
    memset(stack, FILL, STACK);
    in_thread(stack, STACK, NULL);
    while (lowest < STACK && stack[lowest] == FILL) {
        lowest++;
    }
    munmap(stack, STACK);
    return STACK - lowest;
}

/* The first loop of the process, which opens files and measures clocks, is among them. */
static void measure(void)
{
    size_t most = used_by("libgomp"), settled = used_by("libgomp");
    const char *which = "the first loop";

    EACH_SCHEDULE(name)
    {
        size_t used = used_by(*name);
        which = used > most ? *name : which;
        most = used > most ? used : most;
    }
    printf("%zu bytes for %s, %zu by libgomp's loops\n", most, which, settled);
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    size_t size = count > 2 ? strtoul(arguments[2], NULL, 10) : 0;

    if (strcmp(what, "ended") == 0) {
        ended(count > 2);
    } else if (strcmp(what, "interrupted") == 0) {
        interrupted(count > 2);
    } else if (strcmp(what, "stack") == 0 && count == 2) {
        measure();
    } else if (strcmp(what, "static") == 0) {
        in_thread(NULL, size, arguments);
    } else {
        EACH_SCHEDULE(name)
        {
            schedule = *name;
            in_thread(NULL, size, NULL);
        }
    }
    return check_status();
}
