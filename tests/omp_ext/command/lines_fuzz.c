/* Fuzz target: no trace, line by line, does harm to its reader, and what it reads
 * can be put in order. Aborts where that does not hold. */
#include <math.h>
#include <string.h>

#include "omp_ext/command/trace/trace.h"
#include "tests/fuzz/driver.h"

static void take(struct keel_trace_data *data, const char *line, size_t length)
{
    char *copy = malloc(length + 1); /* so large that a sanitizer sees who reads behind it */

    memcpy(copy, line, length);
    copy[length] = '\0';
    keel_json_event_take(data, 0, copy, length);
    free(copy);
}

static void check_spans(const struct keel_trace_data *data)
{
    for (size_t i = 0; i < data->spans; i++) {
        const struct keel_span *span = &data->span[i];
        expect(span->lane < data->lanes && span->kind < KEEL_SPAN_KINDS, "a span of no lane");
        expect(span->level < KEEL_TRACE_DATA_LEVELS_MAX, "a span in too many regions");
        expect(span->length_ns >= 0 && span->start_ns >= 0, "a span before the trace");
        expect(span->start_ns <= data->end_ns, "a span behind the trace");
        keel_trace_data_text(data, span->name);
        keel_trace_data_text(data, span->text);
    }
}

static void check(struct keel_trace_data *data)
{
    keel_trace_data_finish(data);
    check_spans(data);
    for (size_t i = 0; i < data->lanes; i++) {
        const struct keel_trace_data_lane *lane = &data->lane[i];
        expect(lane->process < data->processes, "a thread of no process");
        expect(lane->first_span + lane->spans <= data->spans, "spans that are not there");
        for (size_t k = 0; k < lane->spans; k++) {
            const struct keel_span *span = &data->span[lane->first_span + k];
            expect(span->lane == i, "a span of another thread");
            expect(k == 0 || span->start_ns >= span[-1].start_ns, "spans out of order");
            expect(span->start_ns + span->length_ns <= data->end_ns,
                   "a span ends behind the trace");
            expect(span->last >= span->first, "iterations that run back");
        }
    }
    for (size_t i = 0; i < data->points; i++) {
        expect(data->point[i].process < data->processes && isfinite(data->point[i].value),
               "a value that is none");
    }
    for (size_t i = 0; i < data->decisions; i++) {
        expect(data->decision[i].lane < data->lanes, "a decision of no lane");
        keel_trace_data_text(data, data->decision[i].text);
    }
}

static void try_text(const char *text, size_t size)
{
    struct keel_trace_data data = {0};

    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end != NULL ? (size_t)(end - (text + at)) : size - at;
        take(&data, text + at, length);
        at += length + 1;
    }
    check(&data);
    keel_trace_data_end(&data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_text((const char *)data, size);
    return 0;
}

/* --- texts to begin with --- */

static const char *const seeds[] = {
    "[\n{\"name\":\"keel_trace\",\"ph\":\"M\",\"pid\":0,\"tid\":0,\"args\":{\"boot\":\"b\","
    "\"epoch_us\":5}},\n"
    "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"tid\":0,\"args\":{\"name\":\"rank 0\"}},\n"
    "{\"name\":\"hydro.c:42\",\"cat\":\"region\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":10.250,"
    "\"dur\":3.125,\"args\":{\"instance\":4,\"threads\":2}},\n"
    "{\"name\":\"hydro.c:42\",\"cat\":\"chunk\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":10.250,"
    "\"dur\":1.125,\"args\":{\"instance\":4,\"first\":128,\"last\":160}},\n"
    "{\"name\":\"wait\",\"cat\":\"wait\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":12,\"dur\":1,"
    "\"args\":{\"loop\":\"a\",\"where\":\"end\"}}\n]\n",
    "[\n{\"name\":\"a\",\"cat\":\"loop\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":-1e3,\"dur\":1e9,"
    "\"args\":{\"instance\":1,\"schedule\":\"fac2\",\"iterations\":10,\"threads\":3}},\n"
    "{\"name\":\"decision\",\"cat\":\"decision\",\"ph\":\"i\",\"pid\":1,\"tid\":0,\"ts\":3,"
    "\"args\":{\"gain\":0.5}},\n"
    "{\"name\":\"rate\",\"ph\":\"C\",\"pid\":1,\"tid\":0,\"ts\":4,\"args\":{\"thread 0\":1.5}},\n"
    "{\"name\":\"rows\",\"cat\":\"move\",\"ph\":\"X\",\"pid\":1,\"tid\":0,\"ts\":4,\"dur\":2,"
    "\"args\":{\"from\":0,\"to\":1,\"first\":3,\"last\":9,\"bytes\":4096}},\n",
};

static const char *const pieces[] =
    LIST("{", "}", "[", "]", ",", ":", "0", "-1", "1e9", "1e18", "1e400", "-0.0", "null", "true",
         "\"\"", "\n", "", "\xff", "\\u0000", "1e-320", "9223372036854775807", "1e308", "65537",
         "2147483648", "18446744073709551615", "-9223372036854775808",
         "\"ts\":", "\"dur\":", "\"pid\":", "\"args\":{}", "\"ph\":\"X\"", "\"ph\":\"C\"",
         "\"ph\":\"M\"", "\"ph\":\"i\"", "\"cat\":\"region\"", "\"cat\":\"move\"",
         "9999999999999999999999");

FUZZ_TEXTS(.separators = ",:[]{}\n", .text_max = FUZZ_TEXT_MAX, .edits_max = 4);
