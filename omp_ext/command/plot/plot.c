/* keel plot: pictures of a trace, by gnuplot. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/plot/plot.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/trace_file.h"

struct request {
    const char *output;                /* NULL: an SVG and a PNG by the trace's name */
    const struct keel_plot_kind *kind; /* NULL: what the trace allows */
    const char *place;
    uint64_t instances[2]; /* the first and the last one */
    double from_s, to_s;
    char **traces;
};

static const struct keel_plot_kind *const kinds[] = {
    &keel_plot_owners, &keel_plot_profile, &keel_plot_rates, &keel_plot_shares, &keel_plot_mpi,
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

static void take_kind(struct argp_state *state, const struct keel_option *option, char *word,
                      void *at)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i]->name, word) == 0) {
            *(const struct keel_plot_kind **)at = kinds[i];
            return;
        }
    }
    argp_error(state, "--%s: '%s' is none of owners, profile, rates, shares, mpi", option->name,
               word);
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

static void take_output(struct argp_state *state, const struct keel_option *option, char *word,
                        void *at)
{
    *(const char **)at = word;
    if (format_of(word) == NULL) {
        argp_error(state, "--%s: '%s' ends neither in .svg nor in .png", option->name, word);
    }
}

#define AT(member) offsetof(struct request, member)

static const struct keel_option options[] = {
    {"output", 'o', "FILE",
     "The picture, FILE.svg or FILE.png (both, by the names of the trace and the kind)", 0,
     take_output, .at = AT(output)},
    {"kind", 0, "KIND",
     "owners (the default), profile, rates, shares (the default without loops) or mpi", 0,
     take_kind, .at = AT(kind)},
    {"loop", 0, "PLACE", "Only this loop: its name, its end (hydro.c:42), or a part of it", 0,
     keel_take_text, .at = AT(place)},
    {"instances", 0, "A-B", "Only these instances of each loop, from 0", 0, keel_take_range,
     AT(instances), 0, 1e15},
    {"from", 0, "S", "Begin at this time, seconds since the trace begins", 0, keel_take_real,
     AT(from_s), 0, 1e9},
    {"to", 0, "S", "End at this time", 0, keel_take_real, AT(to_s), 0, 1e9},
    {0},
};

static const struct keel_command_line command_line = {
    .options = options,
    .words_at = AT(traces),
    .least = 1,
    .form = "TRACE...",
    .text =
        "Draws what KEEL_TRACE=FILE.json has written, by gnuplot. Several files, e.g. one for "
        "each rank, are merged into one picture.\v"
        "Kinds: owners: which thread computed which iterations of a loop, instance by instance; "
        "profile: what iterations cost along a loop, and how far that spreads; rates: how fast "
        "threads or ranks computed over time; shares: how much of the work each got; mpi: what "
        "part "
        "of their time they were in MPI. What each "
        "thread did from when to when is shown by `keel view'.\n\n"
        "Rates and shares are those of the trace, or, with --loop or if it has none, "
        "the sums of chunks. Owners, profile, rates and shares of chunks show one loop, that with "
        "most work unless --loop names it.",
};

/* --- which loop --- */

static bool is_shown(const struct keel_extract *extract, const struct keel_span *span)
{
    return span->kind == KEEL_SPAN_CHUNK && span->name == extract->loop &&
           span->last > span->first && span->instance >= extract->first_instance &&
           span->instance <= extract->last_instance && span->start_ns < extract->to_ns &&
           span->start_ns + span->length_ns >= extract->from_ns;
}

static void take_chunk(struct keel_extract *extract, const struct keel_span *span)
{
    extract->chunk =
        keel_command_room(extract->chunk, extract->chunks, sizeof(const struct keel_span *));
    extract->chunk[extract->chunks++] = span;
    extract->iterations = span->last > extract->iterations ? span->last : extract->iterations;
    extract->first = span->instance < extract->first ? span->instance : extract->first;
    extract->last = span->instance > extract->last ? span->instance : extract->last;
    extract->executed += (double)(span->last - span->first);
}

/* With all but the loop set: finds it. False, and a message: there is none of that name, or none at
 * all where one is needed. */
