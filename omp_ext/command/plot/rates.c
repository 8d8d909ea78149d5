/* keel plot --kind rates and shares: how fast threads or ranks computed, and how much each got,
 * over time. By the counters of the trace; without them, by the chunks of each instance.
 *
 * --kind mpi: the part of their time that threads were in calls of MPI, over time, too. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/plot/plot.h"
#include "omp_ext/support/message.h"

#define SERIES_MAX 40    /* lines that a picture shows */
#define POINTS_MAX 4800  /* of all lines; of more, neighbours are averaged */
#define POINTS_LEAST 150 /* of a line, nevertheless */
#define NAME_MAX_BYTES 128
#define PERIODS 200 /* of the time, for each of which there is a part in MPI */

struct point {
    double x, value;
};

struct series {
    char name[NAME_MAX_BYTES];
    size_t count;
    struct point *point;
};

struct drawing {
    const struct keel_extract *extract;
    bool shares; /* false: rates, or parts of the time in MPI */
    size_t count, left_out;
    struct series series[SERIES_MAX];
    bool of_loop;  /* there are counters of the loop, */
    bool of_ranks; /* and of ranks: of loops that they share, or of rows */
};

/* The line of that name, which is added if it is not there; NULL: there is no room. */
static struct series *series_of(struct drawing *drawing, const char *name)
{
    for (size_t i = 0; i < drawing->count; i++) {
        if (strcmp(drawing->series[i].name, name) == 0) {
            return &drawing->series[i];
        }
    }
    if (drawing->count == SERIES_MAX) {
        drawing->left_out++;
        return NULL;
    }
    strcpy(drawing->series[drawing->count].name, name);
    return &drawing->series[drawing->count++];
}

static void add_point(struct drawing *drawing, const char *name, double x, double value)
{
    struct series *series = series_of(drawing, name);

    if (series != NULL) {
        series->point = keel_command_room(series->point, series->count, sizeof *series->point);
        series->point[series->count++] = (struct point){x, value};
    }
}

/* --- counters of the trace --- */

static void name_counter(const struct keel_trace_data *data,
                         const struct keel_trace_data_point *point, char name[NAME_MAX_BYTES])
{
    const char *own = keel_trace_data_text(data, point->series);
    bool of_rank = point->series == point->counter;

    if (data->processes > 1) {
        snprintf(name, NAME_MAX_BYTES, "rank %lld%s%.60s",
                 (long long)data->process[point->process].pid, of_rank ? "" : ", ",
                 of_rank ? "" : own);
    } else {
        snprintf(name, NAME_MAX_BYTES, "%.60s", own);
    }
}

static void take_counters(struct drawing *drawing)
{
    const struct keel_extract *extract = drawing->extract;
    char name[NAME_MAX_BYTES];

    for (size_t i = 0; i < extract->data->points; i++) {
        const struct keel_trace_data_point *point = &extract->data->point[i];
        const char *counter = keel_trace_data_text(extract->data, point->counter);
        if (strcmp(counter, drawing->shares ? "share" : "rate") != 0 ||
            (point->loop != KEEL_NAME_LIST_NONE && point->loop != extract->loop) ||
            (point->loop == KEEL_NAME_LIST_NONE && extract->place != NULL) ||
            point->time_ns < extract->from_ns || point->time_ns > extract->to_ns) {
            continue;
        }
        drawing->of_loop |= point->loop != KEEL_NAME_LIST_NONE;
        drawing->of_ranks |= point->loop == KEEL_NAME_LIST_NONE;
        name_counter(extract->data, point, name);
        add_point(drawing, name, (double)point->time_ns, point->value);
    }
}

/* --- sums of chunks --- */

/* One thread's part in an instance. */
struct part {
    double iterations, time_ns, end_ns;
};

