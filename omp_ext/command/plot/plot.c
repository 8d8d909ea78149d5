/* keel plot: pictures of a trace, by gnuplot. */
#define _GNU_SOURCE
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/plot/plot.h"
#include "omp_ext/support/message.h"
#include "schedules/text/number.h"

enum { KEY_KIND = 256, KEY_LOOP, KEY_INSTANCES, KEY_FROM, KEY_TO };

struct request {
    const char *output;                /* NULL: an SVG and a PNG by the trace's name */
    const struct keel_plot_kind *kind; /* NULL: what the trace allows */
    const char *place;
    uint64_t first_instance, last_instance;
    double from_s, to_s;
    char **traces;
    size_t count;
};

static const struct keel_plot_kind *const kinds[] = {
    &keel_plot_owners,
    &keel_plot_profile,
    &keel_plot_rates,
    &keel_plot_shares,
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct format {
    const char *ending, *terminal;
};

static const struct format formats[] = {
    {".svg", "set terminal svg noenhanced size %u,%u background '#ffffff' font 'sans,12'\n"},
    {".png", "set terminal pngcairo noenhanced size %u,%u font 'sans,10'\n"},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

/* --- the command line --- */

static void take_kind(struct request *request, struct argp_state *state, const char *word)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i]->name, word) == 0) {
            request->kind = kinds[i];
            return;
        }
    }
    argp_error(state, "--kind: '%s' is none of owners, profile, rates, shares", word);
}

/* "4-10", or "4" */
static void take_instances(struct request *request, struct argp_state *state, char *word)
{
    char *dash = strchr(word, '-');
    char *last = dash != NULL ? dash + 1 : word;
    char first[32];

    snprintf(first, sizeof first, "%.*s", (int)(dash != NULL ? dash - word : 31), word);
    if (!keel_number_whole(first, 0, UINT64_MAX, &request->first_instance) ||
        !keel_number_whole(last, request->first_instance, UINT64_MAX, &request->last_instance)) {
        argp_error(state, "--instances: '%s' is neither a number nor FIRST-LAST", word);
    }
}

static double seconds(struct argp_state *state, const char *option, const char *word)
{
    double value = 0;

    if (!keel_number_real(word, &value) || value > 1e9) {
        argp_error(state, "%s: '%s' is not a time from 0 to 1e9, seconds", option, word);
    }
    return value;
}

