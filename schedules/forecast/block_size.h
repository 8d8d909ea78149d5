/* Learns the cost of blocks of each width, and chooses the block size of the next pipelined sweep
 * (block sizes, PAPERS.md S5).
 *
 *   times of blocks -> [costs] -> measurements of all ranks -> [filling] -> pipeline.h -> block
 *   size
 *
 * It extends S5 in two ways, which assumes that blocks take as long as their elements, and that
 * workers wait P - 1 blocks for their first one:
 *
 * - Elements take different times in narrow and in wide blocks. Each row of a block starts a loop,
 *   and uses other memory; and if elements of a row depend on each other, processors overlap
 *   several short rows. So times are kept by width, and S4 is evaluated for each width with its own
 *   time.
 * - If sweeps follow each other without a barrier, a worker begins the next one while those
 *   behind it are at this one, and waits for about one block. The number of steps that a sweep
 *   loses to waiting, F, is estimated from the waiting; the model is evaluated for F + 1 workers.
 *
 * Pure: times come from the caller. */
#ifndef SCHEDULES_FORECAST_BLOCK_SIZE_H
#define SCHEDULES_FORECAST_BLOCK_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* --- widths --- */

/* Times are kept for widths 1, 2, 3, 4, 6, 8, 12, 16 ...: two for each doubling. */
#define KEEL_BLOCK_SIZE_WIDTHS 64

uint64_t keel_block_size_width_at(unsigned kind);

/* The kind of the largest width <= `width` >= 1. */
unsigned keel_block_size_index_of(uint64_t width);

/* --- how a sweep is cut --- */

/* Elements 0 .. m - 1 in the order of the sweep. The blocks of each run have its width, except the
 * last one, which may be smaller. */
#define KEEL_BLOCK_SIZE_RUNS (KEEL_BLOCK_SIZE_WIDTHS / 2 + 2)
struct keel_block_size_cut {
    uint64_t size; /* of most blocks, and of the first one */
    unsigned runs;
    struct {
        uint64_t width, to;
    } run[KEEL_BLOCK_SIZE_RUNS]; /* the last one goes to m */
};

/* elements: m >= 1. A size above m counts as m, and 0 as 1. learns: besides blocks of that size
 * there are a few of half that width, of a quarter, and so on: of each at least two groups (see
 * keel_block_size_costs) and three blocks. Wider blocks would keep all workers waiting; they are
 * tried only if the model expects them to be better. */
struct keel_block_size_cut keel_block_size_cut(uint64_t elements, uint64_t size, bool learns,
                                               uint64_t group);

/* Width of the block that begins at `from` < m. */
uint64_t keel_block_size_width(const struct keel_block_size_cut *cut, uint64_t from);

/* --- the cost of blocks on one rank --- */

/* Times are of groups of neighbouring blocks, as the first of several narrow blocks loads the cache
 * for those after it. Begins as {.group = }; times of 0 are not known. */
struct keel_block_size_costs {
    uint64_t group;                         /* least number of elements in a group of blocks */
    double row_s[KEEL_BLOCK_SIZE_WIDTHS];   /* a row's part of a block of that width */
    double sweep_s[KEEL_BLOCK_SIZE_WIDTHS]; /* the smallest of the present sweep */
    uint64_t width;                         /* of the group that has begun */
    uint64_t elements;                      /* in it so far; 0: no group has begun */
    double time_s;                          /* of a row's part of it */
};

/* Records a block of `rows` >= 1 rows, the next one after the last call's. Times that are not > 0
 * and finite are not part of a group; widths other than those above are ignored. */
void keel_block_size_costs_note(struct keel_block_size_costs *costs, uint64_t rows, uint64_t width,
                                double time_s);

/* Ends a sweep of blocks of `size`. The smallest times count, as a competing load has disturbed
 * them least; they follow a load that stays. learns: the sweep was one to learn from; smaller times
 * then replace the earlier ones, larger ones do not. */
void keel_block_size_costs_end(struct keel_block_size_costs *costs, uint64_t size, bool learns);

/* Time of a block of any width, from the nearest widths with known times; 0 if none is known.
 * time_s: of all KEEL_BLOCK_SIZE_WIDTHS kinds. */
double keel_block_size_time_s(const double *time_s, uint64_t width);

/* --- measurements of all ranks --- */

/* Of one sweep; >= 0. For all ranks together: the maxima of each. */
struct keel_block_size_measurements {
    double blocks; /* in the sweep */
    double busy_s; /* computing in it, and the least time of a rank in messages */
    double span_s; /* the rank's sweep from beginning to end */
    double block_s[KEEL_BLOCK_SIZE_WIDTHS]; /* own rows of a block of each width; 0: not known */
};

/* Steps that a sweep loses while its pipeline fills. Begins as {0}. */
#define KEEL_BLOCK_SIZE_FILLINGS 3
struct keel_block_size_filling {
    double step[KEEL_BLOCK_SIZE_FILLINGS]; /* the latest ones; 0: none */
    unsigned next;
};

/* Records a sweep, from measurements of all ranks. The rank that is busy longest waits only for the
 * pipeline: for F blocks on their way from rank to rank, and in chained sweeps for old rows; others
 * may wait longer. hop_s: from the end of a block to the beginning of the same on the next rank. */
void keel_block_size_filling_note(struct keel_block_size_filling *filling,
                                  const struct keel_block_size_measurements *all, double hop_s);

/* F: the smallest of the latest, as other processes take time, too; 1 .. workers - 1, the highest
 * if none is known. workers >= 2. */
double keel_block_size_filling_steps(const struct keel_block_size_filling *filling,
                                     uint32_t workers);

/* --- the next size --- */

struct keel_block_size_messages {
    double fixed_s; /* added to a step by a message of a byte */
    double incr_s;  /* added by each element of a border */
    double hop_s;   /* a message of a byte on its way, until it is received */
};

/* Derives these from the times of two lengths of messages, short_s of one byte and long_s of
 * `bytes` >= 1; an element adds `element` bytes. Processors and networks carry data by cache lines:
 * no message adds less than a cache line of a long one takes, even if short ones seem to be free
 * because the clock is too coarse. Without that, a block would have one element. */
struct keel_block_size_messages keel_block_size_messages_of(double short_s, double long_s,
                                                            double bytes, double element,
                                                            double hop_s);

/* Elements in a block of the first sweep to learn from, of m = `elements` >= 1 by `workers` >= 1
 * ranks: the largest width that does not keep workers waiting for long. */
uint64_t keel_block_size_first(uint32_t workers, uint64_t elements);

/* The same for the second sweep, from the rank's own measurements of the first: wider blocks are
 * tried if these predict that they are better for sweeps that follow each other, which lose least
 * to filling. */
uint64_t keel_block_size_second(const struct keel_block_size_messages *messages,
                                const struct keel_block_size_measurements *own, uint32_t workers,
                                uint64_t elements);

/* Elements in a block of the next sweep by block_s of all ranks. size: the present one, which stays
 * unless another is better by more than 0.3 %; 0: none. While no times are known it is
 * keel_block_size_first(). */
uint64_t keel_block_size_next(const struct keel_block_size_messages *messages,
                              const struct keel_block_size_measurements *all, double filling,
                              uint32_t workers, uint64_t elements, uint64_t size);

#endif
