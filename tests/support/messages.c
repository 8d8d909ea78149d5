/* Keel's messages. */
#include "tests/support/messages.h"

#include <stdarg.h>
#include <stdio.h>

struct messages messages;

void __wrap_keel_message(const char *format, ...);

void __wrap_keel_message(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(messages.last, sizeof messages.last, format, arguments);
    va_end(arguments);
    messages.count++;
}
