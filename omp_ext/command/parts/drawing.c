/* Chunks as rows of a table. */
#include "omp_ext/command/parts/drawing.h"

#include <stdio.h>

#include "omp_ext/command/parts/terminal.h"

#define FOLD_FROM 9 /* equal chunks in a row */
#define ROWS_FIRST 100
#define ROWS_LAST 20
#define TIMES_WIDTH 22 /* "x " and 20 digits at most; as wide as the run needs otherwise */
#define BAR_MIN 8

bool keel_drawing_folds(const struct keel_chunk_run *run, bool all)
{
    return !all && run->chunks >= FOLD_FROM;
}

static int digits(uint64_t number)
{
    int count = 1;

    while (number >= 10) {
        number /= 10;
        count++;
    }
    return count;
}

static int at_least(int width, int minimum)
{
    return width > minimum ? width : minimum;
}

/* Width of the column of "x 128". */
static int times_width(const struct keel_drawing *drawing)
{
    return drawing->extent->folded > 0 ? 2 + digits(drawing->extent->folded) : 0;
}

static void choose_bars(struct keel_drawing *drawing)
{
    int used = drawing->step_width + 3 * drawing->width + 3 + times_width(drawing) + 1 +
               (drawing->bound ? 8 : 0) + 2;
    int rest = (int)keel_terminal_width() - used;

    drawing->bar_width = keel_terminal_is() && rest >= BAR_MIN ? (unsigned)rest : 0;
    drawing->colours = keel_terminal_colours();
    drawing->unicode = keel_terminal_unicode();
}

void keel_drawing_begin(struct keel_drawing *drawing, const struct keel_extent *extent,
                        const struct keel_problem *problem, bool all)
{
    *drawing = (struct keel_drawing){
        .extent = extent,
        .problem = problem,
        .all = all,
        .bound = problem->spec->schedule->claim != KEEL_CLAIM_STEPS,
        .step_width = at_least(digits(extent->chunks), 4),
        .width = at_least(digits(problem->iterations), 5),
    };
    choose_bars(drawing);
    if (extent->chunks > 0) {
        printf("%*s %*s %*s %*s", drawing->step_width, "STEP", drawing->width, "FIRST",
               drawing->width, "LAST", drawing->width, "SIZE");
        if (drawing->bound) {
            printf("%*s  THREAD", times_width(drawing) + (extent->folded > 0), "");
        }
        putchar('\n');
    }
}

/* Eighths of a character are drawn by U+258F (one eighth) to U+2588 (all of it). */
static void print_bar(const struct keel_drawing *drawing, uint64_t size)
{
    double part = (double)size / (double)drawing->extent->largest;
    unsigned eighths = (unsigned)(part * drawing->bar_width * 8 + 0.5);

    eighths = eighths > 0 ? eighths : 1;
    for (; drawing->unicode && eighths >= 8; eighths -= 8) {
        printf("\u2588");
    }
    if (drawing->unicode && eighths > 0) {
        printf("\xe2\x96%c", 0x90 - (int)eighths);
    }
    for (unsigned i = 0; !drawing->unicode && i < (eighths + 7) / 8; i++) {
        putchar('#');
    }
}

/* Threads take turns in six colours; chunks that anyone may get have one. */
static void print_coloured_bar(const struct keel_drawing *drawing, const struct keel_chunk_run *run)
{
    unsigned colour = drawing->bound ? (unsigned)(run->thread % 6) : 5;

    if (drawing->colours) {
        printf("\033[%um", 31 + colour);
    }
    print_bar(drawing, run->size);
    if (drawing->colours) {
        printf("\033[0m");
    }
}

static void print_thread(const struct keel_chunk_run *run)
{
    if (run->chunks == 1) {
        printf("  %6llu", (unsigned long long)run->thread);
    } else {
        printf("  %6s", "turns");
    }
}

static void print_row(const struct keel_drawing *drawing, const struct keel_chunk_run *run)
{
    char times[TIMES_WIDTH + 1] = "";
    uint64_t last = run->first + run->size * run->chunks - 1;

    printf("%*llu %*llu %*llu %*llu", drawing->step_width, (unsigned long long)run->step,
           drawing->width, (unsigned long long)run->first, drawing->width, (unsigned long long)last,
           drawing->width, (unsigned long long)run->size);
    if (run->chunks > 1) {
        snprintf(times, sizeof times, "x %llu", (unsigned long long)run->chunks);
    }
    bool more = drawing->bound || drawing->bar_width > 0;
    if (drawing->extent->folded > 0 && (more || run->chunks > 1)) {
        printf(" %-*s", more ? times_width(drawing) : 0, times);
    }
    if (drawing->bound) {
        print_thread(run);
    }
    if (drawing->bar_width > 0) {
        printf("  ");
        print_coloured_bar(drawing, run);
    }
    putchar('\n');
}

static bool in_the_middle(const struct keel_drawing *drawing)
{
    return !drawing->all && drawing->extent->rows > 2 * ROWS_FIRST && drawing->row >= ROWS_FIRST &&
           drawing->row < drawing->extent->rows - ROWS_LAST;
}

static void next_row(struct keel_drawing *drawing, const struct keel_chunk_run *run)
{
    if (!in_the_middle(drawing)) {
        print_row(drawing, run);
    } else if (drawing->row == ROWS_FIRST) {
        printf("%*s %llu rows are left out here; --all prints every chunk\n", drawing->step_width,
               "...", (unsigned long long)(drawing->extent->rows - ROWS_FIRST - ROWS_LAST));
    }
    drawing->row++;
}

void keel_drawing_run(struct keel_drawing *drawing, const struct keel_chunk_run *run)
{
    if (keel_drawing_folds(run, drawing->all)) {
        next_row(drawing, run);
        return;
    }
    for (uint64_t i = 0; i < run->chunks; i++) {
        next_row(drawing,
                 &(struct keel_chunk_run){.step = run->step + i,
                                          .first = run->first + i * run->size,
                                          .size = run->size,
                                          .chunks = 1,
                                          .thread = (run->thread + i) % drawing->problem->threads});
    }
}
