/* What the programs of these tests share: checks that say what failed under which schedule, and
 * marks that prove that each iteration was executed exactly once. C and C++; any thread. */
#ifndef TESTS_SUPPORT_CHECK_H
#define TESTS_SUPPORT_CHECK_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/list.h"
#include "tests/support/traps.h"

#ifndef __cplusplus
/* of errno.h with _GNU_SOURCE, which C++ has */
extern char *program_invocation_short_name;
#endif

static unsigned long check_count;
static unsigned check_failures;
static char check_context[160] = "";

#define CHECK(condition, ...) check_that((condition) ? 1 : 0, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 3, 4), unused)) static void check_that(int holds, int line,
                                                                     const char *format, ...)
{
    char text[300];
    va_list arguments;

    __atomic_add_fetch(&check_count, 1, __ATOMIC_RELAXED);
    if (holds || __atomic_add_fetch(&check_failures, 1, __ATOMIC_RELAXED) > 10) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("line %d%s: %s\n", line, check_context, text);
    fflush(stdout);
}

/* The file that KEEL_TEST_PASSED names gets a line of this process, for whoever has started it:
 * success is what is said there, not silence. */
__attribute__((unused)) static void check_say_passed(unsigned long checks)
{
    const char *path = getenv("KEEL_TEST_PASSED");
    char line[160];
    int file = path != NULL ? open(path, O_WRONLY | O_APPEND) : -1;

    if (file >= 0) {
        int length = snprintf(line, sizeof line, "passed %.80s checks=%lu\n",
                              program_invocation_short_name, checks);
        if (write(file, line, (size_t)length) != length) {
            perror(path);
        }
        close(file);
    }
}

/* The exit status of the program, which made its last check. */
__attribute__((unused)) static int check_status(void)
{
    if (check_failures > 10) {
        printf("%u failures\n", check_failures);
    }
    if (check_failures == 0) {
        check_say_passed(check_count);
    }
    return check_failures > 0;
}

/* Whether all that there is to try is to be tried, as `nightly` of tap.sh. */
__attribute__((unused)) static bool check_nightly(void)
{
    const char *given = getenv("KEEL_TEST_NIGHTLY");

    return given != NULL && given[0] != '\0';
}

/* Whether the kernel lets Keel use the processor's counter; without, Keel asks the C library for
 * the time, also where it would not look at a clock. */
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

/* Runs `child` in a child of a fork, 300 seconds at most; the test fails if a check does. */
__attribute__((unused)) static void fork_and(void (*child)(void))
{
    int status = -1;
    fflush(stdout);
    pid_t pid = fork();

    if (pid == 0) {
        alarm(300);
        child();
        _exit(check_failures > 0);
    }
    waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child ended with status %x", status);
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

/* The same where they are declared. */
__attribute__((unused)) static struct marks marks_of(uint64_t count)
{
    struct marks marks;

    marks_begin(&marks, count);
    return marks;
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

/* A loop from 0 on under that directive, whose iterations are marked. */
#define MARKED_LOOP(directive, marks, type, count)        \
    _Pragma(directive) for (type i = 0; i < (count); i++) \
    {                                                     \
        marks_hit(&(marks), (uint64_t)i);                 \
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
