/* The loops that KEEL_EXPLAIN tells of: by time, each place in the source once, and how many of
 * them matter.
 *
 *   figures of the process (report/figures.h) -> [loops] -> paragraphs (explain.c)
 *
 * Pure; any thread. */
#ifndef OMP_EXT_EXPLAIN_LOOPS_H
#define OMP_EXT_EXPLAIN_LOOPS_H

#include "omp_ext/report/figures.h"

#define KEEL_EXPLAIN_LOOPS_MAX 12        /* that get a paragraph */
#define KEEL_EXPLAIN_PART_EXPLAINED 0.95 /* of the loops' time, that they make up */
#define KEEL_EXPLAIN_NAME_MAX 400

/* A place, with all that the program has done there: in several regions, or by several teams at
 * the same time. */
struct keel_explained_loop {
    struct keel_report_loop figures;   /* together; names and schedule of what took longest there */
    struct keel_report_thread *thread; /* figures.thread */
    double longest_s;                  /* what that took */
    char name[KEEL_EXPLAIN_NAME_MAX];  /* "mandel.c:42 (render)", as keel_site_name() writes it */
};

struct keel_explained_loops {
    size_t count, shown;              /* those before `shown` matter */
    double elapsed_s;                 /* of all */
    struct keel_explained_loop *loop; /* longest first */
};

/* One loop by itself; its figures are those of `loop`, and its threads a copy of its own, to be
 * freed (NULL: no memory). */
void keel_explained_loop_begin(struct keel_explained_loop *explained,
                               const struct keel_report_loop *loop);

/* Loops, and regions and their parts that hold none. Regions that hold loops are told of by these.
 * Without memory there are none. */
struct keel_explained_loops keel_explained_loops_of(const struct keel_report_process *process);

void keel_explained_loops_free(struct keel_explained_loops *loops);

#endif
