/* What pipelined sweeps have shown, and the block size of the next one (papers/README.md S5).
 *
 *   times of blocks -> [costs] -> figures of all ranks -> [filling] -> pipeline.h -> block size
 *
 * Two things beside S5, which assumes that a block takes as long as its elements, and that workers
 * wait P - 1 blocks for their first one:
 *
 * - A block costs something by itself: each of its rows is a loop that starts, and other memory.
 *   Blocks of two widths in one sweep tell how much. It counts as part of t_fixed.
 * - Where sweeps follow each other without a barrier, a worker begins the next one while those
 *   behind it are at this one, and waits for about one block. The number of steps that a sweep
 *   loses to waiting, F, is estimated from the waiting; F + 1 workers are what the model is asked
 *   about.
 *
 * Pure: times come from the caller. */
#ifndef KEEL_SCHEDULES_MODEL_SWEEP_H
#define KEEL_SCHEDULES_MODEL_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

/* --- how a sweep is cut --- */

/* Elements 0 .. m - 1 in the order of the sweep, in blocks of `size`; but from other_first to
 * other_last in blocks of `other`. The last of either kind may be smaller. */
struct keel_sweep_cut {
    uint64_t elements;                       /* m */
    uint64_t size;                           /* >= 1 */
    uint64_t other, other_first, other_last; /* equal: there are none */
};

/* probe: with some blocks of another width: quarters of a block, or blocks of four where that has
 * less than four elements. The first block is none of them. */
struct keel_sweep_cut keel_sweep_cut(uint64_t elements, uint64_t size, bool probe);

/* How wide the block is that begins at `from`, a beginning of a block or m; 0 at m. */
uint64_t keel_sweep_width(const struct keel_sweep_cut *cut, uint64_t from);

/* --- what blocks cost on one rank --- */

/* A row's part of a block takes (start + width) element_s. Begins as {0}. */
struct keel_sweep_costs {
    uint64_t width[2]; /* that samples are of: most blocks, and the others; 0: none */
    double row_s[2];   /* smallest time of a row's part of such a block; 0: not measured */
    double sweep_s[2]; /* the same, of the present sweep */
    double start;      /* in elements */
    double element_s;  /* t_iteration by the last sweep that measured it; 0: not measured */
};

/* A sweep begins. Other widths than before: what is known of the old ones is kept in `start` and
 * `element_s` alone. */
void keel_sweep_costs_begin(struct keel_sweep_costs *costs, const struct keel_sweep_cut *cut);

/* Notes a block of `rows` rows. Times that are not > 0 and finite are ignored, and so are other
 * widths. */
void keel_sweep_costs_note(struct keel_sweep_costs *costs, uint64_t rows, uint64_t width,
                           double time_s);

/* The sweep has ended. Smallest times count, which a competing load has disturbed least; element_s
 * follows a load that stays. */
void keel_sweep_costs_end(struct keel_sweep_costs *costs);

/* --- what all ranks tell --- */

/* Of one sweep; >= 0. Those of all ranks together are the maxima of each. */
struct keel_sweep_figures {
    double column_s; /* an element of every own row */
    double start_s;  /* a block's beginning, on every own row */
    double blocks;   /* in the sweep */
    double busy_s;   /* computing in it, and the least that messages take of a rank's time */
    double span_s;   /* the rank's sweep from beginning to end */
};

/* Steps that a sweep loses while its pipeline fills. Begins as {0}. */
#define KEEL_SWEEP_FILLINGS 3
struct keel_sweep_filling {
    double step[KEEL_SWEEP_FILLINGS]; /* the latest ones; 0: none */
    unsigned next;
};

/* Notes a sweep, from figures of all ranks. Who is busy longest waits for nothing but the pipeline;
 * others may wait longer. hop_s: from the end of a block to the beginning of the same on the next
 * rank. */
void keel_sweep_filling_note(struct keel_sweep_filling *filling,
                             const struct keel_sweep_figures *all, double hop_s);

/* F: the smallest of the latest, as other processes take time, too; 1 .. workers - 1, the highest
 * where nothing is known. workers >= 2. */
double keel_sweep_filling_steps(const struct keel_sweep_filling *filling, uint32_t workers);

/* --- the next size --- */

struct keel_sweep_messages {
    double fixed_s; /* what an empty message adds to a step */
    double incr_s;  /* and each element of a border */
    double hop_s;   /* an empty message on its way, until it is received */
};

/* Elements in a block of the next sweep over m = `elements` >= 1 by `workers` >= 1 ranks, by
 * column_s and start_s of all; while these are 0, so many blocks per worker as
 * KEEL_PIPELINE_UNKNOWN_BLOCKS says. size: the present one, which stays unless the other is better
 * by more than 1 %; 0: none. */
uint64_t keel_sweep_size(const struct keel_sweep_messages *messages,
                         const struct keel_sweep_figures *all, double filling, uint32_t workers,
                         uint64_t elements, uint64_t size);

#endif
