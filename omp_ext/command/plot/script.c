/* What the scripts for gnuplot have in common. */
#include <stddef.h>

#include "omp_ext/command/plot/plot.h"

unsigned keel_script_colour(size_t number)
{
    static const unsigned colours[KEEL_SCRIPT_COLOURS] = {
        0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0xf0e442,
    };

    return colours[number % KEEL_SCRIPT_COLOURS];
}

void keel_script_quoted(FILE *script, const char *text)
{
    putc('\'', script);
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("\u2019", script);
        } else {
            putc((unsigned char)*text < 32 ? ' ' : *text, script);
        }
    }
    putc('\'', script);
}

void keel_script_set(FILE *script, const char *name, const char *text)
{
    fprintf(script, "set %s ", name);
    keel_script_quoted(script, text);
    putc('\n', script);
}

double keel_script_time(FILE *script, int64_t length_ns)
{
    static const struct {
        double ns;
        const char *label;
    } units[] = {{1e9, "time, s"}, {1e6, "time, ms"}, {1e3, "time, \u00b5s"}};
    size_t i = 0;

    while (i < 2 && (double)length_ns < units[i].ns) {
        i++;
    }
    keel_script_set(script, "xlabel", units[i].label);
    return units[i].ns;
}

void keel_script_thread(const struct keel_trace_data *data, uint32_t lane, char *text, size_t size)
{
    char thread[KEEL_TRACE_LABEL_MAX];

    keel_trace_label_thread(data, lane, thread);
    if (data->processes > 1) {
        const struct keel_trace_data_process *process = &data->process[data->lane[lane].process];
        snprintf(text, size, "rank %lld, %.60s", (long long)process->pid, thread);
    } else {
        snprintf(text, size, "%.60s", thread);
    }
}
