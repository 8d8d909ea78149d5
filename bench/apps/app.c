/* See app.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/apps/app.h"
#include "bench/support/support.h"

/* --- options --- */

#define NUMBER_MOST 1000000000

static void __attribute__((noreturn, format(printf, 2, 3)))
refuse(const struct app *app, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (app->rank == 0) {
        fprintf(stderr, "keel: %s: ", app->name);
        vfprintf(stderr, format, arguments);
        fputs("; nothing is run\n", stderr);
    }
    va_end(arguments);
    MPI_Finalize();
    exit(2);
}

static void read_number(const struct app *app, const struct app_option *option, const char *text)
{
    char *end = "-";

    *option->number = text != NULL ? strtoull(text, &end, 10) : 0;
    if (text == NULL || *text < '0' || *text > '9' || *end != 0 ||
        *option->number < option->least || *option->number > NUMBER_MOST) {
        refuse(app, "--%s: '%s' is not a whole number from %llu to %d", option->name,
               text != NULL ? text : "", (unsigned long long)option->least, NUMBER_MOST);
    }
}

static void read_options(struct app *app, const struct app_option *options, char **argument)
{
    for (char **word = argument + 1; *word != NULL; word++) {
        const struct app_option *option = options;
        if (strcmp(*word, "--verify") == 0) {
            app->verify = true;
            continue;
        }
        while (option->name != NULL &&
               (strncmp(*word, "--", 2) != 0 || strcmp(*word + 2, option->name) != 0)) {
            option++;
        }
        if (option->name == NULL) {
            refuse(app, "'%s' is not an option", *word);
        }
        if (option->flag != NULL) {
            *option->flag = true;
            continue;
        }
        read_number(app, option, word[1]);
        word++;
    }
}

void app_begin(struct app *app, const struct app_option *options, int arguments, char **argument)
{
    int level;

    MPI_Init_thread(&arguments, &argument, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &app->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &app->ranks);
    read_options(app, options, argument);
}

/* --- the clock and the measurements --- */

void app_start(struct app *app)
{
    MPI_Barrier(MPI_COMM_WORLD);
    app->start_s = MPI_Wtime();
}

void app_stop(struct app *app, const struct keel_mpi_rows *rows)
{
    MPI_Barrier(MPI_COMM_WORLD);
    app->seconds = MPI_Wtime() - app->start_s;
    app->report.struct_size = sizeof app->report;
    job_check(keel_mpi_rows_report(rows, &app->report));
}

int app_end(struct app *app, bool same)
{
    double decision_s = app->report.decision_s;
    int right = same || !app->verify;

    MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &decision_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (app->rank == 0) {
        printf("%s,%d,%.6f,%llu,%.6f,%s\n", app->name, app->ranks, app->seconds,
               (unsigned long long)app->report.movements, decision_s,
               !app->verify ? "-"
               : right      ? "yes"
                            : "no");
        fflush(stdout);
    }
    MPI_Finalize();
    return right ? 0 : 1;
}

double app_uniform(uint64_t i)
{
    return random_fraction(random_bits(((uint64_t)1 << 32) + (i + 1) * RANDOM_STEP));
}
