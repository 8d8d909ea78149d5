/* Names first, then threads one after another, each with its spans. */
#include "omp_ext/command/view/page_data.h"

#include <jansson.h>
#include <stdlib.h>

#include "omp_ext/command/trace/trace_label.h"
#include "omp_ext/command/view/base64.h"

/* --- names --- */

static json_t *pack_names(const struct keel_trace_data *data)
{
    json_t *names = json_array();

    for (uint32_t i = 0; i < data->names.count; i++) {
        json_array_append_new(names, json_string(data->names.name[i]));
    }
    return names;
}

static json_t *pack_processes(const struct keel_trace_data *data)
{
    json_t *processes = json_array();
    char label[KEEL_TRACE_LABEL_MAX];

    for (uint32_t i = 0; i < data->processes; i++) {
        keel_trace_label_process(data, i, label);
        json_array_append_new(processes, json_pack("{s:s}", "name", label));
    }
    return processes;
}

static json_t *pack_lanes(const struct keel_trace_data *data)
{
    json_t *lanes = json_array();
    char label[KEEL_TRACE_LABEL_MAX];

    for (size_t i = 0; i < data->lanes; i++) {
        const struct keel_trace_data_lane *lane = &data->lane[i];
        keel_trace_label_thread(data, (uint32_t)i, label);
        json_array_append_new(lanes, json_pack("{s:s, s:I, s:I}", "name", label, "process",
                                               (json_int_t)lane->process, "spans",
                                               (json_int_t)lane->spans));
    }
    return lanes;
}

/* `<`, `>` and `&` stand in strings alone, where JSON has other ways to write them. */
static int put_escaped(const char *text, size_t size, void *stream)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '<' || text[i] == '>' || text[i] == '&') {
            fprintf(stream, "\\u%04x", (unsigned)text[i]);
        } else {
            putc(text[i], stream);
        }
    }
    return 0;
}

static bool write_header(const struct keel_trace_data *data, const char *title, FILE *stream)
{
    json_t *header = json_pack("{s:s, s:I, s:o, s:o, s:o, s:I, s:I}", "title", title, "end",
                               (json_int_t)data->end_ns, "names", pack_names(data), "processes",
                               pack_processes(data), "lanes", pack_lanes(data), "points",
                               (json_int_t)data->points, "decisions", (json_int_t)data->decisions);
    bool written = header != NULL;

    fputs("<script id=\"trace-header\" type=\"application/json\">", stream);
    if (written) {
        written =
            json_dump_callback(header, put_escaped, stream, JSON_COMPACT | JSON_ENSURE_ASCII) == 0;
    }
    fputs("</script>\n", stream);
    json_decref(header);
    return written;
}

/* --- numbers --- */

/* KEEL_NAME_LIST_NONE is 0, others one more than they are. */
static void write_name(struct keel_base64 *base64, uint32_t name)
{
    keel_base64_number(base64, name == KEEL_NAME_LIST_NONE ? 0 : (uint64_t)name + 1);
}

/* As readSpan() in page/trace.js reads it. */
static void write_span(struct keel_base64 *base64, const struct keel_span *span, int64_t before_ns)
{
    keel_base64_byte(base64, (unsigned char)(span->kind | span->level << 3 | span->work << 6));
    keel_base64_number(base64, (uint64_t)(span->start_ns - before_ns));
    keel_base64_number(base64, (uint64_t)span->length_ns);
    write_name(base64, span->name);
    if (span->kind == KEEL_SPAN_WAIT) {
        write_name(base64, span->text);
        return;
    }
    if (span->kind == KEEL_SPAN_MOVE) {
        write_name(base64, span->text);
        keel_base64_number(base64, span->from);
        keel_base64_number(base64, span->to);
    } else {
        keel_base64_number(base64, span->instance);
    }
    if (span->kind == KEEL_SPAN_CHUNK || span->kind == KEEL_SPAN_MOVE) {
        keel_base64_number(base64, span->first);
        keel_base64_number(base64, span->last - span->first);
    }
    if (span->kind == KEEL_SPAN_LOOP) {
        write_name(base64, span->text);
        keel_base64_number(base64, span->last);
    }
    if (span->kind != KEEL_SPAN_CHUNK) {
        keel_base64_number(base64, span->amount);
    }
}

static void write_spans(struct keel_base64 *base64, const struct keel_trace_data *data)
{
    for (size_t i = 0; i < data->lanes; i++) {
        const struct keel_trace_data_lane *lane = &data->lane[i];
        const struct keel_span *span = &data->span[lane->first_span];
        int64_t before_ns = 0;
        for (size_t k = 0; k < lane->spans; k++) {
            write_span(base64, &span[k], before_ns);
            before_ns = span[k].start_ns;
        }
    }
}

static void write_points(struct keel_base64 *base64, const struct keel_trace_data *data)
{
    for (size_t i = 0; i < data->points; i++) {
        const struct keel_trace_data_point *point = &data->point[i];
        keel_base64_number(base64, (uint64_t)point->time_ns);
        keel_base64_real(base64, point->value);
        keel_base64_number(base64, point->process);
        write_name(base64, point->counter);
        write_name(base64, point->series);
        write_name(base64, point->loop);
    }
    for (size_t i = 0; i < data->decisions; i++) {
        const struct keel_trace_data_decision *decision = &data->decision[i];
        keel_base64_number(base64, (uint64_t)decision->time_ns);
        keel_base64_number(base64, decision->lane);
        write_name(base64, decision->name);
        write_name(base64, decision->text);
    }
}

bool keel_page_data_write(const struct keel_trace_data *data, const char *title, FILE *stream)
{
    struct keel_base64 base64 = {.stream = stream};

    if (!write_header(data, title, stream)) {
        return false;
    }
    fputs("<script id=\"trace-data\" type=\"text/plain\">", stream);
    write_spans(&base64, data);
    write_points(&base64, data);
    keel_base64_end(&base64);
    fputs("</script>\n", stream);
    return true;
}
