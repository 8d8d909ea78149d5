/* What pictures of a trace are made of.
 *
 *   trace data -> extract (the part that is shown) -> a kind's script -> gnuplot -> FILE */
#ifndef OMP_EXT_COMMAND_PLOT_PLOT_H
#define OMP_EXT_COMMAND_PLOT_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "omp_ext/command/trace/trace.h"

/* --- which part of a trace is shown --- */

struct keel_extract {
    const struct keel_trace_data *data;
    const struct keel_plot_kind *kind;
    const char *place;                      /* what loops are called; NULL: all */
    uint64_t first_instance, last_instance; /* both are shown */
    int64_t from_ns, to_ns;                 /* since the trace began */
    uint32_t loop; /* of those of that name, that with most work; KEEL_NAME_LIST_NONE: no loop */
    const struct keel_span **chunk; /* of the loop, in these instances and that time, by threads */
    size_t chunks;
    uint64_t iterations;  /* the last one of all instances, + 1 */
    uint64_t first, last; /* instances that have some of these chunks */
    double executed;      /* iterations of all of them */
};

/* Whether there are chunks; if not, prints a message. */
bool keel_extract_has_chunks(const struct keel_extract *extract);

/* --- kinds of pictures --- */

/* One const descriptor at the end of each kind's own file, listed in plot.c. */
struct keel_plot_kind {
    const char *name;
    bool needs_loop; /* it is about iterations: a trace of rows alone cannot be drawn so */
    unsigned height; /* pixels, of a picture that is KEEL_PLOT_WIDTH wide */
    /* Writes commands for gnuplot, behind those for the picture's format. False, and a message:
     * there is nothing to draw. */
    bool (*draw)(const struct keel_extract *extract, FILE *script);
};

#define KEEL_PLOT_WIDTH 1200

extern const struct keel_plot_kind keel_plot_rates, keel_plot_shares, keel_plot_mpi;
extern const struct keel_plot_kind keel_plot_owners, keel_plot_profile;

/* --- scripts --- */

/* Colours that people who see colours otherwise can tell apart (Okabe & Ito 2008), as 0xRRGGBB. */
#define KEEL_SCRIPT_COLOURS 7

/* Colour `number`, and from KEEL_SCRIPT_COLOURS on from the beginning again. */
unsigned keel_script_colour(size_t number);

/* The text in gnuplot's single quotes, in which nothing is replaced. Control characters become
 * blanks, and single quotes typographic ones. */
void keel_script_quoted(FILE *script, const char *text);

/* set NAME 'TEXT' */
void keel_script_set(FILE *script, const char *name, const char *text);

/* What a thread is called beside others: "thread 1", or "rank 0, thread 1" where there are several
 * ranks. */
void keel_script_thread(const struct keel_trace_data *data, uint32_t lane, char *text, size_t size);

#endif