/* whole: the iterations of the instance. */
static void end_part(struct drawing *drawing, const char *name, const struct part *part,
                     double whole)
{
    double rate = part->time_ns > 0 ? part->iterations / part->time_ns * 1e9 : 0;

    add_point(drawing, name, part->end_ns, drawing->shares ? 100 * part->iterations / whole : rate);
}

static void take_chunks(struct drawing *drawing)
{
    const struct keel_extract *extract = drawing->extract;
    struct part part = {0};
    char name[NAME_MAX_BYTES];

    if (!keel_extract_has_chunks(extract)) {
        return;
    }
    double *whole = keel_command_memory((size_t)extract->last + 1, sizeof *whole);
    for (size_t i = 0; i < extract->chunks; i++) {
        const struct keel_span *chunk = extract->chunk[i];
        whole[chunk->instance] += (double)(chunk->last - chunk->first);
    }
    for (size_t i = 0; i < extract->chunks; i++) {
        const struct keel_span *chunk = extract->chunk[i];
        const struct keel_span *next = i + 1 < extract->chunks ? extract->chunk[i + 1] : NULL;
        part.iterations += (double)(chunk->last - chunk->first);
        part.time_ns += (double)chunk->length_ns;
        part.end_ns = (double)(chunk->start_ns + chunk->length_ns);
        if (next == NULL || next->lane != chunk->lane || next->instance != chunk->instance) {
            keel_script_thread(extract->data, chunk->lane, name, sizeof name);
            end_part(drawing, name, &part, whole[chunk->instance]);
            part = (struct part){0};
        }
    }
}

/* --- calls of MPI --- */

/* ns of each period that are in [from_ns, to_ns) of the picture. */
static void add_call(double in_mpi_ns[PERIODS], double period_ns, double from_ns, double to_ns)
{
    size_t i = (size_t)(fmax(from_ns, 0) / period_ns);

    for (; i < PERIODS && (double)i * period_ns < to_ns; i++) {
        double begin_ns = (double)i * period_ns;
        in_mpi_ns[i] += fmax(fmin(to_ns, begin_ns + period_ns) - fmax(from_ns, begin_ns), 0);
    }
}

/* A thread without calls has no line. */
static void take_calls(struct drawing *drawing, uint32_t number)
{
    const struct keel_extract *extract = drawing->extract;
    const struct keel_trace_data_lane *lane = &extract->data->lane[number];
    const double period_ns = (double)(extract->to_ns - extract->from_ns) / PERIODS;
    double in_mpi_ns[PERIODS] = {0};
    char name[NAME_MAX_BYTES];
    bool any = false;

    for (size_t i = 0; i < lane->spans; i++) {
        const struct keel_span *span = &extract->data->span[lane->first_span + i];
        if (span->kind == KEEL_SPAN_CALL && span->start_ns < extract->to_ns &&
            span->start_ns + span->length_ns > extract->from_ns) {
            double from_ns = (double)(span->start_ns - extract->from_ns);
            add_call(in_mpi_ns, period_ns, from_ns, from_ns + (double)span->length_ns);
            any = true;
        }
    }
    keel_script_thread(extract->data, number, name, sizeof name);
    for (size_t i = 0; any && i < PERIODS; i++) {
        add_point(drawing, name, (double)extract->from_ns + (double)i * period_ns,
                  100 * in_mpi_ns[i] / period_ns);
    }
}

/* --- the picture --- */

/* Averages of neighbours where a line has many points. */
static void print_series(const struct drawing *drawing, size_t number, double unit, FILE *script)
{
    const struct series *series = &drawing->series[number];
    size_t most = POINTS_MAX / drawing->count;
    size_t points = most > POINTS_LEAST ? most : POINTS_LEAST;
    size_t group = (series->count + points - 1) / points;

    fprintf(script, "$series%zu << END\n", number);
    for (size_t i = 0; i < series->count; i += group) {
        size_t count = series->count - i < group ? series->count - i : group;
        double sum = 0;
        for (size_t k = 0; k < count; k++) {
            sum += series->point[i + k].value;
        }
        fprintf(script, "%.12g %.9g\n", series->point[i].x / unit, sum / (double)count);
    }
    fprintf(script, "END\n");
}

