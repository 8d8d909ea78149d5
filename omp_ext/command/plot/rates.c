/* keel plot --kind rates and shares: how fast threads or ranks computed, and how much each got,
 * over time. What the counters of the trace say; without them, what chunks come to in each
 * instance. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/plot/plot.h"
#include "omp_ext/support/message.h"

#define SERIES_MAX 40    /* lines that a picture shows */
#define POINTS_MAX 4800  /* of all lines; of more, neighbours are averaged */
#define POINTS_LEAST 150 /* of a line, nevertheless */
#define NAME_MAX_BYTES 128

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
    FILE *script;
    size_t count, left_out;
    struct series series[SERIES_MAX];
    bool of_loop;  /* there are counters of the loop, */
    bool of_ranks; /* and of ranks: of loops that they share, or of rows */
    bool full;     /* there is no memory */
    double unit;   /* of x, ns; 1: x is an instance */
};

static void add_point(struct drawing *drawing, struct series *series, double x, double value)
{
    if ((series->count & (series->count - 1)) == 0) {
        size_t room = series->count > 0 ? 2 * series->count : 1;
        struct point *larger = realloc(series->point, room * sizeof *larger);
        if (larger == NULL) {
            drawing->full = true;
            return;
        }
        series->point = larger;
    }
    series->point[series->count++] = (struct point){x, value};
}

/* --- counters of the trace --- */

static void name_series(const struct drawing *drawing, const struct keel_trace_data_point *point,
                        char *name, size_t size)
{
    const struct keel_trace_data *data = drawing->extract->data;
    const char *own = keel_trace_data_text(data, point->series);
    bool of_rank = point->series == point->counter;

    if (data->processes > 1) {
        snprintf(name, size, "rank %lld%s%.60s", (long long)data->process[point->process].pid,
                 of_rank ? "" : ", ", of_rank ? "" : own);
    } else {
        snprintf(name, size, "%.60s", own);
    }
}

/* The line that a point belongs to, which is added if it is not there; NULL: there is no room. */
static struct series *series_of(struct drawing *drawing, const struct keel_trace_data_point *point)
{
    char name[sizeof drawing->series[0].name];

    name_series(drawing, point, name, sizeof name);
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

static void take_counters(struct drawing *drawing, const char *counter)
{
    const struct keel_extract *extract = drawing->extract;

    for (size_t i = 0; i < extract->data->points; i++) {
        const struct keel_trace_data_point *point = &extract->data->point[i];
        if (strcmp(keel_trace_data_text(extract->data, point->counter), counter) != 0 ||
            (point->loop != KEEL_NAME_LIST_NONE && point->loop != extract->loop) ||
            (point->loop == KEEL_NAME_LIST_NONE && extract->place != NULL) ||
            point->time_ns < extract->from_ns || point->time_ns > extract->to_ns) {
            continue;
        }
        struct series *series = series_of(drawing, point);
        drawing->of_loop |= point->loop != KEEL_NAME_LIST_NONE;
        drawing->of_ranks |= point->loop == KEEL_NAME_LIST_NONE;
        if (series != NULL) {
            add_point(drawing, series, (double)point->time_ns, point->value);
        }
    }
}

/* --- what chunks come to --- */

/* One thread's part in an instance. */
struct part {
    uint64_t instance;
    double iterations, time_ns, end_ns;
};

static double value_of(const struct part *part, double whole, bool shares)
{
    return shares              ? 100 * part->iterations / whole
           : part->time_ns > 0 ? part->iterations / part->time_ns * 1e9
                               : 0;
}

/* Iterations of each instance, by number from the first one that is shown. NULL: there is no
 * memory. */
static double *iterations_of_instances(const struct keel_extract *extract, size_t count)
{
    double *iterations = calloc(count, sizeof *iterations);

    for (size_t i = 0; iterations != NULL && i < extract->data->spans; i++) {
        const struct keel_span *span = &extract->data->span[i];
        if (keel_extract_is_chunk(extract, span) &&
            span->instance - extract->first_instance < count) {
            iterations[span->instance - extract->first_instance] +=
                (double)(span->last - span->first);
        }
    }
    return iterations;
}

static void end_part(struct drawing *drawing, struct series *series, const struct part *part,
                     const double *whole, bool shares)
{
    bool timed = drawing->extract->data->timed;

    if (part->iterations > 0) {
        add_point(drawing, series, timed ? part->end_ns : (double)part->instance,
                  value_of(part, whole[part->instance - drawing->extract->first_instance], shares));
    }
}

static void take_lane(struct drawing *drawing, const struct keel_trace_data_lane *lane,
                      struct series *series, const double *whole, size_t instances, bool shares)
{
    const struct keel_extract *extract = drawing->extract;
    struct part part = {0};

