/* A thread's time as bars for a picture: spans that are wide enough as they are, shorter ones
 * summed up by columns of the picture.
 *
 *   spans of a thread -> [bars] -> picture */
#ifndef OMP_EXT_COMMAND_PLOT_BARS_H
#define OMP_EXT_COMMAND_PLOT_BARS_H

#include <stdbool.h>
#include <stdint.h>

#include "omp_ext/command/plot/extract.h"

/* Of a column, `work` is the part of its time that the thread computed, most of it in loop `name`,
 * and `wait` the part that it waited. */
struct keel_bar {
    double from_ns, to_ns;
    double work, wait; /* 0 to 1, together at most 1 */
    uint32_t name;
    bool exact; /* one span alone */
};

/* Calls take(context, bar) for each bar of a thread, by their starts, in at most `columns` columns
 * of equal width. */
void keel_bars_of(const struct keel_extract *extract, const struct keel_trace_data_lane *lane,
                  unsigned columns, void (*take)(void *context, const struct keel_bar *bar),
                  void *context);

#endif
