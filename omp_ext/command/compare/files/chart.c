/* A comparison as a picture by gnuplot. */
#define _GNU_SOURCE
#include "omp_ext/command/compare/files/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/compare/statistics/order.h"
#include "omp_ext/command/parts/picture.h"
#include "omp_ext/support/message.h"

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path);

    return length > strlen(ending) && strcmp(path + length - strlen(ending), ending) == 0;
}

bool keel_chart_is_drawable(const char *path)
{
    return ends_with(path, ".png") || ends_with(path, ".svg");
}

/* A text that gnuplot takes as it is: in single quotes, which are doubled. */
static void print_quoted(FILE *script, const char *text)
{
    fputc('\'', script);
    for (; *text != '\0'; text++) {
        fputs(*text == '\''              ? "''"
              : *text < ' ' && *text > 0 ? " "
                                         : (char[]){*text, '\0'},
              script);
    }
    fputc('\'', script);
}

static double ratio_at(const struct keel_session *session, size_t round, size_t candidate)
{
    return keel_samples_at(&session->samples, round, candidate) /
           keel_samples_at(&session->samples, round, 0);
}

/* A point for each run; candidates stand at 0, 1, 2 ... */
static void print_points(FILE *script, const struct keel_session *session)
{
    fprintf(script, "$runs << END\n");
    for (size_t round = 0; round < session->samples.rounds; round++) {
        for (size_t i = 0; i < session->candidates->count; i++) {
            double ratio = ratio_at(session, round, i);
            if (!isnan(ratio)) {
                fprintf(script, "%zu %.17g\n", i, ratio);
            }
        }
    }
    fprintf(script, "END\n");
}

/* Quartiles and median of each. */
static void print_boxes(FILE *script, const struct keel_session *session)
{
    size_t rounds = session->samples.rounds;
    double *sorted = calloc(rounds + 1, sizeof *sorted);

    fprintf(script, "$boxes << END\n");
    for (size_t i = 0; sorted != NULL && i < session->candidates->count; i++) {
        for (size_t round = 0; round < rounds; round++) {
            sorted[round] = ratio_at(session, round, i);
        }
        size_t count = keel_order_sort(sorted, rounds);
        if (count > 0) {
            fprintf(script, "%zu %.17g %.17g %.17g\n", i, keel_order_quantile(sorted, count, 0.25),
                    keel_order_quantile(sorted, count, 0.5),
                    keel_order_quantile(sorted, count, 0.75));
        }
    }
    fprintf(script, "END\n");
    free(sorted);
}

static void print_axes(FILE *script, const struct keel_session *session)
{
    char *label;

    fprintf(script,
            "set grid y\nunset key\nset style fill solid 0.3\nset boxwidth 0.5\n"
            "set xrange [-0.6:%zu.6]\nset xtics () rotate by -35\nset yrange [0:*]\n"
            "set title ",
            session->candidates->count - 1);
    print_quoted(script, session->setup->launch.program[0]);
    fprintf(script, "\nset ylabel ");
    if (asprintf(&label, "time / %s, same round", session->candidates->of[0].name) >= 0) {
        print_quoted(script, label);
        free(label);
    }
    fputc('\n', script);
    for (size_t i = 0; i < session->candidates->count; i++) {
        fprintf(script, "set xtics add (");
        print_quoted(script, session->candidates->of[i].name);
        fprintf(script, " %zu)\n", i);
    }
}

static char *write_script(const char *path, const struct keel_session *session)
{
    char *text = NULL;
    size_t size;
    FILE *script = open_memstream(&text, &size);

    if (script == NULL) {
        return NULL;
    }
    fprintf(script, "set terminal %s noenhanced size 900,600 font 'sans,10'\n",
            ends_with(path, ".svg") ? "svg" : "pngcairo");
    print_axes(script, session);
    print_points(script, session);
    print_boxes(script, session);
    fprintf(script, "plot $boxes using 1:2:2:4:4 with candlesticks linecolor 'black', "
                    "$boxes using 1:3:3:3:3 with candlesticks linewidth 2 linecolor 'black', "
                    "$runs using 1:2 with points pointtype 7 pointsize 0.4 linecolor 'blue'\n");
    return fclose(script) == 0 ? text : NULL;
}

bool keel_chart_write(const char *path, const struct keel_session *session)
{
    char *script = session->samples.rounds > 0 ? write_script(path, session) : NULL;
    bool drawn = script != NULL && keel_picture_write(script, path);

    if (script == NULL) {
        keel_message("there is nothing to draw; '%s' is not written", path);
    }
    free(script);
    return drawn;
}