    for (size_t i = 0; i < lane->spans; i++) {
        const struct keel_span *span = &extract->data->span[lane->first_span + i];
        if (!keel_extract_is_chunk(extract, span) ||
            span->instance - extract->first_instance >= instances) {
            continue;
        }
        if (span->instance != part.instance) {
            end_part(drawing, series, &part, whole, shares);
            part = (struct part){.instance = span->instance};
        }
        part.iterations += (double)(span->last - span->first);
        part.time_ns += (double)span->length_ns;
        part.end_ns = (double)(span->start_ns + span->length_ns);
    }
    end_part(drawing, series, &part, whole, shares);
}

static uint64_t last_instance(const struct keel_extract *extract)
{
    uint64_t last = extract->first_instance;

    for (size_t i = 0; i < extract->data->spans; i++) {
        const struct keel_span *span = &extract->data->span[i];
        if (keel_extract_is_chunk(extract, span) && span->instance > last) {
            last = span->instance;
        }
    }
    return last;
}

static void take_chunks(struct drawing *drawing, bool shares)
{
    const struct keel_extract *extract = drawing->extract;
    const struct keel_trace_data *data = extract->data;
    uint64_t span = last_instance(extract) - extract->first_instance;
    size_t instances =
        (size_t)(span < KEEL_TRACE_DATA_SPANS_MAX ? span + 1 : KEEL_TRACE_DATA_SPANS_MAX);
    double *whole = iterations_of_instances(extract, instances);

    drawing->full = whole == NULL;
    for (size_t i = 0; whole != NULL && i < data->lanes; i++) {
        if (drawing->count == SERIES_MAX) {
            drawing->left_out++;
            continue;
        }
        struct series *series = &drawing->series[drawing->count];
        keel_script_thread(data, (uint32_t)i, series->name, sizeof series->name);
        take_lane(drawing, &data->lane[i], series, whole, instances, shares);
        drawing->count += series->count > 0;
    }
    free(whole);
}

/* --- the picture --- */

/* Averages of neighbours where a line has many points. */
static void print_series(const struct drawing *drawing, size_t number)
{
    const struct series *series = &drawing->series[number];
    FILE *script = drawing->script;
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
        fprintf(script, "%.12g %.9g\n", series->point[i].x / drawing->unit, sum / (double)count);
    }
    fprintf(script, "END\n");
}

static void print_lines(const struct drawing *drawing)
{
    fprintf(drawing->script, "plot ");
    for (size_t i = 0; i < drawing->count; i++) {
        fprintf(drawing->script, "%s$series%zu using 1:2 with steps lw 1.6 dt %zu lc rgb %u title ",
                i > 0 ? ", " : "", i, 1 + i / KEEL_SCRIPT_COLOURS, keel_script_colour(i));
        keel_script_quoted(drawing->script, drawing->series[i].name);
    }
    putc('\n', drawing->script);
}

static void print_title(const struct drawing *drawing, bool counted)
{
    char title[1200], rest[64] = "";
    const struct keel_extract *extract = drawing->extract;

    if (drawing->left_out > 0) {
        snprintf(rest, sizeof rest, " (the first %d lines)", SERIES_MAX);
    }
    snprintf(title, sizeof title, "%s%s",
             counted && !drawing->of_loop ? "" : keel_trace_data_text(extract->data, extract->loop),
             rest);
    if (title[0] != '\0') {
        keel_script_set(drawing->script, "title", title);
    }
}

static void print_axes(struct drawing *drawing, bool shares, bool counted)
{
    const struct keel_extract *extract = drawing->extract;
    FILE *script = drawing->script;

    if (extract->data->timed) {
        drawing->unit = keel_script_time(script, extract->to_ns - extract->from_ns);
        fprintf(script, "set xrange [%.12g:%.12g]\n", (double)extract->from_ns / drawing->unit,
                (double)extract->to_ns / drawing->unit);
    } else {
        drawing->unit = 1;
        keel_script_set(script, "xlabel", "instance");
    }
    keel_script_set(script, "ylabel",
                    shares && counted   ? "share, iterations or rows"
                    : shares            ? "share, % of the iterations"
                    : drawing->of_ranks ? "rate, iterations or rows (by weight) per s"
                                        : "rate, iterations per s");
    fprintf(script, "set yrange [0:*]\nset grid\nset border 3\nset tics nomirror\n"
                    "set key outside right top vertical\n");
}

static int compare_series(const void *a, const void *b)
{
    return strverscmp(((const struct series *)a)->name, ((const struct series *)b)->name);
}

static void print_all(struct drawing *drawing, bool shares, bool counted)
{
    qsort(drawing->series, drawing->count, sizeof *drawing->series, compare_series);
    print_title(drawing, counted);
    print_axes(drawing, shares, counted);
    for (size_t i = 0; i < drawing->count; i++) {
        print_series(drawing, i);
    }
    print_lines(drawing);
}

/* What the counters say, or else what chunks come to. False: nothing does, which is said. */
static bool gather(struct drawing *drawing, bool shares, bool *counted)
{
    const struct keel_extract *extract = drawing->extract;

    take_counters(drawing, shares ? "share" : "rate");
    *counted = drawing->count > 0;
    if (!*counted) {
        take_chunks(drawing, shares);
    }
    if (drawing->full) {
        keel_message("there is not enough memory for a picture");
    } else if (drawing->count == 0 && extract->loop == KEEL_NAME_LIST_NONE) {
        keel_message("the trace has neither loops nor %s; nothing is drawn",
                     shares ? "shares" : "rates");
    } else if (drawing->count == 0) {
        keel_extract_say_empty(extract);
    }
    return drawing->count > 0 && !drawing->full;
}

static bool draw(const struct keel_extract *extract, FILE *script, bool shares)
{
    struct drawing *drawing = calloc(1, sizeof *drawing);
    bool counted, gathered;

    if (drawing == NULL) {
        keel_message("there is not enough memory for a picture");
        return false;
    }
    drawing->extract = extract;
    drawing->script = script;
    gathered = gather(drawing, shares, &counted);
    if (gathered) {
        print_all(drawing, shares, counted);
    }
    for (size_t i = 0; i < SERIES_MAX; i++) {
        free(drawing->series[i].point);
    }
    free(drawing);
    return gathered;
}

static bool draw_rates(const struct keel_extract *extract, FILE *script)
{
    return draw(extract, script, false);
}

static bool draw_shares(const struct keel_extract *extract, FILE *script)
{
    return draw(extract, script, true);
}

const struct keel_plot_kind keel_plot_rates = {
    .name = "rates",
    .height = 600,
    .draw = draw_rates,
};

const struct keel_plot_kind keel_plot_shares = {
    .name = "shares",
    .height = 600,
    .draw = draw_shares,
};
