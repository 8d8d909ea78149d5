/* How much of a thread's stack Keel uses: loops run on a stack that was filled with a pattern.
 *
 *   stack_use            prints the most that a thread has used in loops under any schedule
 *   stack_use BYTES      a thread with so small a stack runs them; prints nothing */
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>

#include "tests/support/schedules.h"

enum { STACK = 1 << 20, FILL = 0xa5, ITERATIONS = 200 };

static const char *schedule; /* NULL: libgomp's own */
static int team = 1;

static void loops(void)
{
    struct marks combined = marks_of(ITERATIONS), alone = marks_of(ITERATIONS);

#pragma omp parallel for schedule(runtime) num_threads(team)
    for (int i = 0; i < ITERATIONS; i++) {
        marks_hit(&combined, (uint64_t)i);
    }
#pragma omp for schedule(runtime)
    for (int i = 0; i < ITERATIONS; i++) {
        marks_hit(&alone, (uint64_t)i);
    }
    marks_end(&combined, "combined");
    marks_end(&alone, "alone");
}

static void *run(void *unused)
{
    set_schedule(schedule);
    loops();
    loops();
    return unused;
}

static void in_thread(void *stack, size_t size)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    int error = stack != NULL ? pthread_attr_setstack(&attributes, stack, size)
                              : pthread_attr_setstacksize(&attributes, size);
    error = error == 0 ? pthread_create(&thread, &attributes, run, NULL) : error;
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
    in_thread(stack, STACK);
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
    if (count == 1) {
        measure();
        return check_status();
    }
    EACH_SCHEDULE(name)
    {
        schedule = *name;
        in_thread(NULL, strtoul(arguments[1], NULL, 10));
    }
    return check_status();
}