static const struct format *format_of(const char *path)
{
    for (size_t i = 0; i < FORMATS; i++) {
        size_t length = strlen(path), wanted = strlen(formats[i].ending);
        if (length > wanted && strcmp(path + length - wanted, formats[i].ending) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

static void take_output(struct request *request, struct argp_state *state, const char *word)
{
    request->output = word;
    if (format_of(word) == NULL) {
        argp_error(state, "--output: '%s' ends neither in .svg nor in .png", word);
    }
}

static error_t take(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;

    switch (key) {
    case 'o':
        take_output(request, state, word);
        return 0;
    case KEY_KIND:
        take_kind(request, state, word);
        return 0;
    case KEY_LOOP:
        request->place = word;
        return 0;
    case KEY_INSTANCES:
        take_instances(request, state, word);
        return 0;
    case KEY_FROM:
        request->from_s = seconds(state, "--from", word);
        return 0;
    case KEY_TO:
        request->to_s = seconds(state, "--to", word);
        return 0;
    case ARGP_KEY_ARGS:
        request->traces = state->argv + state->next;
        request->count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    case ARGP_KEY_END:
        if (request->from_s >= request->to_s) {
            argp_error(state, "--from is not before --to");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0,
     "The picture, FILE.svg or FILE.png (both, by the names of the trace and the kind)", 0},
    {"kind", KEY_KIND, "KIND", 0,
     "owners (the default), profile, rates or shares (the default without loops)", 0},
    {"loop", KEY_LOOP, "PLACE", 0,
     "Only this loop: its name, its end (hydro.c:42), or a part of it", 0},
    {"instances", KEY_INSTANCES, "A-B", 0, "Only these instances of each loop, from 0", 0},
    {"from", KEY_FROM, "S", 0, "Begin at this time, seconds since the trace begins", 0},
    {"to", KEY_TO, "S", 0, "End at this time", 0},
    {0},
};

static const struct argp grammar = {
    .options = options,
    .parser = take,
    .args_doc = "TRACE...",
    .doc =
        "Draws what KEEL_TRACE=FILE.json has written, by gnuplot. Several files, e.g. one for "
        "each rank, are merged into one picture.\v"
        "Kinds: owners: which thread computed which iterations of a loop, instance by instance; "
        "profile: what iterations cost along a loop, and how far that spreads; rates: how fast "
        "threads or ranks computed over time; shares: how much of the work each got. What each "
        "thread did from when to when is shown by `keel view'.\n\n"
        "Rates and shares are those that Keel has noted, or, with --loop or without such notes, "
        "what chunks come to. Owners, profile, rates and shares of chunks show one loop, that with "
        "most work unless --loop names it.",
};

/* --- drawing --- */

/* The text of the script behind the line with the format; NULL, and a message: there is none. */
static char *write_script(const struct keel_extract *extract, const struct keel_plot_kind *kind)
{
    char *text = NULL;
    size_t size;
    FILE *script = open_memstream(&text, &size);
    bool drawn = false;

    if (script != NULL) {
        drawn = kind->draw(extract, script);
        drawn = fclose(script) == 0 && drawn;
    }
    if (!drawn) {
        free(text);
        text = NULL;
    }
    return text;
}

static bool write_picture(const char *commands, const struct format *format, unsigned height,
                          const char *path)
{
    char *script = NULL;
    char *terminal = NULL;
    bool written = asprintf(&terminal, format->terminal, KEEL_PLOT_WIDTH, height) >= 0 &&
                   asprintf(&script, "set encoding utf8\n%s%s", terminal, commands) >= 0 &&
                   keel_picture_write(script, path);

    free(terminal);
    free(script);
    if (written) {
        printf("%s\n", path);
    }
    return written;
}

static bool write_pictures(const struct request *request, const struct keel_plot_kind *kind,
                           const char *commands)
{
    char label[KEEL_TRACE_LABEL_MAX], path[KEEL_TRACE_LABEL_MAX + 32];
    bool written = true;

    if (request->output != NULL) {
        return write_picture(commands, format_of(request->output), kind->height, request->output);
    }
    keel_trace_label_file(request->traces[0], label);
    for (size_t i = 0; i < FORMATS && written; i++) {
        snprintf(path, sizeof path, "%s-%s%s", label, kind->name, formats[i].ending);
        written = write_picture(commands, &formats[i], kind->height, path);
    }
    return written;
}

static bool draw(const struct request *request, const struct keel_trace_data *data,
                 const struct keel_plot_kind *kind)
{
    struct keel_extract extract = {
        .data = data,
        .place = request->place,
        .needs_loop = kind->needs_loop,
        .first_instance = request->first_instance,
        .last_instance = request->last_instance,
        .from_ns = (int64_t)(request->from_s * 1e9),
        .to_ns = data->end_ns > 0 ? data->end_ns : 1,
    };

    if (request->to_s * 1e9 < (double)extract.to_ns) {
        extract.to_ns = (int64_t)(request->to_s * 1e9);
    }
    if (extract.from_ns >= extract.to_ns) {
        keel_message("--from: the trace ends at %.9g s; nothing is drawn",
                     (double)data->end_ns / 1e9);
        return false;
    }
    char *commands = keel_extract_begin(&extract) ? write_script(&extract, kind) : NULL;
    bool drawn = commands != NULL && write_pictures(request, kind, commands);
    free(commands);
    return drawn;
}

static const struct keel_plot_kind *default_kind(const struct keel_trace_data *data)
{
    for (size_t i = 0; i < data->spans; i++) {
        if (data->span[i].kind == KEEL_SPAN_CHUNK) {
            return &keel_plot_owners;
        }
    }
    return &keel_plot_shares;
}

static int run(int argc, char **argv)
{
    struct request request = {.last_instance = UINT64_MAX, .to_s = 1e18};
    struct keel_trace_data data;

    argp_parse(&grammar, argc, argv, 0, NULL, &request);
    bool drawn = keel_trace_reader_read(&data, request.traces, request.count) &&
                 draw(&request, &data, request.kind != NULL ? request.kind : default_kind(&data));
    keel_trace_data_end(&data);
    return drawn ? 0 : KEEL_EXIT_MISSING;
}

const struct keel_subcommand keel_subcommand_plot = {
    .name = "plot",
    .summary = "draw a trace: who did what, and what it cost",
    .run = run,
};
