/* keel view: a trace as a page that any browser shows.
 *
 *   page/ by embed.pl, trace data -> page
 *
 * The data are two elements of the page, which page/trace.js reads: names as JSON, and numbers:
 * threads one after another, each with its spans, then decisions. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/trace/trace.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/trace_file.h"

/* The page around the data, made of page/ by embed.pl; lengths are without the 0 at the end. */
extern const char keel_page_before[], keel_page_after[];
extern const size_t keel_page_before_length, keel_page_after_length;

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
        json_array_append_new(processes, json_pack("{s:o}", "name", keel_command_json(label)));
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
        json_array_append_new(lanes, json_pack("{s:o, s:I, s:I}", "name", keel_command_json(label),
                                               "process", (json_int_t)lane->process, "spans",
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

static void write_header(const struct keel_trace_data *data, const char *title, FILE *stream)
{
    json_t *header = json_pack("{s:o, s:I, s:o, s:o, s:o, s:I}", "title", keel_command_json(title),
                               "end", (json_int_t)data->end_ns, "names", pack_names(data),
                               "processes", pack_processes(data), "lanes", pack_lanes(data),
                               "decisions", (json_int_t)data->decisions);

    fputs("<script id=\"trace-header\" type=\"application/json\">", stream);
    json_dump_callback(header, put_escaped, stream, JSON_COMPACT | JSON_ENSURE_ASCII);
    fputs("</script>\n", stream);
}

/* --- numbers --- */

static void put_number(FILE *stream, uint64_t number)
{
    fprintf(stream, "%" PRIu64 ",", number);
}

/* KEEL_NAME_LIST_NONE is -1. */
static void write_name(FILE *stream, uint32_t name)
{
    fprintf(stream, "%" PRId32 ",", (int32_t)name);
}

/* As readSpan() in page/trace.js reads it, the fields of its kind last. */
static void write_span(FILE *stream, const struct keel_span *span, int64_t before_ns)
{
    put_number(stream, (uint64_t)(span->kind | span->level << 3 | span->work << 6));
    put_number(stream, (uint64_t)(span->start_ns - before_ns));
    put_number(stream, (uint64_t)span->length_ns);
    write_name(stream, span->name);
    if (span->kind <= KEEL_SPAN_CHUNK) {
        put_number(stream, span->instance);
    }
    if (span->kind != KEEL_SPAN_REGION && span->kind != KEEL_SPAN_CHUNK) {
        write_name(stream, span->text);
    }
    if (span->kind == KEEL_SPAN_MOVE) {
        put_number(stream, span->from);
        put_number(stream, span->to);
    }
    if (span->kind == KEEL_SPAN_CHUNK || span->kind == KEEL_SPAN_MOVE) {
        put_number(stream, span->first);
    }
    if (span->kind == KEEL_SPAN_LOOP || span->kind == KEEL_SPAN_CHUNK ||
        span->kind == KEEL_SPAN_MOVE) {
        put_number(stream, span->last);
    }
    if (span->kind <= KEEL_SPAN_LOOP || span->kind == KEEL_SPAN_MOVE) {
        put_number(stream, span->amount);
    }
}

static void write_spans(FILE *stream, const struct keel_trace_data *data)
{
    for (size_t i = 0; i < data->lanes; i++) {
        const struct keel_trace_data_lane *lane = &data->lane[i];
        const struct keel_span *span = &data->span[lane->first_span];
        int64_t before_ns = 0;
        for (size_t k = 0; k < lane->spans; k++) {
            write_span(stream, &span[k], before_ns);
            before_ns = span[k].start_ns;
        }
    }
}

static void write_decisions(FILE *stream, const struct keel_trace_data *data)
{
    for (size_t i = 0; i < data->decisions; i++) {
        const struct keel_trace_data_decision *decision = &data->decision[i];
        put_number(stream, (uint64_t)decision->time_ns);
        put_number(stream, decision->lane);
        write_name(stream, decision->name);
        write_name(stream, decision->text);
    }
}

/* --- the page --- */

/* Whatever the names are, they neither end an element nor begin one. Failures are left to the
 * stream. */
static void write_page(const struct keel_trace_data *data, const char *title, FILE *stream)
{
    fwrite(keel_page_before, 1, keel_page_before_length, stream);
    write_header(data, title, stream);
    fputs("<script id=\"trace-data\" type=\"application/json\">[", stream);
    write_spans(stream, data);
    write_decisions(stream, data);
    fputs("0]</script>\n", stream);
    fwrite(keel_page_after, 1, keel_page_after_length, stream);
}

static bool write_file(const struct keel_trace_data *data, const char *title, const char *path)
{
    FILE *page = tmpfile();

    if (page != NULL) {
        write_page(data, title, page);
    }
    int error = page == NULL || fflush(page) != 0 || ferror(page) ? errno : 0;
    if (error == 0) {
        error = keel_output_write(page, path);
    }
    if (error != 0) {
        keel_message("'%s' cannot be written: %s", path, keel_trace_file_reason(error));
    }
    return error == 0;
}

/* --- the subcommand --- */

struct request {
    const char *output; /* NULL: by the trace's name */
    char **traces;
};

static const struct keel_option options[] = {
    {"output", 'o', "FILE.html", "The file for the page (the trace's name with .html)", 0,
     keel_take_text, .at = offsetof(struct request, output)},
    {0},
};

static const struct keel_command_line command_line = {
    .options = options,
    .words_at = offsetof(struct request, traces),
    .least = 1,
    .form = "TRACE...",
    .text = "Makes a page of what KEEL_TRACE=FILE.json has written: a trace of threads and ranks "
            "that can be zoomed and searched, with details of each chunk, wait and decision, and a "
            "table of loops. Several files, e.g. one for each rank, are merged into "
            "one trace.\v"
            "The page is one file. It needs no network, and no program but a browser.",
};

static int make_page(const struct request *request)
{
    struct keel_trace_data data;
    char title[KEEL_TRACE_LABEL_MAX], path[KEEL_TRACE_LABEL_MAX + sizeof ".html"];
    bool good = keel_trace_reader_read(&data, request->traces);

    keel_trace_label_file(request->traces[0], title);
    snprintf(path, sizeof path, "%s.html", title);
    const char *output = request->output != NULL ? request->output : path;
    good = good && write_file(&data, title, output);
    if (good) {
        printf("%s\n", output);
    }
    return good ? 0 : KEEL_EXIT_MISSING;
}

static int run(int argc, char **argv)
{
    struct request request = {0};

    keel_command_line_read(&command_line, argc, argv, &request);
    return make_page(&request);
}

const struct keel_subcommand keel_subcommand_view = {
    .name = "view",
    .summary = "make a page of a trace, to be zoomed and searched",
    .run = run,
};
