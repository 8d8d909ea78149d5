/* Grain. */
#include "schedules/claim/grain.h"

#include <math.h>

#include "schedules/loop/parameter.h"

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint64_t keel_grain_common(uint64_t a, uint64_t b)
{
    uint64_t common;

    return __builtin_mul_overflow(a / common_divisor(a, b), b, &common) ? UINT64_MAX : common;
}

static void scale_size(struct keel_spec *spec, enum keel_parameter parameter, uint64_t grain)
{
    /* 0 stands for what follows from the loop, and stays 0 */
    spec->value[parameter].count = div_ceil(spec->value[parameter].count, grain);
}

static void scale_time(struct keel_spec *spec, enum keel_parameter parameter, double factor)
{
    spec->value[parameter].real =
        fmin(spec->value[parameter].real * factor, keel_parameters[parameter].highest.real);
}

struct keel_spec keel_grain_spec(const struct keel_spec *spec)
{
    static const enum keel_parameter sizes[] = {KEEL_MIN, KEEL_CHUNK, KEEL_FIRST, KEEL_LAST};
    uint64_t grain = keel_grain_of(spec);
    struct keel_spec units = *spec;

    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        scale_size(&units, sizes[i], grain);
    }
    scale_time(&units, KEEL_MU, (double)grain);
    scale_time(&units, KEEL_SIGMA, sqrt((double)grain));
    units.value[KEEL_GRAIN].count = 1;
    units.given &= ~KEEL_BIT(KEEL_GRAIN);
    return units;
}

void keel_grain_add(struct keel_spec *spec, uint64_t grain)
{
    uint64_t common = keel_grain_common(keel_grain_of(spec), grain);

    if (common > 1) {
        spec->value[KEEL_GRAIN].count = common;
        spec->given |= KEEL_BIT(KEEL_GRAIN);
    }
}
