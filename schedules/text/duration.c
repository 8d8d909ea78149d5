/* Times in the unit that suits them. */
#include "schedules/text/duration.h"

#include <float.h>
#include <math.h>

#include "schedules/text/c_locale.h"
#include "schedules/text/text.h"

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
