#include "bench/apps/panels.h"

#include <string.h>

#include "bench/support/memory.h"

/* --- the integrand --- */

/* Peaks go along straight lines, to and fro; each its own way. */
static const struct peak {
    double x, y, to_x, to_y, height;
} peaks[] = {
    {0.15, 0.2, 0.85, 0.4, 1},
    {0.9, 0.85, 0.2, 0.7, 0.7},
    {0.5, 0.05, 0.55, 0.95, 0.4},
};

#define PEAKS (sizeof peaks / sizeof *peaks)

/* 0 .. 1 .. 0 while `time` goes from 0 to 1, and again. */
static double to_and_fro(double time)
{
    double part = time - (double)(int64_t)time;

    return part < 0.5 ? 2 * part : 2 - 2 * part;
}

double panels_value(const struct panels_task *task, double x, double y, double time)
{
    double value = 1, square = task->narrow * task->narrow, at = to_and_fro(time);

    for (size_t p = 0; p < PEAKS; p++) {
        double dx = x - (peaks[p].x + at * (peaks[p].to_x - peaks[p].x));
        double dy = y - (peaks[p].y + at * (peaks[p].to_y - peaks[p].y));
        value += peaks[p].height / (square + dx * dx + dy * dy);
    }
    return value;
}

/* --- panels --- */

/* A square. */
struct panel {
    double x, y, side;
    int level;
};

/* A walk through the panels of a cell, old ones and new ones. */
struct walk {
    const struct panels_task *task;
    double time;
    const uint8_t *old; /* the next one */
    struct panels_cell *cell;
    double allowed; /* error per area */
    uint64_t looks;
};

static double value_at(struct walk *walk, double x, double y)
{
    walk->looks++;
    return panels_value(walk->task, x, y, walk->time);
}

/* Simpson's rule in both directions. */
static double simpson(struct walk *walk, double x, double y, double side)
{
    static const double factor[3] = {1, 4, 1};
    double sum = 0;

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum += factor[i] * factor[j] * value_at(walk, x + i * side / 2, y + j * side / 2);
        }
    }
    return sum * side * side / 36;
}

static struct panel quarter(const struct panel *panel, int which)
{
    double half = panel->side / 2;

    return (struct panel){panel->x + which % 2 * half, panel->y + which / 2 * half, half,
                          panel->level + 1};
}

/* The sum over its quarters, if that is near enough to the whole: the panel need not be halved. */
static bool suffices(struct walk *walk, const struct panel *panel, double *integral)
{
    double whole = simpson(walk, panel->x, panel->y, panel->side), sum = 0;

    for (int q = 0; q < 4; q++) {
        struct panel part = quarter(panel, q);
        sum += simpson(walk, part.x, part.y, part.side);
    }
    double error = (sum - whole) / 15;
    *integral = sum;
    return (error < 0 ? -error : error) <= walk->allowed * panel->side * panel->side ||
           panel->level == PANELS_LEVEL_MAX;
}

static void add_panel(struct walk *walk, int level)
{
    struct panels_cell *cell = walk->cell;

    cell->level = memory_grow(cell->level, &cell->room, cell->count + 1, sizeof *cell->level);
    cell->level[cell->count++] = (uint8_t)level;
}

/* A panel that was one, or is new. */
static double integrate_fresh(struct walk *walk, const struct panel *panel)
{
    double integral;

    if (suffices(walk, panel, &integral)) {
        add_panel(walk, panel->level);
        return integral;
    }
    integral = 0;
    for (int q = 0; q < 4; q++) {
        struct panel part = quarter(panel, q);
        integral += integrate_fresh(walk, &part);
    }
    return integral;
}

/* A panel whose quarters were panels, or had some. Four that are left as they are become one again
 * where that suffices. */
static double integrate_panel(struct walk *walk, const struct panel *panel)
{
    int first = walk->cell->count;
    double integral = 0, joined;

    if (*walk->old == panel->level) {
        walk->old++;
        return integrate_fresh(walk, panel);
    }
    for (int q = 0; q < 4; q++) {
        struct panel part = quarter(panel, q);
        integral += integrate_panel(walk, &part);
    }
    if (walk->cell->count == first + 4 && suffices(walk, panel, &joined)) {
        walk->cell->count = first;
        add_panel(walk, panel->level);
        return joined;
    }
    return integral;
}

uint64_t panels_integrate(const struct panels_task *task, struct panels_cell *cell, double time)
{
    uint64_t across = (uint64_t)task->across;
    struct panel whole = {(double)(cell->number % across) / task->across,
                          (double)(cell->number / across) / task->across, 1.0 / task->across, 0};
    struct panels_cell last = *cell;
    struct walk walk = {task, time, last.level, cell, task->tolerance, 0};

    cell->level = NULL;
    cell->count = cell->room = 0;
    cell->integral = integrate_panel(&walk, &whole);
    cell->total += cell->integral;
    free(last.level);
    return walk.looks;
}

void panels_make(struct panels_cell *cell, uint64_t number)
{
    *cell = (struct panels_cell){.number = number, .count = 1, .room = 1};
    cell->level = memory_new(1, sizeof *cell->level);
    cell->level[0] = 0;
}

void panels_free(struct panels_cell *cell)
{
    free(cell->level);
    *cell = (struct panels_cell){0};
}

/* --- moving --- */

struct packed {
    uint64_t number;
    double integral, total;
    int64_t count;
};

size_t panels_size(const struct panels_cell *cell)
{
    return sizeof(struct packed) + (size_t)cell->count * sizeof *cell->level;
}

void panels_pack(const struct panels_cell *cell, void *buffer)
{
    struct packed packed = {cell->number, cell->integral, cell->total, cell->count};

    memcpy(buffer, &packed, sizeof packed);
    memcpy((char *)buffer + sizeof packed, cell->level, panels_size(cell) - sizeof packed);
}

bool panels_unpack(struct panels_cell *cell, const void *buffer)
{
    struct packed packed;

    memcpy(&packed, buffer, sizeof packed);
    *cell = (struct panels_cell){.number = packed.number,
                                 .integral = packed.integral,
                                 .total = packed.total,
                                 .count = (int)packed.count,
                                 .room = (int)packed.count};
    cell->level = malloc((size_t)packed.count * sizeof *cell->level);
    if (cell->level == NULL) {
        *cell = (struct panels_cell){0};
        return false;
    }
    memcpy(cell->level, (const char *)buffer + sizeof packed, panels_size(cell) - sizeof packed);
    return true;
}
