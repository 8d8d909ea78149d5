/* When to try again. */
#include "schedules/rows/refusal.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

/* So many times what was promised then is another case; and so many decisions pass at most. */
#define MORE 1.5
#define MOST_DOUBLINGS 6

/* The least gain, and where weights are measured, what they may be off by (measure.h, scale.h). */
#define LEAST_GAIN 0.002
#define LEAST_GAIN_MEASURED 0.02

/* Of movements, this part is left at the next decision; each beyond one asks for so many times
 * more, up to so many times. */
#define KEPT 0.95
#define FOR_EACH 4
#define MOST_TIMES 16

void keel_refusal_note(struct keel_refusal *refusal, double gain, bool moved)
{
    if (moved) {
        *refusal = (struct keel_refusal){.lately = refusal->lately + 1};
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

/* How many times as much as the first movement the next one has to gain, 1 or more. */
static double hesitation(const struct keel_refusal *refusal)
{
    return fmin(fmax(1, pow(FOR_EACH, refusal->lately - 1)), MOST_TIMES);
}

double keel_refusal_least_gain(struct keel_refusal *refusal, bool told)
{
    refusal->lately *= KEPT;
    return told ? LEAST_GAIN : LEAST_GAIN_MEASURED * hesitation(refusal);
}
