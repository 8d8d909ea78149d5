/* Constants of balance calls: what is measured, how often, and what moving has to gain. Parts are
 * of 1. Those of the weights of rows, of decisions and of the replay are in
 * schedules/rows/row_constants.h, schedules/balance/balance_constants.h and
 * schedules/replay/replay_policies.h. */
#ifndef MPI_BACKEND_ROWS_ROWS_CONSTANTS_H
#define MPI_BACKEND_ROWS_ROWS_CONSTANTS_H

/* --- costs of rows --- */

/* The time to measure a piece of a loop, s; the part of computing that measuring may take in all;
 * what it may take at first, and may have left, at most, s. */
#define KEEL_MPI_PIECE_S 1e-7
#define KEEL_MPI_MEASURED_PART 0.005
#define KEEL_MPI_FIRST_CREDIT_S 1e-4
#define KEEL_MPI_CREDIT_MOST_S 0.05

/* Phases are measured only if loops over rows take at least this part of the computing. */
#define KEEL_MPI_LOOPS_PART 0.1

/* --- halos --- */

/* Messages of an array to one rank that have different tags. A bound, not measured. */
#define KEEL_MPI_HALO_PIECES 32

/* --- blocks of sweeps --- */

/* Messages are measured by trains; bounds, not measured. Trains of each length of messages, of
 * which the quickest counts; messages of a train; of these, before time is taken, until all ranks
 * take part; receives that are started ahead; round trips; bytes of the longer messages, which are
 * usually sent at once, as short ones are. */
#define KEEL_MPI_SWEEP_TRAINS 4
#define KEEL_MPI_SWEEP_TRAIN_LENGTH 40
#define KEEL_MPI_SWEEP_SKIPPED 8
#define KEEL_MPI_SWEEP_AHEAD 8
#define KEEL_MPI_SWEEP_ROUND_TRIPS 6
#define KEEL_MPI_SWEEP_BYTES 4096

/* Measurements are not reduced after the first sweep, whose pipeline was empty, unlike later ones;
 * then at growing distances in sweeps up to the latter: P log P messages are few among those of 16
 * sweeps. Blocks between two tests of a reduction, which may make progress only there. Bounds, not
 * measured. */
#define KEEL_MPI_SWEEP_FIRST_REDUCTION 2
#define KEEL_MPI_SWEEP_DISTANCE 16
#define KEEL_MPI_SWEEP_BLOCKS_APART 8

/* Bytes of a row, several cache lines, by which blocks are timed; sweeps with blocks of all widths
 * at first. Bounds, not measured. */
#define KEEL_MPI_SWEEP_GROUP 256
#define KEEL_MPI_SWEEP_LEARNING 2

/* --- phases and work --- */

/* Phases that are remembered; one that took this many times the median was interrupted. */
#define KEEL_MPI_PHASES 64
#define KEEL_MPI_PHASES_INTERRUPTED 4.0

/* Less work counts as none: its quotients with other ranks' rates might not be finite, or be 0
 * (schedules/balance/proposal.c has the same bound). */
#define KEEL_MPI_WORK_LEAST 1e-150

/* Weights of rows that the program gives. Sums over as many rows as possible, and rates by any
 * clock, are then far from the limits of decisions (schedules/balance/proposal.c); and smaller
 * weights have no finite reciprocal. */
#define KEEL_MPI_WEIGHT_MOST 1e100
#define KEEL_MPI_WEIGHT_LEAST 1e-300

/* Sums of differences drift: the sum is computed anew if work drops to less than this part. */
#define KEEL_MPI_WORK_DRIFT 1e-3

/* --- times of messages --- */

/* Rounds at the first balance call, after one that warms up; of these, rounds with an exchange of
 * measurements: P messages; bytes of messages that are not empty. */
#define KEEL_MPI_PROBE_ROUNDS 6
#define KEEL_MPI_PROBE_MEASUREMENTS 2
#define KEEL_MPI_COSTS_BYTES 8192

/* Measured movements take precedence over probes, unless probes are this many times as quick: then
 * movements included waiting. */
#define KEEL_MPI_PROBE_FAR_QUICKER 4

/* --- balance calls --- */

/* The number of balance calls between measurements grows at most by this factor: phases may get
 * longer. */
#define KEEL_MPI_PERIOD_GROWTH 8

/* The decision is used this part of the period after the measurements, 1 / KEEL_MPI_LAG_PART, so
 * that no rank has to wait for others that are slightly late. MPI makes progress while requests are
 * tested: this many times until then. */
#define KEEL_MPI_LAG_PART 4
#define KEEL_MPI_LAG_TESTS 4

/* --- decisions --- */

/* The relative random variation of a rank's times, assumed before any were compared, and the weight
 * of each comparison after that. */
#define KEEL_MPI_NOISE_AT_FIRST 0.02
#define KEEL_MPI_NOISE_PART 0.25

/* Single rows are divided in whole parts of the work. Rows of less than this many parts count as
 * none: they are less than half a part, and the product might underflow. A bound, not measured. */
#define KEEL_MPI_WEIGHTED_LEAST 0.25

/* A move of more rows than this does not result from unequal weights of single rows. */
#define KEEL_MPI_FEW_ROWS 2

/* The least part of the time that moving has to save by the weights of single rows. Candidates take
 * all rows of a worker for alike, so that their moves may gain nothing, and rows would oscillate.
 * For measured weights, it is their error (row_weights.h). A higher bound after each movement
 * gained nothing: 24 jobs of bench/sim/simulated_costs, `loops drawn`, seeds 501 to 504, took
 * 1.0528 of the least time without and 1.0537 with it, both in 2.1 movements. */
#define KEEL_MPI_GAIN_LEAST 0.002
#define KEEL_MPI_GAIN_LEAST_MEASURED 0.02

#endif
