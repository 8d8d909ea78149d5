/* What the parts of a report are printed with. */
#include "omp_ext/report/text/print.h"

#include <inttypes.h>

#include "schedules/text/text.h"

/* --- numbers --- */

/* From 1 s on, four digits; below, at least two of them, down to 10 us. */
static int decimals_of(double seconds)
{
    static const struct {
        double from;
        int decimals;
    } steps[] = {{1000, 0}, {100, 1}, {10, 2}, {0.01, 3}, {0.0001, 4}, {0.00001, 5}};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (seconds >= steps[i].from) {
            return steps[i].decimals;
        }
    }
    return 0;
}

struct keel_report_number keel_report_seconds(double seconds)
{
    struct keel_report_number number;

    snprintf(number.text, sizeof number.text, seconds < 1e15 ? "%.*f" : "%.*e",
             decimals_of(seconds), seconds);
    return number;
}

struct keel_report_number keel_report_count(uint64_t count)
{
    static const char units[] = "kMGTPE";
    struct keel_report_number number;
    double scaled = (double)count / 1000;
    size_t unit = 0;

    if (count < 100000) {
        snprintf(number.text, sizeof number.text, "%" PRIu64, count);
        return number;
    }
    while (scaled >= 999.95) {
        scaled /= 1000;
        unit++;
    }
    snprintf(number.text, sizeof number.text, "%.1f%c", scaled, units[unit]);
    return number;
}

/* --- lines --- */

void keel_report_print_wrapped(FILE *stream, const char *text, int first, int others)
{
    int indent = first;

    while (*text != '\0') {
        size_t length = keel_text_line(text, (size_t)(KEEL_REPORT_COLUMNS - indent));
        fprintf(stream, "%*s%.*s\n", indent, "", (int)length, text);
        text += length + (text[length] == ' ');
        indent = others;
    }
}
