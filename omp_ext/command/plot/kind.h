/* What a picture is to `keel plot`: one const descriptor at the end of each kind's own file, listed
 * in plot.c. */
#ifndef OMP_EXT_COMMAND_PLOT_KIND_H
#define OMP_EXT_COMMAND_PLOT_KIND_H

#include <stdbool.h>
#include <stdio.h>

#include "omp_ext/command/plot/extract.h"

struct keel_plot_kind {
    const char *name;
    bool needs_time; /* a trace in CSV cannot be drawn so */
    bool needs_loop; /* it is about iterations: a trace of rows alone cannot be drawn so */
    /* Pixels from above to below of a picture that is 1200 wide. */
    unsigned (*height)(const struct keel_extract *extract);
    /* Writes commands for gnuplot, behind those for the picture's format. False, and a message:
     * there is nothing to draw, or no memory. */
    bool (*draw)(const struct keel_extract *extract, FILE *script);
};

#define KEEL_PLOT_WIDTH 1200

extern const struct keel_plot_kind keel_plot_gantt, keel_plot_rates, keel_plot_shares;
extern const struct keel_plot_kind keel_plot_owners, keel_plot_profile;

#endif
