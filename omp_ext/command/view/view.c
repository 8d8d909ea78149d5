/* keel view: a trace as a page that any browser shows. */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/view/view.h"
#include "omp_ext/support/message.h"

struct request {
    const char *output; /* NULL: by the trace's name */
    char **traces;
    size_t count;
};

static error_t take(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;

    switch (key) {
    case 'o':
        request->output = word;
        return 0;
    case ARGP_KEY_ARGS:
        request->traces = state->argv + state->next;
        request->count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE.html", 0, "The file for the page (the trace's name with .html)", 0},
    {0},
};

static const struct argp grammar = {
    .options = options,
    .parser = take,
    .args_doc = "TRACE...",
    .doc = "Makes a page of what KEEL_TRACE=FILE.json has written: a trace of threads and ranks "
           "that can be zoomed and searched, with details of each chunk, wait and decision, and a "
           "table of loops. Several files, e.g. one for each rank, are merged into "
           "one trace.\v"
           "The page is one file. It needs no network, and no program but a browser.",
};

/* --- the page --- */

static bool write_page(const struct keel_trace_data *data, const char *title, FILE *stream)
{
    fwrite(keel_page_before, 1, keel_page_before_length, stream);
    if (!keel_page_data_write(data, title, stream)) {
        keel_message("there is not enough memory for the page");
        return false;
    }
    fwrite(keel_page_after, 1, keel_page_after_length, stream);
    return true;
}

static void remove_file(const char *path)
{
    struct stat file;

    if (stat(path, &file) == 0 && S_ISREG(file.st_mode)) {
        unlink(path);
    }
}

/* What has been written by then is removed where that fails. */
static bool write_file(const struct keel_trace_data *data, const char *title, const char *path)
{
    FILE *stream = fopen(path, "w");

    if (stream == NULL) {
        keel_message("'%s' cannot be written: %s", path, strerror(errno));
        return false;
    }
    bool written = write_page(data, title, stream);
    bool failed = fflush(stream) != 0 || ferror(stream);
    int error = errno;
    failed |= fclose(stream) != 0;
    if (failed) {
        keel_message("'%s' cannot be written: %s", path, strerror(error));
    }
    if (!written || failed) {
        remove_file(path);
    }
    return written && !failed;
}

static int make_page(const struct request *request)
{
    struct keel_trace_data data;
    char title[KEEL_TRACE_LABEL_MAX], path[KEEL_TRACE_LABEL_MAX + sizeof ".html"];
    bool good = keel_trace_reader_read(&data, request->traces, request->count);

    if (good && !data.timed) {
        keel_message("a trace in CSV does not tell when chunks began; KEEL_TRACE=FILE.json does. "
                     "`keel plot' shows what it tells");
        good = false;
    }
    keel_trace_label_file(request->traces[0], title);
    snprintf(path, sizeof path, "%s.html", title);
    const char *output = request->output != NULL ? request->output : path;
    good = good && write_file(&data, title, output);
    if (good) {
        printf("%s\n", output);
    }
    keel_trace_data_end(&data);
    return good ? 0 : KEEL_EXIT_MISSING;
}

static int run(int argc, char **argv)
{
    struct request request = {0};

    argp_parse(&grammar, argc, argv, 0, NULL, &request);
    return make_page(&request);
}

const struct keel_subcommand keel_subcommand_view = {
    .name = "view",
    .summary = "make a page of a trace, to be zoomed and searched",
    .run = run,
};
