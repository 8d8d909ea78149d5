/* What is told about a text. */
#include "schedules/text/text.h"

#include <stdarg.h>
#include <stdio.h>

void keel_text_note_problem(char *problem, size_t size, const char *format, ...)
{
    va_list arguments;

    if (problem[0] != '\0') {
        return;
    }
    va_start(arguments, format);
    vsnprintf(problem, size, format, arguments);
    va_end(arguments);
}
