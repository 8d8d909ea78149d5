/* Replacements of functions that the linker wraps. */
#include "tests/support/wrapped.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* --- memory that fails --- */

static enum { WORKS, FAILS, FAILS_ONCE } plan;
static unsigned calls_before;
static bool has_failed;

static void begin(int next, unsigned calls)
{
    plan = next;
    calls_before = calls;
    has_failed = false;
}

void memory_fails_after(unsigned calls)
{
    begin(FAILS, calls);
}

void memory_fails_once_after(unsigned calls)
{
    begin(FAILS_ONCE, calls);
}

bool memory_works(void)
{
    bool failed = has_failed;

    begin(WORKS, 0);
    return failed;
}

static bool fails(void)
{
    if (plan == WORKS || calls_before > 0) {
        calls_before -= calls_before > 0;
        return false;
    }
    if (plan == FAILS_ONCE) {
        plan = WORKS;
    }
    has_failed = true;
    return true;
}

/* weak: a test wraps those that its code calls. */
__attribute__((weak)) void *__real_malloc(size_t size);
__attribute__((weak)) void *__real_calloc(size_t count, size_t size);
__attribute__((weak)) void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}

/* --- messages --- */

struct messages messages;

void __wrap_keel_message(const char *format, ...);
void __wrap_keel_mpi_misuse(const char *format, ...);

static void take(const char *format, va_list arguments)
{
    vsnprintf(messages.last, sizeof messages.last, format, arguments);
    messages.count++;
}

void __wrap_keel_message(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    take(format, arguments);
    va_end(arguments);
}

/* Each rank's, which are set once for all. */
void __wrap_keel_mpi_misuse(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    take(format, arguments);
    va_end(arguments);
}