/* Names the x axis by time in a unit that fits a length of time; the unit, ns. */
static double name_time(FILE *script, int64_t length_ns)
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

/* Returns the unit of x. */
static double print_axes(const struct drawing *drawing, bool counted, FILE *script)
{
    const struct keel_extract *extract = drawing->extract;
    double unit = name_time(script, extract->to_ns - extract->from_ns);

    fprintf(script, "set xrange [%.12g:%.12g]\n", (double)extract->from_ns / unit,
            (double)extract->to_ns / unit);
    keel_script_set(script, "ylabel",
                    extract->kind == &keel_plot_mpi ? "in MPI, % of the time"
                    : drawing->shares && counted    ? "share, iterations or rows"
                    : drawing->shares               ? "share, % of the iterations"
                    : drawing->of_ranks             ? "rate, iterations or rows (by weight) per s"
                                                    : "rate, iterations per s");
    fprintf(script, "set yrange [0:*]\nset grid\nset border 3\nset tics nomirror\n"
                    "set key outside right top vertical\n");
    return unit;
}

static int compare_series(const void *a, const void *b)
{
    return strverscmp(((const struct series *)a)->name, ((const struct series *)b)->name);
}

static void print_all(struct drawing *drawing, bool counted, FILE *script)
{
    const struct keel_extract *extract = drawing->extract;
    bool of_loop = !counted || drawing->of_loop;
    char title[1200];

    qsort(drawing->series, drawing->count, sizeof *drawing->series, compare_series);
    snprintf(title, sizeof title, "%s%s",
             of_loop ? keel_trace_data_text(extract->data, extract->loop) : "",
             drawing->left_out > 0 ? " (not all lines are shown)" : "");
    if (title[0] != '\0') {
        keel_script_set(script, "title", title);
    }
    double unit = print_axes(drawing, counted, script);
    for (size_t i = 0; i < drawing->count; i++) {
        print_series(drawing, i, unit, script);
    }
    fprintf(script, "plot ");
    for (size_t i = 0; i < drawing->count; i++) {
        fprintf(script, "%s$series%zu using 1:2 with steps lw 1.6 dt %zu lc rgb %u title ",
                i > 0 ? ", " : "", i, 1 + i / KEEL_SCRIPT_COLOURS, keel_script_colour(i));
        keel_script_quoted(script, drawing->series[i].name);
    }
    putc('\n', script);
}

static bool draw(const struct keel_extract *extract, FILE *script)
{
    static struct drawing drawing; /* there is one picture */
    bool counted = true;

    drawing.extract = extract;
    drawing.shares = extract->kind == &keel_plot_shares;
    if (extract->kind == &keel_plot_mpi) {
        for (uint32_t i = 0; i < extract->data->lanes; i++) {
            take_calls(&drawing, i);
        }
        if (drawing.count == 0) {
            keel_message("no calls of MPI are in that part of the trace; nothing is drawn");
        }
    } else {
        take_counters(&drawing);
        counted = drawing.count > 0;
        if (!counted && extract->loop == KEEL_NAME_LIST_NONE) {
            keel_message("the trace has neither loops nor %s; nothing is drawn",
                         drawing.shares ? "shares" : "rates");
        } else if (!counted) {
            take_chunks(&drawing);
        }
    }
    if (drawing.count > 0) {
        print_all(&drawing, counted, script);
    }
    return drawing.count > 0;
}

const struct keel_plot_kind keel_plot_rates = {.name = "rates", .height = 600, .draw = draw};
const struct keel_plot_kind keel_plot_shares = {.name = "shares", .height = 600, .draw = draw};
const struct keel_plot_kind keel_plot_mpi = {.name = "mpi", .height = 600, .draw = draw};
