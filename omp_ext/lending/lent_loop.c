/* One thread's part in a loop that runs borrowed iterations. */
#include "omp_ext/lending/lent_loop.h"

#include "schedules/claim/grain.h"

void keel_borrow_start(struct keel_loop *loop, struct keel_offer *offer,
                       const struct keel_borrower *borrower)
{
    const struct keel_policy *own = borrower->own;
    const struct keel_place place = borrower->place;
    bool scheduled = own != NULL && own->spec.schedule != NULL;
    const struct keel_lender *lender = offer->lender;
    void *loan = offer->loan;
    struct keel_share_thread thread = {
        .iterations = loop->space.iterations,
        .threads = loop->threads,
        .thread = loop->thread,
        .grain = keel_grain_common(borrower->grain > 1 ? borrower->grain : 1,
                                   scheduled ? own->grain : 1),
        .spec = scheduled ? &own->stated : NULL,
        .in_order = borrower->in_order || (scheduled && own->spec.in_order),
        .site = place.outlined != NULL ? (uintptr_t)place.outlined : (uintptr_t)place.caller,
        .caller = place.caller,
        .outlined = place.outlined,
    };

    keel_offer_joined(offer, loop->threads); /* the offer and the borrower may be others' now */
    loop->finished = false;
    loop->lender = lender;
    loop->lent = lender->join(loan, &thread);
    loop->mode = KEEL_LOOP_SHARED;
}

bool keel_borrow_next(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    return loop->lent != NULL && loop->lender->next(loop->lent, first, last);
}

void keel_borrow_leave(struct keel_loop *loop)
{
    if (loop->lent != NULL) {
        loop->lender->leave(loop->lent, loop->finished);
    }
}
