/* The lines that explain a loop. */
#include "omp_ext/explain/explain_inside.h"

#include <stdarg.h>

#include "schedules/text/number.h"
#include "schedules/text/text.h"

void keel_explain_append(struct keel_explain_lines *lines, const char *format, ...)
{
    va_list arguments;

    locale_t previous = keel_c_locale_enter();
    va_start(arguments, format);
    lines->length =
        keel_text_append_list(lines->text, sizeof lines->text, lines->length, format, arguments);
    va_end(arguments);
    keel_c_locale_leave(previous);
}

void keel_explain_append_time(struct keel_explain_lines *lines, double ns)
{
    char text[KEEL_DURATION_MAX];

    keel_explain_append(lines, "%s", keel_duration_write(ns / 1e9, 3, text));
}
