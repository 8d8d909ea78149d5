/* Lists of speeds. */
#include "omp_ext/command/model/kinds/speeds.h"

#include <stdio.h>

#include "omp_ext/command/model/kinds/description.h"
#include "schedules/text/number.h"
#include "schedules/text/text.h"

#define LOW 1e-6
#define HIGH 1e6

bool keel_speeds_check(const char *text, char *problem)
{
    if (keel_number_list(text, LOW, HIGH, 0, NULL) > 0) {
        return true;
    }
    snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "not a list of numbers from %g to %g", LOW, HIGH);
    return false;
}

void keel_speeds_read(const char *text, double *speed, size_t count)
{
    size_t stated = keel_number_list(text, LOW, HIGH, count, speed);

    for (size_t i = stated; i < count; i++) {
        speed[i] = speed[i - stated];
    }
}

double keel_speeds_fill(const char *text, double *speed, size_t count)
{
    double sum = 0;

    keel_speeds_read(text, speed, count);
    for (size_t i = 0; i < count; i++) {
        sum += speed[i];
    }
    for (size_t i = 0; i < count; i++) {
        speed[i] *= (double)count / sum;
    }
    return sum / (double)count;
}

void keel_speeds_write(const double *speed, size_t count, char *text)
{
    size_t length = 0;

    for (size_t i = 0; i < count && length < KEEL_SPEEDS_TEXT_MAX - 16; i++) {
        length = keel_text_append(text, KEEL_SPEEDS_TEXT_MAX, length, "%s%.5g", i > 0 ? "," : "",
                                  speed[i]);
    }
}
