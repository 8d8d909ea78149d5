/* What may be risked. */
#include "schedules/balance/budget.h"

#include <math.h>
#include <string.h>

size_t keel_account_size(uint32_t workers)
{
    return sizeof(struct keel_account) + workers * sizeof(double);
}

void keel_account_begin(struct keel_account *account, uint32_t workers, double now_s)
{
    memset(account, 0, keel_account_size(workers));
    account->workers = workers;
    account->begin_s = account->now_s = now_s;
}

void keel_account_moved(struct keel_account *account, double time_s)
{
    account->moved_s += time_s >= 0 && !isinf(time_s) ? time_s : 0;
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

double keel_account_first_time(const struct keel_account *account, double all_work,
                               const double *rate)
{
    return account->notes > 0 ? time_of(account->workers, account->share, all_work, rate) : 0;
}

void keel_account_note(struct keel_account *account, double now_s, const double *work,
                       const double *rate)
{
    uint32_t workers = account->workers;
    double all = sum_of(workers, work), span_s = fmax(0, now_s - account->now_s);

    if (!(all > 0)) {
        return;
    }
    if (account->notes++ == 0) {
        for (uint32_t w = 0; w < workers; w++) {
            account->share[w] = work[w] / all;
        }
    }
    account->done += fmax(0, span_s - account->moved_s) / time_of(workers, work, 1, rate);
    account->first += span_s / time_of(workers, account->share, all, rate);
    account->moved_s = 0;
    account->now_s = fmax(account->now_s, now_s);
}

double keel_account_purse(const struct keel_account *account, double remaining_s)
{
    double run_s = account->now_s - account->begin_s;
    double ahead_s = account->first > 0 ? (account->done / account->first - 1) * run_s : 0;

    return KEEL_ACCOUNT_BUDGET * (run_s + (isinf(remaining_s) ? run_s : remaining_s)) + ahead_s;
}
