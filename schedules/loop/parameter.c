/* The parameters of schedules, in the order of enum keel_parameter. */
#include "schedules/loop/parameter.h"

#define COUNT(low, high, value) \
    .kind = KEEL_COUNT, .lowest.count = (low), .highest.count = (high), .standard.count = (value)
#define REAL(low, high, value) \
    .kind = KEEL_REAL, .lowest.real = (low), .highest.real = (high), .standard.real = (value)
#define ITERATIONS_MAX 9223372036854775807u /* 2^63 - 1: every chunk fits a long */
#define TIME_MAX_NS 1e18                    /* 31 years */

const struct keel_parameter_info keel_parameters[KEEL_PARAMETERS] = {
    [KEEL_MIN] = {"min", COUNT(1, ITERATIONS_MAX, 1), "smallest chunk, iterations"},
    [KEEL_GRAIN] = {"grain", COUNT(1, UINT64_MAX, 1), "iterations that are never separated"},
    [KEEL_CHUNK] = {"chunk", COUNT(1, ITERATIONS_MAX, 0), "size of every chunk, iterations"},
    [KEEL_FIRST] = {"first", COUNT(1, ITERATIONS_MAX, 0), "size of the first chunk, iterations"},
    [KEEL_LAST] = {"last", COUNT(1, ITERATIONS_MAX, 1), "size of the last chunk, iterations"},
    [KEEL_STAGES] = {"stages", COUNT(2, 1000000, 0), "number of stages"},
    [KEEL_SEED] = {"seed", COUNT(0, UINT64_MAX, 1), "seed of the sequence"},
    [KEEL_MU] = {"mu", REAL(1e-3, TIME_MAX_NS, 0), "mean time of an iteration, ns"},
    [KEEL_SIGMA] = {"sigma", REAL(0, TIME_MAX_NS, 0), "standard deviation of that time, ns"},
    [KEEL_OVERHEAD] = {"overhead", REAL(0, TIME_MAX_NS, 0), "time to schedule one chunk, ns"},
    [KEEL_ALPHA] = {"alpha", REAL(0, 1e6, 1.3), "deviations guarded against"},
    [KEEL_RATIO] = {"ratio", REAL(0, 1, 0.5), "share of the loop divided at first"},
    [KEEL_CHUNKS] = {"chunks", COUNT(1, 1048576, 0), "largest number of chunks"},
};

union keel_value keel_parameter_standard(const struct keel_schedule *schedule,
                                         enum keel_parameter parameter)
{
    if (parameter == KEEL_RATIO && schedule->ratio > 0) {
        return (union keel_value){.real = schedule->ratio};
    }
    return keel_parameters[parameter].standard;
}
