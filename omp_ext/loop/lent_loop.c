/* One thread's part in a loop that runs lent iterations. */
#include "omp_ext/loop/modes.h"

#include "schedules/claim/grain.h"

void keel_lent_loop_start(struct keel_loop *loop, struct keel_loan *loan,
                          const struct keel_lent_loop *lent_loop)
{
    const struct keel_policy *own = lent_loop->own;
    const struct keel_construct *construct = &lent_loop->construct;
    const struct keel_call_site place = construct->place;
    bool scheduled = own != NULL && own->spec.schedule != NULL;
    const struct keel_lender *lender = loan->lender;
    void *context = loan->context;
    struct keel_lending_thread thread = {
        .iterations = loop->space.iterations,
        .threads = loop->threads,
        .thread = loop->thread,
        .grain = keel_grain_common(construct->grain > 1 ? construct->grain : 1,
                                   scheduled ? own->grain : 1),
        .spec = scheduled ? &own->stated : NULL,
        .in_order = construct->in_order || (scheduled && own->spec.in_order),
        .site = place.outlined != NULL ? (uintptr_t)place.outlined : (uintptr_t)place.caller,
        .caller = place.caller,
        .outlined = place.outlined,
    };

    keel_loan_joined(loan, loop->threads); /* `loan` may serve another loop from here on */
    loop->finished = false;
    loop->lender = lender;
    loop->lender_handle = lender->join(context, &thread);
    loop->mode = KEEL_LOOP_LENT;
}

bool keel_lent_loop_next(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    return loop->lender_handle != NULL && loop->lender->next(loop->lender_handle, first, last);
}

void keel_lent_loop_leave(struct keel_loop *loop)
{
    if (loop->lender_handle != NULL) {
        loop->lender->leave(loop->lender_handle, loop->finished);
    }
}
