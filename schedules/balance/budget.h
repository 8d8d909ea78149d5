/* Budget of movements: the time that balancing has saved so far, plus KEEL_BUDGET_PART of the job's
 * time, against a job that keeps its first shares.
 *
 *   budget_s = KEEL_BUDGET_PART * T + (done / first - 1) * run_s        T: run_s + remaining_s
 *
 *   measured rates, work of each -> [budget] -> what a movement may cost at most -> decide.h
 *
 * Whether a movement pays shows only afterwards. Where it may not make a job longer, it has to be
 * paid from what earlier ones have saved, or from a small part of the job's time. What would have
 * been done without balancing is known: each worker's rate was measured, and its first share too.
 *
 * Counted is work, not time: a second in which all workers are fast is worth more than one in which
 * one of them is slow, so balancing that follows a load too late loses although it seems to even
 * out in time. Pure. */
#ifndef SCHEDULES_BALANCE_BUDGET_H
#define SCHEDULES_BALANCE_BUDGET_H

#include <stddef.h>
#include <stdint.h>

/* The part of a job's time that movements may take before they have saved any. */
#define KEEL_BUDGET_PART 0.0017

/* Written by the functions below. */
struct keel_budget {
    uint32_t workers; /* P */
    uint64_t notes;
    double begin_s, now_s;
    double moved_s; /* movements since the last note */
    double done;    /* work that was done, in units of all work */
    double first;   /* work that the first shares would have done, in the same units */
    double share[]; /* P: the first ones, which add up to 1 */
};

/* Bytes that the state of `workers` >= 1 takes. */
size_t keel_budget_size(uint32_t workers);

/* Nothing noted; the job begins at now_s. */
void keel_budget_begin(struct keel_budget *budget, uint32_t workers, double now_s);

/* A movement took so long, >= 0. */
void keel_budget_note_movement(struct keel_budget *budget, double time_s);

/* Notes what each has worked on since the last note, >= 0, and with which rate, > 0. The first note
 * tells the first shares. Without any work: ignored. */
void keel_budget_note(struct keel_budget *budget, double now_s, const double *work,
                      const double *rate);

/* How long all work would take by these rates with the first shares, in s; 0: not known. */
double keel_budget_first_shares_s(const struct keel_budget *budget, double all_work,
                                  const double *rate);

/* What a movement may cost, in s; negative: balancing has lost more than it may. remaining_s: of
 * the job; INFINITY: not known, which counts as as long as it has been. */
double keel_budget_left_s(const struct keel_budget *budget, double remaining_s);

#endif
