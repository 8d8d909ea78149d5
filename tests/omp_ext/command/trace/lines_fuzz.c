/* Fuzz target: no trace, line by line in either form, does harm to its reader, and what it reads
 * can be put in order. Aborts where that does not hold. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/trace/trace.h"
#include "tests/fuzz/driver.h"

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void take(struct keel_trace_data *data, const char *line, size_t length, bool csv)
{
    char *copy = malloc(length + 1); /* so large that a sanitizer sees who reads behind it */

    memcpy(copy, line, length);
    copy[length] = '\0';
    csv ? keel_csv_chunk_take(data, 0, copy) : keel_json_event_take(data, 0, copy, length);
    free(copy);
}

static void check_spans(const struct keel_trace_data *data)
{
    for (size_t i = 0; i < data->spans; i++) {
        const struct keel_span *span = &data->span[i];
        expect(span->lane < data->lanes && span->kind < KEEL_SPAN_KINDS, "a span of nobody");
        expect(span->level < KEEL_TRACE_DATA_LEVELS_MAX, "a span in too many regions");
        expect(span->length_ns >= 0 && span->start_ns >= 0, "a span before the trace");
        expect(span->start_ns <= data->end_ns, "a span behind the trace");
        keel_trace_data_text(data, span->name);
        keel_trace_data_text(data, span->text);
    }
}

static void check(struct keel_trace_data *data)
{
    if (!keel_trace_data_finish(data)) {
        return;
    }
    check_spans(data);
    for (size_t i = 0; i < data->lanes; i++) {
        const struct keel_trace_data_lane *lane = &data->lane[i];
        expect(lane->process < data->processes, "a thread of no process");
        expect(lane->first_span + lane->spans <= data->spans, "spans that are not there");
    }
    for (size_t i = 0; i < data->points; i++) {
        expect(data->point[i].process < data->processes && isfinite(data->point[i].value),
               "a value that is none");
    }
    for (size_t i = 0; i < data->decisions; i++) {
        expect(data->decision[i].lane < data->lanes, "a decision of nobody");
        keel_trace_data_text(data, data->decision[i].text);
    }
}

static void try_text(const char *text, size_t size, bool csv)
{
    struct keel_trace_data data = {.timed = !csv};

    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end != NULL ? (size_t)(end - (text + at)) : size - at;
        take(&data, text + at, length, csv);
        at += length + 1;
    }
    check(&data);
    keel_trace_data_end(&data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_text((const char *)data, size, false);
    try_text((const char *)data, size, true);
    return 0;
}
