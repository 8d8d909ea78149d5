/* A trace as the page reads it (page/trace.js): names first, then threads one after another, each
 * with its spans, then decisions. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/view/view.h"

/* --- base64: RFC 4648, without line breaks --- */

/* All but `stream` zero: nothing is written yet. */
struct base64 {
    FILE *stream; /* whose error indicator shows failures */
    unsigned char group[3];
    unsigned used; /* bytes of the group */
};

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The group's bytes as 4 digits; digits of bytes that are not there are "=". */
static void write_group(struct base64 *base64)
{
    unsigned bits =
        (unsigned)base64->group[0] << 16 | (unsigned)base64->group[1] << 8 | base64->group[2];

    for (unsigned i = 0; i < 4; i++) {
        putc(i <= base64->used ? digits[bits >> (18 - 6 * i) & 63] : '=', base64->stream);
    }
    base64->used = 0;
    memset(base64->group, 0, sizeof base64->group);
}

static void put_byte(struct base64 *base64, unsigned char byte)
{
    base64->group[base64->used++] = byte;
    if (base64->used == sizeof base64->group) {
        write_group(base64);
    }
}

/* A whole number, 7 bits a byte, least significant ones first; all bytes but the last have their
 * eighth bit set. */
static void put_number(struct base64 *base64, uint64_t number)
{
    for (; number >= 128; number /= 128) {
        put_byte(base64, (unsigned char)(number % 128 | 128));
    }
    put_byte(base64, (unsigned char)number);
}

static void put_end(struct base64 *base64)
{
    if (base64->used > 0) {
        write_group(base64);
    }
}

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

/* `<`, `>` and `&` are in strings alone, where JSON has other ways to write them. */
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
    json_t *header =
        json_pack("{s:s, s:I, s:o, s:o, s:o, s:I}", "title", title, "end", (json_int_t)data->end_ns,
                  "names", pack_names(data), "processes", pack_processes(data), "lanes",
                  pack_lanes(data), "decisions", (json_int_t)data->decisions);
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
static void write_name(struct base64 *base64, uint32_t name)
{
    put_number(base64, name == KEEL_NAME_LIST_NONE ? 0 : (uint64_t)name + 1);
}

/* As readSpan() in page/trace.js reads it. */
static void write_span(struct base64 *base64, const struct keel_span *span, int64_t before_ns)
{
    put_byte(base64, (unsigned char)(span->kind | span->level << 3 | span->work << 6));
    put_number(base64, (uint64_t)(span->start_ns - before_ns));
    put_number(base64, (uint64_t)span->length_ns);
    write_name(base64, span->name);
    if (span->kind == KEEL_SPAN_WAIT) {
        write_name(base64, span->text);
        return;
    }
    if (span->kind == KEEL_SPAN_MOVE) {
        write_name(base64, span->text);
        put_number(base64, span->from);
        put_number(base64, span->to);
    } else {
        put_number(base64, span->instance);
    }
    if (span->kind == KEEL_SPAN_CHUNK || span->kind == KEEL_SPAN_MOVE) {
        put_number(base64, span->first);
        put_number(base64, span->last - span->first);
    }
    if (span->kind == KEEL_SPAN_LOOP) {
        write_name(base64, span->text);
        put_number(base64, span->last);
    }
    if (span->kind != KEEL_SPAN_CHUNK) {
        put_number(base64, span->amount);
    }
}

static void write_spans(struct base64 *base64, const struct keel_trace_data *data)
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

static void write_decisions(struct base64 *base64, const struct keel_trace_data *data)
{
    for (size_t i = 0; i < data->decisions; i++) {
        const struct keel_trace_data_decision *decision = &data->decision[i];
        put_number(base64, (uint64_t)decision->time_ns);
        put_number(base64, decision->lane);
        write_name(base64, decision->name);
        write_name(base64, decision->text);
    }
}

bool keel_page_data_write(const struct keel_trace_data *data, const char *title, FILE *stream)
{
    struct base64 base64 = {.stream = stream};

    if (!write_header(data, title, stream)) {
        return false;
    }
    fputs("<script id=\"trace-data\" type=\"text/plain\">", stream);
    write_spans(&base64, data);
    write_decisions(&base64, data);
    put_end(&base64);
    fputs("</script>\n", stream);
    return true;
}
