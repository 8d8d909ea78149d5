/* Times of candidates in rounds. */
#include "omp_ext/command/compare/statistics/samples.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "omp_ext/command/compare/statistics/order.h"

static bool make_room(struct keel_samples *samples, size_t rounds)
{
    size_t room = samples->room > 0 ? samples->room : 16;

    while (room < rounds) {
        room *= 2;
    }
    if (room == samples->room) {
        return true;
    }
    double *larger =
        reallocarray(samples->time_s, room * samples->candidates, sizeof *samples->time_s);
    if (larger == NULL) {
        return false;
    }
    samples->time_s = larger;
    samples->room = room;
    return true;
}

bool keel_samples_note(struct keel_samples *samples, size_t round, size_t candidate, double time_s)
{
    if (!make_room(samples, round + 1)) {
        return false;
    }
    for (; samples->rounds <= round; samples->rounds++) {
        for (size_t i = 0; i < samples->candidates; i++) {
            samples->time_s[samples->rounds * samples->candidates + i] = NAN;
        }
    }
    samples->time_s[round * samples->candidates + candidate] = time_s;
    return true;
}

double keel_samples_at(const struct keel_samples *samples, size_t round, size_t candidate)
{
    return round < samples->rounds ? samples->time_s[round * samples->candidates + candidate] : NAN;
}

size_t keel_samples_sorted(const struct keel_samples *samples, size_t candidate, double *time_s)
{
    for (size_t i = 0; i < samples->rounds; i++) {
        time_s[i] = keel_samples_at(samples, i, candidate);
    }
    return keel_order_sort(time_s, samples->rounds);
}

void keel_samples_free(struct keel_samples *samples)
{
    free(samples->time_s);
    *samples = (struct keel_samples){.candidates = samples->candidates};
}
