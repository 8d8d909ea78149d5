/* Words, and what is wrong with a text. */
#include "schedules/text/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

bool keel_text_is(struct keel_text word, const char *text)
{
    return strlen(text) == word.length && strncasecmp(text, word.start, word.length) == 0;
}

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
