/* Medians and lines of what was measured. */
#include "omp_ext/machine/measuring.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/text/number.h"

void keel_measuring_note(struct keel_measurements *measurements, enum keel_machine_cost cost,
                         double value)
{
    struct keel_measured *measured = &measurements->of[cost];

    if (value > 0 && isfinite(value) && measured->rounds < KEEL_MEASURING_ROUNDS) {
        measured->value[measured->rounds++] = value;
    }
}

double keel_measuring_quantile(const struct keel_measured *measured, double part)
{
    double sorted[KEEL_MEASURING_ROUNDS];
    unsigned rounds = measured->rounds;

    if (rounds == 0) {
        return 0;
    }
    memcpy(sorted, measured->value, rounds * sizeof *sorted);
    qsort(sorted, rounds, sizeof *sorted, compare_reals);
    double place = part * (rounds - 1);
    unsigned below = (unsigned)place, above = below + 1 < rounds ? below + 1 : below;
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

void keel_measuring_take(const struct keel_measurements *measurements, struct keel_machine *machine)
{
    for (unsigned i = 0; i < KEEL_MACHINE_COSTS; i++) {
        if (measurements->of[i].rounds > 0) {
            keel_machine_state(machine, i, keel_measuring_quantile(&measurements->of[i], 0.5));
        }
    }
}

static bool keep_in(const struct keel_measurements *measurements, const char *path)
{
    struct keel_machine machine;
    struct stat status;

    keel_machine_begin(&machine);
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        keel_machine_read(&machine, path);
    }
    keel_measuring_take(measurements, &machine);
    if (!keel_machine_write(&machine, path)) {
        return false;
    }
    printf("Kept in %s\n", path);
    return true;
}

bool keel_measuring_keep(const struct keel_measurements *measurements, const char *path)
{
    char place[PATH_MAX];

    if (path == NULL && !keel_machine_place(place, sizeof place)) {
        keel_message("neither XDG_CACHE_HOME nor HOME is set to a folder, expected one of them or "
                     "--output=FILE; nothing is kept");
        return false;
    }
    return keep_in(measurements, path != NULL ? path : place);
}

void keel_measuring_print(const struct keel_measurements *measurements, FILE *stream)
{
    fprintf(stream, "%-15s %-4s %10s %10s %10s  %s\n", "cost", "unit", "median", "quartile",
            "quartile", "of");
    for (unsigned i = 0; i < KEEL_MACHINE_COSTS; i++) {
        const struct keel_machine_cost_info *info = &keel_machine_costs[i];
        const struct keel_measured *measured = &measurements->of[i];
        if (measured->rounds > 0) {
            fprintf(stream, "%-15s %-4s %10.3g %10.3g %10.3g  %s\n", info->name, info->unit,
                    keel_measuring_quantile(measured, 0.5), keel_measuring_quantile(measured, 0.25),
                    keel_measuring_quantile(measured, 0.75), info->text);
        }
    }
}

void keel_measuring_send(const struct keel_measurements *measurements, FILE *stream)
{
    for (unsigned i = 0; i < KEEL_MACHINE_COSTS; i++) {
        for (unsigned k = 0; k < measurements->of[i].rounds; k++) {
            fprintf(stream, "%s %.9g\n", keel_machine_costs[i].name, measurements->of[i].value[k]);
        }
    }
}

void keel_measuring_receive(struct keel_measurements *measurements, FILE *stream)
{
    char line[128];
    double value;

    while (fgets(line, sizeof line, stream) != NULL) {
        size_t name = strcspn(line, " ");
        enum keel_machine_cost cost = keel_machine_find(line, name);
        line[strcspn(line, "\n")] = '\0';
        if (cost < KEEL_MACHINE_COSTS && line[name] == ' ' &&
            keel_number_real(line + name + 1, &value)) {
            keel_measuring_note(measurements, cost, value);
        }
    }
}

/* The normal equations with weights 1 / time^2. */
struct keel_measuring_line keel_measuring_fit(const double *size, const double *time,
                                              unsigned count)
{
    double w = 0, wx = 0, wxx = 0, wt = 0, wxt = 0;

    for (unsigned i = 0; i < count; i++) {
        double weight = 1 / (time[i] * time[i]);
        w += weight;
        wx += weight * size[i];
        wxx += weight * size[i] * size[i];
        wt += weight * time[i];
        wxt += weight * size[i] * time[i];
    }
    double determinant = w * wxx - wx * wx;
    double slope = determinant > 0 ? (w * wxt - wx * wt) / determinant : 0;
    if (!(slope > 0)) {
        return (struct keel_measuring_line){wt / w, 0};
    }
    double startup = (wt - slope * wx) / w;
    return startup > 0 ? (struct keel_measuring_line){startup, slope}
                       : (struct keel_measuring_line){0, wxt / wxx};
}
