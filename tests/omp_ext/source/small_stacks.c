/* small_stacks on_worker|on_main: two instances of a loop that is first reached by a thread with a
 * small stack, if the environment or the limits say so. Signals arrive meanwhile, whose handler has
 * to run on the thread's own stack. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "tests/support/checks.h"

#define SIGNALS_EACH 50 /* arrive during an instance, one every 100 us */

static _Thread_local char *low, *high; /* of the thread's stack; NULL: not known */
static volatile sig_atomic_t signals, elsewhere;

static void handle(int number)
{
    char here;

    (void)number;
    signals++;
    elsewhere += low != NULL && (&here < low || &here >= high);
}

static void know_stack(void)
{
    pthread_attr_t attributes;
    void *begin;
    size_t bytes;

    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &begin, &bytes);
    pthread_attr_destroy(&attributes);
    high = (char *)begin + bytes;
    low = begin;
}

/* The first iteration waits for signals, so that the loop takes the most of the program's time. */
static void run_loop(void)
{
    const sig_atomic_t enough = signals + SIGNALS_EACH;
    struct marks marks = marks_of(100);

#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 100; i++) {
        marks_hit(&marks, (uint64_t)i);
        while (i == 0 && signals < enough) {
        }
    }
    marks_end(&marks, "loop");
}

static void run_twice(void)
{
    know_stack();
    run_loop();
    run_loop();
}

int main(int argc, char **argv)
{
    const struct itimerval often = {{0, 100}, {0, 100}};
    const struct itimerval never = {{0, 0}, {0, 0}};

    check_any_order = true; /* under `rate` */
    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &often, NULL);
    if (argc > 1 && strcmp(argv[1], "on_main") == 0) {
        run_twice();
    } else {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1) {
            run_twice();
        }
    }
    setitimer(ITIMER_REAL, &never, NULL);
    CHECK(elsewhere == 0, "%d signals were handled on another stack", (int)elsewhere);
    return check_status();
}
