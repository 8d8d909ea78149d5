/* When to try again. */
#include "schedules/rows/refusal.h"

#include "schedules/arithmetic/arithmetic.h"

/* So many times what was promised then is another case; and so many decisions pass at most. */
#define MORE 1.5
#define MOST_DOUBLINGS 6

void keel_refusal_note(struct keel_refusal *refusal, double gain, bool moved)
{
    if (moved) {
        *refusal = (struct keel_refusal){0};
        return;
    }
    refusal->waits = 1U << min_u64(refusal->in_vain, MOST_DOUBLINGS);
    refusal->gain = gain;
    refusal->in_vain++;
}

bool keel_refusal_tries(struct keel_refusal *refusal, double gain)
{
    if (refusal->waits == 0 || gain > MORE * refusal->gain) {
        return true;
    }
    refusal->waits--;
    return false;
}
