/* Advice on a loop, as people read it. */
#include "schedules/forecast/advice.h"

#include "schedules/text/text.h"

#define AS_MUCH 0.4 /* part of the threads' time from which on claims cost as much as iterations */

__attribute__((format(printf, 2, 3))) static void write_text(char *text, const char *format, ...)
{
    va_list arguments;

    locale_t previous = keel_c_locale_enter();
    va_start(arguments, format);
    keel_text_append_list(text, KEEL_ADVICE_TEXT_MAX, 0, format, arguments);
    va_end(arguments);
    keel_c_locale_leave(previous);
}

/* The text for the suggested schedule: "fac2", "steal,64"; "" without one. */
static void write_schedule(const struct keel_advice *advice, char *text)
{
    text[0] = '\0';
    if (advice->schedule != NULL && advice->chunk > 0) {
        write_text(text, "%s,%llu", advice->schedule->name, (unsigned long long)advice->chunk);
    } else if (advice->schedule != NULL) {
        write_text(text, "%s", advice->schedule->name);
    }
}

/* The text without a suggestion and a hint. */
static const char *verdict(const struct keel_advice *advice)
{
    if (advice->evidence == KEEL_ADVICE_NOT_KNOWN) {
        return "";
    }
    if (advice->lost <= KEEL_ADVICE_LOST_MIN) {
        return "nothing to gain";
    }
    if (advice->few > 0) {
        return advice->few == 1 ? "measured once: too little to know if another schedule helps"
                                : "measured twice: too little to know if another schedule helps";
    }
    return advice->evidence == KEEL_ADVICE_FORECAST ? "no schedule is predicted to be faster"
                                                    : "no schedule is known to be faster";
}

static void write_plain(const struct keel_advice *advice, const char *schedule, const char *gain,
                        char *text)
{
    if (advice->schedule != NULL) {
        write_text(text, "%s: %s", schedule, gain);
    } else {
        write_text(text, "%s", verdict(advice));
    }
}

static void write_claims(const struct keel_advice *advice, const char *schedule, const char *gain,
                         char *text)
{
    if (advice->part >= AS_MUCH) {
        write_text(text, "chunks cost as much as iterations: try %s (%s)", schedule, gain);
    } else {
        write_text(text, "getting chunks takes %.0f %% of the time: try %s (%s)",
                   100 * advice->part, schedule, gain);
    }
}

static void write_gain(const struct keel_advice *advice, char *text)
{
    bool forecast = advice->evidence == KEEL_ADVICE_FORECAST;
    char gain[KEEL_DURATION_MAX];

    write_text(text, "%s%s less%s%s", forecast ? "" : "up to ",
               keel_duration_write(advice->gain_s, 2, gain),
               forecast ? ", by its cost profile" : "",
               advice->few == 1   ? ", measured once"
               : advice->few == 2 ? ", measured twice"
                                  : "");
}

void keel_advice_write(const struct keel_advice *advice, char *text)
{
    char schedule[KEEL_ADVICE_TEXT_MAX], gain[KEEL_ADVICE_TEXT_MAX], instance[KEEL_DURATION_MAX];

    write_schedule(advice, schedule);
    write_gain(advice, gain);
    switch (advice->hint) {
    case KEEL_ADVICE_NO_HINT:
        write_plain(advice, schedule, gain, text);
        return;
    case KEEL_ADVICE_CLAIMS:
        write_claims(advice, schedule, gain, text);
        return;
    case KEEL_ADVICE_LONG_ITERATION:
        write_text(text, "one iteration takes longer than a thread's share: fewer threads, or "
                         "split it");
        return;
    case KEEL_ADVICE_FEW_ITERATIONS:
        write_text(text, "no more iterations than threads: fewer threads, or split them");
        return;
    case KEEL_ADVICE_BUILT_STATIC:
        write_text(text,
                   advice->subject == KEEL_ADVICE_STATIC
                       ? "built with Keel's plugin: run it under `keel run -s %s` (%s)"
                       : "if it is a loop with static shares: compile with `keel cflags`, then try "
                         "%s (%s)",
                   schedule, gain);
        return;
    case KEEL_ADVICE_SERIAL_PART:
        write_text(text, "serial part: one thread works, the others wait");
        return;
    case KEEL_ADVICE_TOO_SHORT:
        write_text(text, "too short for a team, at %s an instance: try one thread",
                   keel_duration_write(advice->instance_s, 2, instance));
        return;
    }
}
