/* Constants of rebalancing decisions (PAPERS.md S7 to S14). Parts are of 1. Where the papers name a
 * quantity without its value, the value is Keel's. */
#ifndef SCHEDULES_BALANCE_BALANCE_CONSTANTS_H
#define SCHEDULES_BALANCE_BALANCE_CONSTANTS_H

/* --- decisions --- */

/* Defaults of policies that are named without these parameters: the part of the time that moving
 * has to save; the cost of a movement over what it saves, at most. */
#define KEEL_DECIDE_GAIN 0.05
#define KEEL_DECIDE_GREATLY 1.0

/* Rates count as changed if shares by them would gain this part. It is less than the threshold of
 * S11 (KEEL_GAIN_THRESHOLD): if one of many workers gets faster, following it gains little, but the
 * stable time of rates is measured by it. */
#define KEEL_DECIDE_CHANGE 0.05

/* Of policies that are named without these parameters: how long Linux lets a process run while
 * others wait, ms (100 where S8 was measured); the seed of random numbers. */
#define KEEL_DECIDE_QUANTUM_MS 4
#define KEEL_DECIDE_SEED 1

/* --- proposals --- */

/* Bounds of numbers, not measured. Amounts of work and rates beyond the former, or beyond its
 * reciprocal, would not have finite sums and products; no measured value is as large or small. Work
 * whose rows differ is divided into the latter number of tasks. */
#define KEEL_PROPOSAL_LARGEST 1e150
#define KEEL_PROPOSAL_TASKS 0x1p40

/* Clusters that would end within this part of the later one's time are level: their partners'
 * movements stay within them. A bound, not measured. */
#define KEEL_TREE_SHARES_LEVEL 0.005

/* --- victims --- */

/* Neighbourhoods looked at in a round without lifelines. A bound, not measured. */
#define KEEL_VICTIM_NEIGHBOURHOODS 4

/* --- the cost of movements --- */

/* Weight of the earlier records, at each movement: the last four make two thirds of the sum. */
#define KEEL_PROFIT_MEMORY 0.75

/* Past movements with so similar a mix of messages and bytes do not show the cost of each; then
 * half of the cost is ascribed to either. Correlation, 0 .. 1. */
#define KEEL_PROFIT_COLLINEAR 0.999

/* A movement that takes more than this many times its estimate, which already includes it, shows
 * that the records before it, as of messages alone, say too little. Without: movements that take
 * 100 times as long as messages are estimated too low for 40 movements, as records count by the
 * square. */
#define KEEL_PROFIT_FAR_MORE 4

/* "Cancel only if the cost greatly exceeds the benefit": by this factor, the paper says none. */
#define KEEL_PROFIT_GREATLY 2.0

/* Timing messages may take this part of the time of a run. */
#define KEEL_PROFIT_PROBES_PART 0.001

/* --- how long rates stay as they are --- */

/* Number of remembered pauses between changes; the paper does not say how many. */
#define KEEL_PROFIT_CHANGES 4

/* The present rates of a load that comes and goes last at least this part of the time that they
 * have lasted; those that have lasted for so many times the longest remembered pause are no longer
 * of that load; and rates last at least this part of the time since the beginning of the job. */
#define KEEL_PROFIT_LASTING 0.125
#define KEEL_PROFIT_OUTLASTS 2.0
#define KEEL_PROFIT_LEAST_LASTING 0.125

/* --- the balancing period --- */

/* Scheduling quanta in a period, so that rates average out (S8). */
#define KEEL_PERIOD_QUANTA 10

/* Phases count as this long at least, so that the number of balance calls has a limit. s */
#define KEEL_PERIOD_COMPUTE_MIN_S 1e-9

/* "The last few movements": the paper does not say how many. */
#define KEEL_PERIOD_MOVEMENTS 4

/* Part of the time that interactions may take: f_interact of S8. */
#define KEEL_PERIOD_INTERACT_PART 0.05

/* Part of the time that is lost while rows lie as before a change of rates: a machine that has lost
 * half of its time to another program takes twice as long. */
#define KEEL_PERIOD_CHANGE_COSTS 0.5

/* An exchange of measurements that takes less than this part of a phase is not overlapped with
 * computing if the lag would be less than a phase: it costs less than a decision that is a phase
 * old. */
#define KEEL_PERIOD_WORTH_HIDING 0.01

/* Work that comes and goes: weight of the losses before against the latest one; about four
 * count. */
#define KEEL_PERIOD_KEPT 0.75

#endif
