/* keel plot --kind owners: which thread computed which iterations of a loop, instance by
 * instance. */
#include <math.h>
#include <stdlib.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/plot/plot.h"

#define COLUMNS_MAX 1000
#define ROWS_MAX 400
#define INSTANCES_NUMBERED 12 /* fewer have a number each */
#define LABEL_MAX 128         /* bytes */
#define NAMED_MAX 16          /* threads with a name beside their colour */

/* A cell is some iterations of some instances. */
struct cell {
    uint32_t
        lane; /* that has computed most of them, by a majority vote; KEEL_NAME_LIST_NONE: none */
    float votes;
};

struct map {
    const struct keel_extract *extract;
    double instances;
    size_t maps;          /* one, or one per process where each runs the whole loop by itself */
    size_t rows, columns; /* rows of one map */
    struct cell *cell;
};

/* --- cells --- */

static void vote(struct cell *cell, uint32_t lane, double amount)
{
    if (cell->lane == lane) {
        cell->votes += (float)amount;
    } else if (cell->lane != KEEL_NAME_LIST_NONE && cell->votes >= amount) {
        cell->votes -= (float)amount;
    } else {
        cell->votes = (float)(amount - cell->votes);
        cell->lane = lane;
    }
}

static void take_chunk(const struct map *map, const struct keel_span *span)
{
    double scale = (double)map->columns / (double)map->extract->iterations;
    double from = (double)span->first * scale, to = (double)span->last * scale;
    double instance = (double)(span->instance - map->extract->first);
    size_t row = (size_t)(instance / map->instances * (double)map->rows);
    size_t end = (size_t)ceil(to) < map->columns ? (size_t)ceil(to) : map->columns;

    row = row < map->rows ? row : map->rows - 1;
    if (map->maps > 1) {
        row += map->rows * map->extract->data->lane[span->lane].process;
    }
    for (size_t column = (size_t)from; column < end; column++) {
        double part = fmin(to, (double)column + 1) - fmax(from, (double)column);
        vote(&map->cell[row * map->columns + column], span->lane, part);
    }
}

/* Ranks that share a loop have disjoint iterations of each instance; others have more in all than
 * the loop has, as each runs all of it. */
static void choose_size(struct map *map)
{
    const struct keel_extract *extract = map->extract;
    size_t processes = extract->data->processes, most = ROWS_MAX;

    map->instances = (double)(extract->last - extract->first) + 1;
    double all = (double)extract->iterations * map->instances;
    map->maps = processes > 1 && extract->executed > 1.01 * all ? processes : 1;
    most = map->maps < most ? most / map->maps : 1;
    map->columns = extract->iterations < COLUMNS_MAX ? (size_t)extract->iterations : COLUMNS_MAX;
    map->rows = map->instances < (double)most ? (size_t)map->instances : most;
}

static void fill(struct map *map)
{
    map->cell = keel_command_memory(map->maps * map->rows * map->columns, sizeof *map->cell);
    for (size_t i = 0; i < map->maps * map->rows * map->columns; i++) {
        map->cell[i] = (struct cell){.lane = KEEL_NAME_LIST_NONE};
    }
    for (size_t i = 0; i < map->extract->chunks; i++) {
        take_chunk(map, map->extract->chunk[i]);
    }
}

/* --- the picture --- */

/* Few threads have colours that differ clearly, many a scale from dark to light. */
static void print_colours(const struct map *map, FILE *script)
{
    const struct keel_trace_data *data = map->extract->data;
    size_t lanes = data->lanes, every = (lanes + NAMED_MAX - 1) / NAMED_MAX;
    char text[LABEL_MAX];

    if (lanes <= KEEL_SCRIPT_COLOURS) {
        fprintf(script, "set palette maxcolors %zu defined (", lanes > 1 ? lanes : 2);
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
        keel_script_thread(data, (uint32_t)i, text, sizeof text);
        fprintf(script, "set cbtics add (");
        keel_script_quoted(script, text);
        fprintf(script, " %zu)\n", i);
    }
}

static void print_row(const struct map *map, size_t row, size_t times, FILE *script)
{
    for (size_t i = 0; i < times * map->columns; i++) {
        uint32_t lane = map->cell[row * map->columns + i / times].lane;
        if (lane != KEEL_NAME_LIST_NONE) {
            fprintf(script, "%u ", (unsigned)lane);
        } else {
            fprintf(script, "-1 ");
        }
    }
    putc('\n', script);
}

/* The thread of each cell, -1 for none; the first instance is at the bottom. gnuplot draws no
 * image of one row or column: these are doubled. */
static void print_cells(const struct map *map, FILE *script)
{
    size_t rows = map->maps * map->rows, times = rows == 1 ? 2 : 1;
    size_t across = map->columns == 1 ? 2 : 1;
    double x_step = (double)map->extract->iterations / (double)(across * map->columns);
    double y_step = map->instances / (double)(times * map->rows);

    fprintf(script, "$owners << END\n");
    for (size_t i = 0; i < times * rows; i++) {
        print_row(map, i / times, across, script);
    }
    fprintf(script,
            "END\nplot $owners matrix using (($1 + 0.5) * %.12g):(%.12g + ($2 + 0.5) * %.12g):"
            "($3 < 0 ? NaN : $3) with image\n",
            x_step, (double)map->extract->first - 0.5, y_step);
}

/* Where ranks are above each other, they are named in place of instances. */
static void print_axes(const struct map *map, FILE *script)
{
    const struct keel_trace_data *data = map->extract->data;
    const double first = (double)map->extract->first;

    fprintf(script, "set xlabel 'iteration'\nset xrange [0:%.12g]\nset tics out nomirror\n",
            (double)map->extract->iterations);
    fprintf(script, "set ylabel 'instance%s'\nset yrange [%.12g:%.12g]\n",
            map->maps > 1 ? " of each rank" : "", first - 0.5,
            first - 0.5 + map->instances * (double)map->maps);
    if (map->maps == 1) {
        fputs(map->instances < INSTANCES_NUMBERED ? "set ytics 1\n" : "", script);
        return;
    }
    fprintf(script, "set ytics ()\n");
    for (size_t i = 0; i < map->maps; i++) {
        double base = first + (double)i * map->instances;
        fprintf(script, "set ytics add ('rank %lld' %.12g)\n", (long long)data->process[i].pid,
                base + (map->instances - 1) / 2);
        fprintf(script,
                "set arrow from graph 0, first %.12g to graph 1, first %.12g nohead front "
                "lw 1.5 lc rgb 'white'\n",
                base - 0.5, base - 0.5);
    }
}

static bool draw(const struct keel_extract *extract, FILE *script)
{
    struct map map = {.extract = extract};

    if (!keel_extract_has_chunks(extract)) {
        return false;
    }
    choose_size(&map);
    fill(&map);
    keel_script_set(script, "title", keel_trace_data_text(extract->data, extract->loop));
    fprintf(script, "unset key\nset rmargin at screen 0.82\n");
    print_axes(&map, script);
    print_colours(&map, script);
    print_cells(&map, script);
    return true;
}

const struct keel_plot_kind keel_plot_owners = {
    .name = "owners",
    .needs_loop = true,
    .height = 700,
    .draw = draw,
};
