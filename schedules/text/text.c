/* Comparing and writing texts. */
#include "schedules/text/text.h"

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

size_t keel_text_append_list(char *text, size_t size, size_t length, const char *format,
                             va_list arguments)
{
    size_t room = size - length;
    int added = vsnprintf(text + length, room, format, arguments);

    return added < 0 ? length : (size_t)added < room ? length + (size_t)added : size - 1;
}

size_t keel_text_append(char *text, size_t size, size_t length, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    length = keel_text_append_list(text, size, length, format, arguments);
    va_end(arguments);
    return length;
}
