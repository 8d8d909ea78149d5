/* Chunks as rows of a table; on a terminal each with a bar as long as the chunk is large. */
#ifndef OMP_EXT_COMMAND_PARTS_DRAWING_H
#define OMP_EXT_COMMAND_PARTS_DRAWING_H

#include "omp_ext/command/parts/sequence.h"

/* What a whole sequence comes to. */
struct keel_extent {
    uint64_t chunks;
    uint64_t rows; /* of the table */
    uint64_t largest, smallest;
    uint64_t folded; /* most chunks in one row; 0: none has several */
    bool cut;        /* there are more chunks than were counted */
    uint64_t left;   /* iterations in them */
};

struct keel_drawing {
    const struct keel_extent *extent;
    const struct keel_problem *problem;
    bool all;
    bool bound;            /* each chunk has its thread */
    bool colours, unicode; /* of the bars */
    unsigned bar_width;    /* characters; 0: no bars */
    int step_width, width; /* of the columns of steps, and of iterations */
    uint64_t row;
};

/* Whether a run is one row. */
bool keel_drawing_folds(const struct keel_chunk_run *run, bool all);

/* Prints the head of the table. Everything that is handed in must outlive the drawing. */
void keel_drawing_begin(struct keel_drawing *drawing, const struct keel_extent *extent,
                        const struct keel_problem *problem, bool all);

/* Prints the next run. Rows in the middle of a very long table are left out. */
void keel_drawing_run(struct keel_drawing *drawing, const struct keel_chunk_run *run);

#endif
