/* Reasons of decisions, as text. */
#include "schedules/learn/reason.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "schedules/text/number.h"

/* How the two numbers are written. */
enum form { NOTHING, GAINS, TIMES, MOVEMENT };

static const struct {
    enum form form;
    const char *text; /* MOVEMENT: comes after the number of rows */
} causes[KEEL_CAUSES] = {
    [KEEL_CAUSE_NONE] = {NOTHING, "nothing was decided"},
    [KEEL_CAUSE_EARLY] = {TIMES, "too early: %s since the last figures and rates want %s"},
    [KEEL_CAUSE_NO_WORK] = {NOTHING, "no computing was seen"},
    [KEEL_CAUSE_NO_RATES] = {NOTHING, "no rate is known yet"},
    [KEEL_CAUSE_LEVEL] = {NOTHING, "no other shares are better"},
    [KEEL_CAUSE_SMALL_GAIN] = {GAINS, "gain %s is under the threshold of %s"},
    [KEEL_CAUSE_COST] = {TIMES, "moving costs %s and would save %s"},
    [KEEL_CAUSE_STAYS] = {NOTHING, "staying has lost least so far"},
    [KEEL_CAUSE_WHOLE_ROWS] = {NOTHING, "what should move is less than a row"},
    [KEEL_CAUSE_FAILED] = {NOTHING, "rows could not be moved"},
    [KEEL_CAUSE_GAIN] = {MOVEMENT, "even out: costs %s and saves %s"},
    [KEEL_CAUSE_ANY_COST] = {MOVEMENT, "even out whatever it costs"},
    [KEEL_CAUSE_CHANCE] = {MOVEMENT, "by chance"},
};

#define NUMBER_TEXT 24

/* A number as the form wants it; what is no number or without end is written so. */
static void write_number(enum form form, double number, char text[NUMBER_TEXT])
{
    double size = fabs(number);

    if (form == GAINS) {
        snprintf(text, NUMBER_TEXT, "%.3g %%", number * 100);
    } else if (size == 0 || size >= 1 || !isfinite(number)) {
        snprintf(text, NUMBER_TEXT, "%.3g s", number);
    } else if (size >= 1e-3) {
        snprintf(text, NUMBER_TEXT, "%.3g ms", number * 1e3);
    } else {
        snprintf(text, NUMBER_TEXT, "%.3g us", number * 1e6);
    }
}

__attribute__((format(printf, 2, 0))) static void write_text(char *text, const char *format, ...)
{
    va_list numbers;

    va_start(numbers, format);
    vsnprintf(text, KEEL_REASON_TEXT, format, numbers);
    va_end(numbers);
}

void keel_reason_text(const struct keel_reason *reason, uint64_t moved, char text[KEEL_REASON_TEXT])
{
    uint64_t cause = reason->cause < KEEL_CAUSES ? reason->cause : KEEL_CAUSE_NONE;
    char first[NUMBER_TEXT], second[NUMBER_TEXT], rest[KEEL_REASON_TEXT - NUMBER_TEXT];
    locale_t previous = keel_c_locale_enter();

    write_number(causes[cause].form, reason->number[0], first);
    write_number(causes[cause].form, reason->number[1], second);
    write_text(text, causes[cause].text, first, second);
    if (causes[cause].form == MOVEMENT) {
        snprintf(rest, sizeof rest, "%s", text);
        snprintf(text, KEEL_REASON_TEXT, "%llu row%s %s", (unsigned long long)moved,
                 moved != 1 ? "s" : "", rest);
    }
    keel_c_locale_leave(previous);
}
