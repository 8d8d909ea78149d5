/* keel plot --kind profile: what iterations cost along a loop, and how far that spreads. */
#include <math.h>
#include <stdlib.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/plot/plot.h"

#define PARTS_MAX 200
/* Costs are counted by size: class k holds those from 1.02^k to 1.02^(k + 1) of LEAST_NS, which
 * reaches from 0.001 ns to 5e12 ns. */
#define CLASSES 1850
#define CLASS_FACTOR 1.02
#define LEAST_NS 1e-3

/* A part of the loop, in which the chunks of all instances have some iterations. */
struct part {
    double iterations, time_ns;
    double count[CLASSES]; /* iterations by their cost */
};

struct profile {
    uint64_t iterations; /* of the loop */
    size_t parts;
    struct part *part;
};

static size_t class_of(double cost_ns)
{
    double class = cost_ns > LEAST_NS ? log(cost_ns / LEAST_NS) / log(CLASS_FACTOR) : 0;

    return class < CLASSES - 1 ? (size_t) class : CLASSES - 1;
}

/* All iterations of a chunk cost the same, as far as the trace says. */
static void take_chunk(struct profile *profile, const struct keel_span *span)
{
    double scale = (double)profile->parts / (double)profile->iterations;
    double from = (double)span->first * scale, to = (double)span->last * scale;
    double cost_ns = (double)span->length_ns / (double)(span->last - span->first);
    size_t class = class_of(cost_ns);

    for (size_t i = (size_t)from; i < profile->parts && (double)i < to; i++) {
        double iterations = (fmin(to, (double)i + 1) - fmax(from, (double)i)) / scale;
        profile->part[i].iterations += iterations;
        profile->part[i].time_ns += iterations * cost_ns;
        profile->part[i].count[class] += iterations;
    }
}

/* The cost that the part `below` of the iterations have at most. */
static double quantile(const struct part *part, double below)
{
    double seen = 0;
    size_t class = 0;

    while (class < CLASSES - 1 && (seen += part->count[class]) < below * part->iterations) {
        class ++;
    }
    return LEAST_NS * pow(CLASS_FACTOR, (double)class + 0.5);
}

static bool begin(struct profile *profile, const struct keel_extract *extract)
{
    if (!keel_extract_has_chunks(extract)) {
        return false;
    }
    profile->iterations = extract->iterations;
    profile->parts = profile->iterations < PARTS_MAX ? (size_t)profile->iterations : PARTS_MAX;
    profile->part = keel_command_memory(profile->parts, sizeof *profile->part);
    for (size_t i = 0; i < extract->chunks; i++) {
        take_chunk(profile, extract->chunk[i]);
    }
    return true;
}

static double largest(const struct profile *profile)
{
    double most_ns = 0;

    for (size_t i = 0; i < profile->parts; i++) {
        if (profile->part[i].iterations > 0) {
            most_ns = fmax(most_ns, quantile(&profile->part[i], 0.9));
        }
    }
    return most_ns;
}

/* first mean p10 p50 p90, a step per part, and the last one once more at the loop's end */
static void print_data(const struct profile *profile, double unit_ns, FILE *script)
{
    double step = (double)profile->iterations / (double)profile->parts;

    fprintf(script, "$profile << END\n");
    for (size_t i = 0; i < profile->parts; i++) {
        const struct part *part = &profile->part[i];
        if (part->iterations <= 0) {
            fprintf(script, "%.12g NaN NaN NaN NaN\n", (double)i * step);
            continue;
        }
        for (unsigned end = 0; end < 2; end++) {
            fprintf(script, "%.12g %.9g %.9g %.9g %.9g\n", ((double)i + end) * step,
                    part->time_ns / part->iterations / unit_ns, quantile(part, 0.1) / unit_ns,
                    quantile(part, 0.5) / unit_ns, quantile(part, 0.9) / unit_ns);
        }
    }
    fprintf(script, "END\n");
}

static bool draw(const struct keel_extract *extract, FILE *script)
{
    struct profile profile = {0};

    if (!begin(&profile, extract)) {
        return false;
    }
    double most_ns = largest(&profile);
    double unit_ns = most_ns >= 1e9 ? 1e9 : most_ns >= 1e6 ? 1e6 : most_ns >= 1e3 ? 1e3 : 1;
    const char *unit = most_ns >= 1e9   ? "s"
                       : most_ns >= 1e6 ? "ms"
                       : most_ns >= 1e3 ? "\u00b5s"
                                        : "ns";
    keel_script_set(script, "title", keel_trace_data_text(extract->data, extract->loop));
    fprintf(
        script,
        "set xlabel 'iteration'\nset ylabel 'time of an iteration, %s'\nset grid\nset border 3\n"
        "set tics nomirror\nset key outside bottom center horizontal\nset xrange [0:%.12g]\n"
        "set yrange [0:*]\n",
        unit, (double)profile.iterations);
    print_data(&profile, unit_ns, script);
    fprintf(script,
            "plot $profile using 1:3:5 with filledcurves fc rgb 0x%06x fs transparent solid 0.25 "
            "title '10 %% to 90 %% of the instances', "
            "$profile using 1:4 with lines lw 1 dt 2 lc rgb 0x%06x title 'median', "
            "$profile using 1:2 with lines lw 2 lc rgb 0x%06x title 'mean'\n",
            keel_script_colour(0), keel_script_colour(0), keel_script_colour(5));
    return true;
}

const struct keel_plot_kind keel_plot_profile = {
    .name = "profile",
    .needs_loop = true,
    .height = 600,
    .draw = draw,
};
