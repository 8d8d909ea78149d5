/* Signals come to the threads of a team all the time, many within claims. Loops stay exact. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <pthread.h>

#include "tests/support/schedules.h"

enum { ITERATIONS = 400, THREADS_MAX = 16, PAUSE_NS = 20000 };

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

static void loops(void)
{
    struct marks combined = marks_of(ITERATIONS), separate = marks_of(ITERATIONS);

#pragma omp parallel
    {
        atomic_store(&member[omp_get_thread_num()], (pid_t)syscall(SYS_gettid));
#pragma omp for schedule(runtime)
        for (int i = 0; i < ITERATIONS; i++) {
            marks_hit(&combined, (uint64_t)i);
        }
#pragma omp for schedule(runtime) nowait
        for (int i = ITERATIONS; i > 0; i--) {
            marks_hit(&separate, (uint64_t)(ITERATIONS - i));
        }
    }
    marks_end(&combined, "with a barrier");
    marks_end(&separate, "without");
}

/* An argument: not every schedule, but many loops. */
int main(int count, char **arguments)
{
    const struct sigaction action = {.sa_handler = handle}; /* calls end by EINTR */
    pthread_t sender;

    sigaction(SIGUSR1, &action, NULL);
    CHECK(pthread_create(&sender, NULL, send_signals, NULL) == 0, "no thread");
    (void)arguments;
    check_any_order = count > 1;
    if (count == 1) {
        each_schedule_and_team(loops);
    }
    while (atomic_load(&taken) < 1000) {
        loops();
    }
    atomic_store(&done, true);
    pthread_join(sender, NULL);
    return check_status();
}
