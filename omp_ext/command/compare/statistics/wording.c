/* Ratios and their intervals as people read them. */
#include "omp_ext/command/compare/statistics/wording.h"

#include <math.h>
#include <stdio.h>

/* As many digits as the smallest of the three wants. */
static int digits_of(double percent)
{
    return percent < 0.95 ? 2 : percent < 9.5 ? 1 : 0;
}

const char *keel_wording_of(const struct keel_ratio *ratio, char *text)
{
    double sign = ratio->median < 1 ? -1 : 1;
    double percent = sign * 100 * (ratio->median - 1);
    double near = sign * 100 * ((sign < 0 ? ratio->high : ratio->low) - 1);
    double far = sign * 100 * ((sign < 0 ? ratio->low : ratio->high) - 1);
    int digits = digits_of(keel_ratio_told(ratio) ? fmin(percent, near) : percent);
    const char *word = sign < 0 ? "faster" : "slower";

    if (ratio->median == 1) {
        snprintf(text, KEEL_WORDING_MAX, "as fast");
    } else if (keel_ratio_told(ratio)) {
        snprintf(text, KEEL_WORDING_MAX, "%.*f %% (%.*f to %.*f) %s", digits, percent, digits, near,
                 digits, far, word);
    } else {
        snprintf(text, KEEL_WORDING_MAX, "%.*f %% %s", digits, percent, word);
    }
    return text;
}

const char *keel_wording_ratio(const struct keel_ratio *ratio, char *text)
{
    if (isnan(ratio->median)) {
        snprintf(text, KEEL_WORDING_MAX, "-");
    } else if (isfinite(ratio->high)) {
        snprintf(text, KEEL_WORDING_MAX, "%.3f (%.3f to %.3f)", ratio->median, ratio->low,
                 ratio->high);
    } else {
        snprintf(text, KEEL_WORDING_MAX, "%.3f", ratio->median);
    }
    return text;
}
