/* keel plot --kind owners: which thread computed which iterations of a loop, instance by instance. */
#include <math.h>
#include <stdlib.h>

#include "omp_ext/command/plot/kind.h"
#include "omp_ext/command/plot/script.h"
#include "omp_ext/command/trace/trace_label.h"
#include "omp_ext/support/message.h"

#define COLUMNS_MAX 1000
#define ROWS_MAX 400
#define NAMED_MAX 16 /* threads with a name beside their colour */

/* A cell stands for some iterations of some instances. */
struct cell {
    uint32_t lane; /* that has computed most of them, by a majority vote */
    float votes;   /* 0: nobody has */
};

struct map {
    const struct keel_selection *selection;
    uint64_t iterations;  /* of the loop */
    uint64_t first, last; /* instances */
    size_t rows, columns;
    struct cell *cell;
};

/* --- cells --- */

static void vote(struct cell *cell, uint32_t lane, double amount)
{
    if (cell->votes > 0 && cell->lane == lane) {
        cell->votes += (float)amount;
    } else if (cell->votes > amount) {
        cell->votes -= (float)amount;
    } else {
        cell->votes = (float)(amount - cell->votes);
        cell->lane = lane;
    }
}

static void take_chunk(struct map *map, const struct keel_span *span)
{
    double scale = (double)map->columns / (double)map->iterations;
    double from = (double)span->first * scale, to = (double)span->last * scale;
    double instances = (double)(map->last - map->first) + 1;
    size_t row = (size_t)((double)(span->instance - map->first) / instances * (double)map->rows);
    size_t end = (size_t)ceil(to) < map->columns ? (size_t)ceil(to) : map->columns;

    row = row < map->rows ? row : map->rows - 1;
    for (size_t column = (size_t)from; column < end; column++) {
        double part = fmin(to, (double)column + 1) - fmax(from, (double)column);
        vote(&map->cell[row * map->columns + column], span->lane, part);
    }
}

/* How many iterations the loop has, and which instances there are. False: there are no chunks. */
static bool find_extent(struct map *map)
{
    const struct keel_timeline *timeline = map->selection->timeline;

    map->first = UINT64_MAX;
    for (size_t i = 0; i < timeline->spans; i++) {
        const struct keel_span *span = &timeline->span[i];
        if (keel_selection_is_chunk(map->selection, span)) {
            map->iterations = span->last > map->iterations ? span->last : map->iterations;
            map->first = span->instance < map->first ? span->instance : map->first;
            map->last = span->instance > map->last ? span->instance : map->last;
        }
    }
    if (map->iterations == 0) {
        keel_message("no chunks of '%.200s' are in that part of the trace; nothing is drawn",
                     keel_timeline_text(timeline, map->selection->loop));
        return false;
    }
    map->columns = map->iterations < COLUMNS_MAX ? (size_t)map->iterations : COLUMNS_MAX;
    map->rows = map->last - map->first < ROWS_MAX ? (size_t)(map->last - map->first) + 1 : ROWS_MAX;
    return true;
}

static bool fill(struct map *map)
{
    const struct keel_timeline *timeline = map->selection->timeline;

    map->cell = calloc(map->rows * map->columns, sizeof *map->cell);
    if (map->cell == NULL) {
        keel_message("there is not enough memory for a picture");
        return false;
    }
    for (size_t i = 0; i < timeline->spans; i++) {
        if (keel_selection_is_chunk(map->selection, &timeline->span[i])) {
            take_chunk(map, &timeline->span[i]);
        }
    }
    return true;
}

/* --- the picture --- */

/* Few threads have colours that are told apart, many a scale from dark to light. */
static void print_colours(const struct map *map, FILE *script)
{
    const struct keel_timeline *timeline = map->selection->timeline;
    size_t lanes = timeline->lanes, every = (lanes + NAMED_MAX - 1) / NAMED_MAX;
    char thread[KEEL_TRACE_LABEL_MAX], text[KEEL_TRACE_LABEL_MAX + 64];

    if (lanes <= KEEL_SCRIPT_COLOURS) {
        fprintf(script, "set palette maxcolors %zu defined (", lanes);
        for (size_t i = 0; i < lanes; i++) {
            fprintf(script, "%s%zu '#%06x', %zu '#%06x'", i > 0 ? ", " : "", i,
                    keel_script_colour(i), i + 1, keel_script_colour(i));
        }
        fprintf(script, ")\n");
    } else {
        fprintf(script,
                "set palette maxcolors %zu defined (0 '#00204d', 1 '#31446b', 2 '#666970', "
                "3 '#958f78', 4 '#cbba69', 5 '#ffea46')\n",
                lanes < 256 ? lanes : 256);
    }
    fprintf(script, "set cbrange [-0.5:%zu.5]\nset cbtics () scale 0\n", lanes - 1);
    for (size_t i = 0; i < lanes; i += every) {
        const struct keel_timeline_process *process = &timeline->process[timeline->lane[i].process];
        keel_trace_label_thread(timeline, (uint32_t)i, thread);
        snprintf(text, sizeof text, timeline->processes > 1 ? "rank %lld, %.40s" : "%.0lld%.40s",
                 (long long)(timeline->processes > 1 ? process->pid : 0), thread);
        fprintf(script, "set cbtics add (");
        keel_script_quoted(script, text);
        fprintf(script, " %zu)\n", i);
    }
}

/* x, y and thread of each cell; the first instance stands at the bottom. */
static void print_cells(const struct map *map, FILE *script)
{
    fprintf(script, "$owners << END\n");
    for (size_t row = 0; row < map->rows; row++) {
        for (size_t column = 0; column < map->columns; column++) {
            const struct cell *cell = &map->cell[row * map->columns + column];
            if (cell->votes > 0) {
                fprintf(script, "%u ", (unsigned)cell->lane);
            } else {
                fprintf(script, "-1 ");
            }
        }
        putc('\n', script);
    }
    fprintf(script, "END\n");
}

static bool draw(const struct keel_selection *selection, FILE *script)
{
    struct map map = {.selection = selection};

    if (!find_extent(&map) || !fill(&map)) {
        return false;
    }
    double x_step = (double)map.iterations / (double)map.columns;
    double y_step = ((double)(map.last - map.first) + 1) / (double)map.rows;
    keel_script_set(script, "title", keel_timeline_text(selection->timeline, selection->loop));
    fprintf(script,
            "set xlabel 'iteration'\nset ylabel 'instance'\nset tics out nomirror\nunset key\n"
            "set xrange [0:%.12g]\nset yrange [%.12g:%.12g]\n",
            (double)map.iterations, (double)map.first - 0.5, (double)map.last + 0.5);
    print_colours(&map, script);
    print_cells(&map, script);
    fprintf(script,
            "plot $owners matrix using (($1 + 0.5) * %.12g):(%.12g + ($2 + 0.5) * %.12g):"
            "($3 < 0 ? NaN : $3) with "
            "image\n",
            x_step, (double)map.first - 0.5, y_step);
    free(map.cell);
    return true;
}

static unsigned height(const struct keel_selection *selection)
{
    (void)selection;
    return 700;
}

const struct keel_plot_kind keel_plot_owners = {
    .name = "owners",
    .height = height,
    .draw = draw,
};
