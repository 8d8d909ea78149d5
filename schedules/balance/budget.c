/* What may be risked. */
#include "schedules/balance/budget.h"

#include <math.h>
#include <string.h>

size_t keel_budget_size(uint32_t workers)
{
    return sizeof(struct keel_budget) + workers * sizeof(double);
}

void keel_budget_begin(struct keel_budget *budget, uint32_t workers, double now_s)
{
    memset(budget, 0, keel_budget_size(workers));
    budget->workers = workers;
    budget->begin_s = budget->now_s = now_s;
}

void keel_budget_note_movement(struct keel_budget *budget, double time_s)
{
    budget->moved_s += time_s >= 0 && !isinf(time_s) ? time_s : 0;
}

static double sum_of(uint32_t workers, const double *value)
{
    double sum = 0;

    for (uint32_t w = 0; w < workers; w++) {
        sum += value[w];
    }
    return sum;
}

/* How long the shares of `work` take, each `scale` times. */
static double time_of(uint32_t workers, const double *work, double scale, const double *rate)
{
    double longest = 0;

    for (uint32_t w = 0; w < workers; w++) {
        longest = work[w] > 0 ? fmax(longest, work[w] * scale / rate[w]) : longest;
    }
    return longest;
}

double keel_budget_first_shares_s(const struct keel_budget *budget, double all_work,
                                  const double *rate)
{
    return budget->notes > 0 ? time_of(budget->workers, budget->share, all_work, rate) : 0;
}

void keel_budget_note(struct keel_budget *budget, double now_s, const double *work,
                      const double *rate)
{
    uint32_t workers = budget->workers;
    double all = sum_of(workers, work), span_s = fmax(0, now_s - budget->now_s);

    if (!(all > 0)) {
        return;
    }
    if (budget->notes++ == 0) {
        for (uint32_t w = 0; w < workers; w++) {
            budget->share[w] = work[w] / all;
        }
    }
    budget->done += fmax(0, span_s - budget->moved_s) / time_of(workers, work, 1, rate);
    budget->first += span_s / time_of(workers, budget->share, all, rate);
    budget->moved_s = 0;
    budget->now_s = fmax(budget->now_s, now_s);
}

double keel_budget_left_s(const struct keel_budget *budget, double remaining_s)
{
    double run_s = budget->now_s - budget->begin_s;
    double ahead_s = budget->first > 0 ? (budget->done / budget->first - 1) * run_s : 0;

    return KEEL_BUDGET_PART * (run_s + (isinf(remaining_s) ? run_s : remaining_s)) + ahead_s;
}
