/* Comparing and writing texts. */
#include "schedules/text/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "schedules/text/number.h"

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

size_t keel_text_line(const char *text, size_t width)
{
    size_t line = strcspn(text, "\n");

    for (size_t end = width; line > width && end > 0; end--) {
        if (text[end] == ' ') {
            return end;
        }
    }
    return line < width ? line : width;
}

/* Times in the unit that suits them. */

#define SHORTEST_S 0.1 /* that is told in seconds */

/* Decimals so that `value` has that many digits in all. */
static int decimals_of(double value, int digits)
{
    int before = value >= 1 ? (int)floor(log10(value)) + 1 : 0;

    return before < digits ? digits - before : 0;
}

static double rounded(double value, int digits)
{
    double step = value > 0 ? pow(10, floor(log10(value)) + 1 - digits) : 1;

    return value >= pow(10, digits) ? round(value) : round(value / step) * step;
}

const char *keel_duration_write(double seconds, int digits, char *text)
{
    static const char *const units[] = {"ns", "us", "ms"};
    double value = seconds > 0 && seconds <= DBL_MAX ? seconds : 0;
    const char *unit = "s";

    if (rounded(value, digits) < SHORTEST_S) {
        unsigned which = 0;
        for (value *= 1e9; which < 2 && rounded(value, digits) >= 1000; which++) {
            value /= 1000;
        }
        unit = units[which];
    }
    value = rounded(value, digits);
    locale_t previous = keel_c_locale_enter();
    size_t length = keel_text_append(text, KEEL_DURATION_MAX, 0, "%.*f",
                                     value > 0 ? decimals_of(value, digits) : 0, value);
    keel_text_append(text, KEEL_DURATION_MAX, length, " %s", unit);
    keel_c_locale_leave(previous);
    return text;
}
