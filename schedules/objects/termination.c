/* When all work of a phase is done. */
#include "schedules/objects/termination.h"

enum word { SENT, RECEIVED, HELD };

void keel_termination_begin(struct keel_termination *termination)
{
    termination->has_wave = false;
}

void keel_termination_contribute(const struct keel_termination *termination, uint64_t held,
                                 uint64_t word[KEEL_TERMINATION_WORDS])
{
    word[SENT] = termination->sent;
    word[RECEIVED] = termination->received;
    word[HELD] = held;
}

enum keel_termination_result keel_termination_take(struct keel_termination *termination,
                                                   const uint64_t sum[KEEL_TERMINATION_WORDS])
{
    bool quiet = termination->has_wave && termination->received_by_all == sum[SENT];

    termination->has_wave = true;
    termination->received_by_all = sum[RECEIVED];
    if (!quiet) {
        return KEEL_TERMINATION_GOES_ON;
    }
    return sum[HELD] > 0 ? KEEL_TERMINATION_HELD : KEEL_TERMINATION_ENDED;
}
