/* Keel's messages. */
#include "tests/support/messages.h"

#include <stdarg.h>
#include <stdio.h>

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

/* Each rank's, which are told once for all. */
void __wrap_keel_mpi_misuse(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    take(format, arguments);
    va_end(arguments);
}