static bool begin_extract(struct keel_extract *extract)
{
    extract->loop = keel_trace_loop(extract->data, extract->place);
    extract->first = UINT64_MAX;
    for (size_t i = 0; i < extract->data->spans; i++) {
        if (is_shown(extract, &extract->data->span[i])) {
            take_chunk(extract, &extract->data->span[i]);
        }
    }
    if (extract->loop != KEEL_NAME_LIST_NONE) {
        return true;
    }
    if (extract->place == NULL && extract->kind->needs_loop) {
        keel_message("the trace has no loops; nothing is drawn");
    }
    return extract->place == NULL && !extract->kind->needs_loop;
}

bool keel_extract_has_chunks(const struct keel_extract *extract)
{
    if (extract->chunks == 0) {
        keel_message("no chunks of '%.200s' are in that part of the trace; nothing is drawn",
                     keel_trace_data_text(extract->data, extract->loop));
    }
    return extract->chunks > 0;
}

/* --- scripts --- */

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

/* --- gnuplot --- */

/* gnuplot does not notice a full disk: what it has drawn is kept in a file without a name, and
 * copied. */

/* In a locale that has all characters. 0; 127: there is no gnuplot; another code: it has failed. */
static int run_gnuplot(FILE *script, FILE *picture)
{
    char command[160];

    snprintf(command, sizeof command,
             "command -v gnuplot >/dev/null || exit 127; "
             "LC_ALL=C.UTF-8 exec gnuplot </proc/self/fd/%d >/proc/self/fd/%d",
             fileno(script), fileno(picture));
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* `commands` is the script behind the lines about the picture's format. */
static bool write_picture(const char *commands, const struct format *format, unsigned height,
                          const char *path)
{
    FILE *script = tmpfile(), *picture = tmpfile();
    int error = script == NULL || picture == NULL ? errno : 0, code = 0;

    if (error == 0) {
        fprintf(script, "set encoding utf8\n");
        fprintf(script, format->terminal, KEEL_PLOT_WIDTH, height);
        fputs(commands, script);
        error = fflush(script) != 0 ? errno : 0;
    }
    if (error == 0) {
        code = run_gnuplot(script, picture);
        error = code == 0 ? keel_output_write(picture, path) : 0;
    }
    if (code != 0) {
        keel_message("gnuplot %s; '%s' is not drawn",
                     code == 127 ? "is not installed (Debian: gnuplot-nox)" : "has failed", path);
    } else if (error != 0) {
        keel_message("'%s' cannot be written: %s", path, keel_trace_file_reason(error));
    } else {
        printf("%s\n", path);
    }
    if (script != NULL) {
        fclose(script);
    }
    if (picture != NULL) {
        fclose(picture);
    }
    return code == 0 && error == 0;
}

/* --- drawing --- */

/* The text of the script behind the line with the format; NULL, and a message: there is none. */
static char *write_script(const struct keel_extract *extract)
{
    char *text = NULL;
    size_t size;
    FILE *script = open_memstream(&text, &size);
    bool drawn = extract->kind->draw(extract, script);

    fclose(script);
    return drawn ? text : NULL;
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
        .kind = kind,
        .first_instance = request->instances[0],
        .last_instance = request->instances[1],
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
    char *commands = begin_extract(&extract) ? write_script(&extract) : NULL;
    return commands != NULL && write_pictures(request, kind, commands);
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
    struct request request = {.instances = {0, UINT64_MAX}, .to_s = 1e18};
    struct keel_trace_data data;

    keel_command_line_read(&command_line, argc, argv, &request);
    if (request.from_s >= request.to_s) {
        keel_message("--from is not before --to; nothing is drawn");
        return KEEL_EXIT_USAGE;
    }
    bool drawn = keel_trace_reader_read(&data, request.traces) &&
                 draw(&request, &data, request.kind != NULL ? request.kind : default_kind(&data));
    return drawn ? 0 : KEEL_EXIT_MISSING;
}

const struct keel_subcommand keel_subcommand_plot = {
    .name = "plot",
    .summary = "draw a trace: who did what, and what it cost",
    .run = run,
};
