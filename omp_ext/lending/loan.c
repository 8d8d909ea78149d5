/* The pending loan. */
#include "omp_ext/lending/loan.h"

#include "omp_ext/support/slow_lock.h"

/* Records are used in turn. Where a cancelled region keeps a thread from ever coming to its loop,
 * the record stays in use. Once all are in use, the oldest one is taken again. */
#define LOANS KEEL_LENDING_BEHIND_MAX

_Atomic(struct keel_loan *) keel_loan_pending;
atomic_bool keel_loan_ever;

/* Guarded by keel_slow_lock. */
static struct keel_loan loans[LOANS];
static unsigned next_loan;

static struct keel_loan *unused_loan(void)
{
    for (unsigned i = 0; i < LOANS; i++) {
        struct keel_loan *loan = &loans[next_loan++ % LOANS];
        /* acquire: pairs with the release in keel_loan_joined() */
        if (!atomic_load_explicit(&loan->used, memory_order_acquire)) {
            return loan;
        }
    }
    return &loans[next_loan++ % LOANS];
}

static void set_pending(struct keel_loan *loan)
{
    atomic_store_explicit(&keel_loan_pending, loan, memory_order_relaxed);
}

void keel_loan_expect(void)
{
    /* relaxed: as in loan.h */
    atomic_store_explicit(&keel_loan_ever, true, memory_order_relaxed);
}

bool keel_loan_make(const struct keel_lender *lender, void *context)
{
    keel_slow_lock();
    bool free = !keel_loan_is_pending();
    if (free) {
        struct keel_loan *loan = unused_loan();
        *loan = (struct keel_loan){
            .policy = {.loan = loan}, .lender = lender, .context = context, .used = true};
        atomic_store_explicit(&keel_loan_ever, true, memory_order_relaxed);
        set_pending(loan);
    }
    keel_slow_unlock();
    return free;
}

bool keel_loan_withdraw(void *context)
{
    keel_slow_lock();
    struct keel_loan *loan = atomic_load_explicit(&keel_loan_pending, memory_order_relaxed);
    bool mine = loan != NULL && loan->context == context;
    if (mine) {
        set_pending(NULL);
        atomic_store_explicit(&loan->used, false, memory_order_relaxed);
    }
    keel_slow_unlock();
    return mine;
}

/* Nothing is lent: the lender gets the loop, and no thread the loan. */
static bool lends_nothing(struct keel_loan *loan, uint64_t iterations)
{
    const struct keel_lending_thread loop = {.iterations = iterations, .grain = 1, .threads = 1};

    if (loan->lender->next != NULL) {
        return false;
    }
    set_pending(NULL);
    loan->lender->join(loan->context, &loop);
    atomic_store_explicit(&loan->used, false, memory_order_relaxed);
    return true;
}

void keel_loan_propose(_Atomic(const struct keel_policy *) *agreed, uint64_t iterations)
{
    const struct keel_policy *none = NULL;

    if (atomic_load_explicit(agreed, memory_order_relaxed) != NULL) {
        return;
    }
    keel_slow_lock();
    struct keel_loan *loan = atomic_load_explicit(&keel_loan_pending, memory_order_relaxed);
    /* release: pairs with the acquire of threads that agree */
    if (loan != NULL && !lends_nothing(loan, iterations) &&
        atomic_compare_exchange_strong_explicit(agreed, &none, &loan->policy, memory_order_release,
                                                memory_order_relaxed)) {
        set_pending(NULL);
    }
    keel_slow_unlock();
}

const struct keel_policy *keel_loan_take(const struct keel_lent_loop *lent_loop,
                                         uint64_t iterations)
{
    const struct keel_policy *policy = lent_loop->own;

    keel_slow_lock();
    struct keel_loan *loan = atomic_load_explicit(&keel_loan_pending, memory_order_relaxed);
    if (loan != NULL && !lends_nothing(loan, iterations)) {
        loan->lent_loop = *lent_loop;
        policy = &loan->policy;
        set_pending(NULL);
    }
    keel_slow_unlock();
    return policy;
}

void keel_loan_pass(const void *caller)
{
    keel_slow_lock();
    struct keel_loan *loan = atomic_load_explicit(&keel_loan_pending, memory_order_relaxed);
    if (loan != NULL && loan->lender->passed != NULL) {
        loan->lender->passed(loan->context, caller);
    }
    keel_slow_unlock();
}

void keel_loan_joined(struct keel_loan *loan, uint32_t threads)
{
    /* acquire and release: the last thread has seen all others read the record */
    if (atomic_fetch_add_explicit(&loan->joined, 1, memory_order_acq_rel) + 1 == threads) {
        atomic_store_explicit(&loan->used, false, memory_order_release);
    }
}
