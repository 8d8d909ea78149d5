/* Constants of the weights of rows. Parts are of 1; errors are standard deviations.
 *
 * "Without": how long drawn jobs of bench/sim/simulated_costs.c, on 2 to 16 ranks that are alike,
 * one of half the speed, interrupted or loaded, take without the rule, over the time with it: the
 * mean, and the worst. Constants without such a measurement are bounds of what a number can
 * mean. */
#ifndef SCHEDULES_ROWS_ROW_CONSTANTS_H
#define SCHEDULES_ROWS_ROW_CONSTANTS_H

/* --- loops over rows --- */

/* Least number of own rows for loops with several iterations for each row: with fewer, too many
 * numbers of iterations are multiples by chance. */
#define KEEL_ROW_MATCH_LEAST 8

/* --- times of parts --- */

/* Parts of a rank's rows, at most; the last phases that count. Bounds of memory, not measured. */
#define KEEL_ROW_PARTS 128
#define KEEL_ROW_PHASES 5

/* Times of a rank's rows are known after this many phases, or one that took this many s: many
 * quanta of time. */
#define KEEL_ROW_PHASES_ENOUGH 3
#define KEEL_ROW_PHASE_LONG_S 0.25

/* Least error of the median of few phases, as a part of it. */
#define KEEL_ROW_MEDIAN_ERROR 0.02

/* The last two phases count alone if they agree to the former part, and differ from all before by
 * more than the latter. Without: 1.005, 1.14. */
#define KEEL_ROW_PHASES_AGREE 0.05
#define KEEL_ROW_PHASES_DIFFER 0.15

/* --- weights of parts --- */

/* Errors of weights below which they are not changed, as a part of the weight; as a part of all. A
 * time may differ by this many of its errors by chance. Without, on machines whose speed varies by
 * some percent from moment to moment: 1.002, 1.20. */
#define KEEL_ROW_PART_OFF 0.05
#define KEEL_ROW_ALL_OFF 0.02
#define KEEL_ROW_ERRORS 2

/* No row weighs less than this part of the mean: a row that is idle today may not be. */
#define KEEL_ROW_WEIGHT_LEAST 1e-3

/* Least error of a shift, as a part of it, and of one by a single part. With the former alone, rows
 * that are no blocks: 1.010, 1.50. */
#define KEEL_ROW_SHIFT_ERROR 0.05
#define KEEL_ROW_SINGLE_ERROR 0.1

/* --- work that went over borders --- */

/* Changes of work have to be this part of all work, or nothing follows from them; and this part of
 * them may be left over in the sum of all ranks. If that is so with the present weights, they
 * stay. */
#define KEEL_ROW_CHANGE_LEAST 0.05
#define KEEL_ROW_LEFT_OVER 0.1

/* This many times the usual difference of ranks' times may be chance. */
#define KEEL_ROW_NOISE_TIMES 3

/* Factors are between 1 / KEEL_ROW_FACTOR_MOST and KEEL_ROW_FACTOR_MOST; and a border is ignored if
 * less than this part of all work is supposed to have gone over it. */
#define KEEL_ROW_FACTOR_MOST 16.0
#define KEEL_ROW_FLOW_LEAST 1e-3

/* --- one scale for all ranks --- */

/* Errors of logarithms: of ranks' speeds; of costs over a border if costs are even along the rows,
 * and times the roughness. Without the roughness, all 0.2: 1.004, 1.11. */
#define KEEL_ROW_SPEEDS_DIFFER 0.7
#define KEEL_ROW_BORDER_DIFFERS 0.05
#define KEEL_ROW_ROUGHNESS 3

/* The knowledge of a rank whose speed is not known, 1 / error^2: next to none. A bound, not
 * measured: without any, the equations might have no solution. */
#define KEEL_ROW_SPEED_UNKNOWN 1e-3

/* A border or a mean that would make speeds differ greatly is believed less: its error is at least
 * this part of the log of that difference. Without: 1.002, 1.03; no blocks 1.08, 3.7. */
#define KEEL_ROW_GREATLY 0.25

/* The knowledge from rows that moved is at most this, 1 / error^2: an error of 0.025. */
#define KEEL_ROW_KNOWN_MOST 1600.0

/* After rows have moved, weights are on one scale: its error. Without: 1.000, 1.03. */
#define KEEL_ROW_SCALE_DIFFERS 0.2

/* Borders count less if more than this is known. Without: 1.001, 1.02; no blocks 1.006, 1.19. */
#define KEEL_ROW_KNOWN_ENOUGH 2.0

/* Corrections that are smaller, as a part, are not made. */
#define KEEL_ROW_CORRECTION_LEAST 0.02

/* No factor is beyond e to this power. */
#define KEEL_ROW_LOG_MOST 7.0

/* If speeds of neighbouring ranks change by more than this, in logarithms, costs explain the change
 * if at most this part of it is left over then; and the error of that. Without: 1.006, 1.09. */
#define KEEL_ROW_SPEED_CHANGE 0.1
#define KEEL_ROW_UNEXPLAINED 0.5
#define KEEL_ROW_CHANGE_DIFFERS 0.1

/* Turns of the solution for rows that are no blocks. */
#define KEEL_ROW_TURNS 30

#endif
