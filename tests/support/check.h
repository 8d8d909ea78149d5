/* What the programs of these tests share: checks that say what failed under which schedule, and
 * marks that prove that each iteration was executed exactly once. C and C++; any thread. */
#ifndef TESTS_SUPPORT_CHECK_H
#define TESTS_SUPPORT_CHECK_H

#include <stdbool.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned check_failures;
static char check_context[160] = "";

#define CHECK(condition, ...) check_that((condition) ? 1 : 0, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 3, 4), unused)) static void check_that(int holds, int line,
                                                                     const char *format, ...)
{
    char text[300];
    va_list arguments;

    if (holds || __atomic_add_fetch(&check_failures, 1, __ATOMIC_RELAXED) > 10) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("line %d%s: %s\n", line, check_context, text);
    fflush(stdout);
}

/* The exit status of the program. */
__attribute__((unused)) static int check_status(void)
{
    if (check_failures > 10) {
        printf("%u failures\n", check_failures);
    }
    return check_failures > 0;
}

/* Whether the kernel lets Keel use the processor's counter; without, Keel asks the C library for the
 * time, also where it would not look at a clock. */
__attribute__((unused)) static bool check_has_counter(void)
{
#ifdef __x86_64__
    char sources[256] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "r");

    if (file != NULL) {
        char *line = fgets(sources, sizeof sources, file);
        fclose(file);
        return line != NULL && strstr(line, "tsc") != NULL;
    }
    return false;
#else
    return true;
#endif
}

/* How often each iteration of a loop was executed. */
struct marks {
    uint64_t count;
    unsigned instance;
    unsigned char *times;
};

__attribute__((unused)) static void marks_begin(struct marks *marks, uint64_t count)
{
    static unsigned instances;

    marks->count = count;
    marks->instance = __atomic_add_fetch(&instances, 1, __ATOMIC_RELAXED);
    marks->times = (unsigned char *)calloc(count > 0 ? count : 1, 1);
}

/* Whether a thread may meet iterations in any order: not where a loop or its schedule promises
 * increasing ones. */
__attribute__((unused)) static bool check_any_order;

/* Iteration number `index` is executed. */
__attribute__((unused)) static void marks_hit(struct marks *marks, uint64_t index)
{
    static __thread unsigned instance;
    static __thread uint64_t previous;

    CHECK(index < marks->count, "iteration %llu of %llu", (unsigned long long)index,
          (unsigned long long)marks->count);
    if (index >= marks->count) {
        return;
    }
    if (instance == marks->instance && !check_any_order) {
        CHECK(index > previous, "iteration %llu after %llu in one thread",
              (unsigned long long)index, (unsigned long long)previous);
    }
    instance = marks->instance;
    previous = index;
    __atomic_add_fetch(&marks->times[index], 1, __ATOMIC_RELAXED);
}

/* Each iteration was executed exactly once. */
__attribute__((unused)) static void marks_end(struct marks *marks, const char *loop)
{
    for (uint64_t i = 0; i < marks->count; i++) {
        if (marks->times[i] != 1) {
            CHECK(0, "%s: iteration %llu of %llu was executed %u times", loop,
                  (unsigned long long)i, (unsigned long long)marks->count, marks->times[i]);
            break;
        }
    }
    free(marks->times);
}

#endif
