/* Why something about a memory file failed. */
#include "omp_ext/memory/reason.h"

#include <stdarg.h>
#include <stdio.h>

bool keel_memory_reason(char *reason, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, KEEL_MEMORY_REASON_MAX, format, arguments);
    va_end(arguments);
    return false;
}
