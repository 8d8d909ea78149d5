/* See app.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/apps/app.h"
#include "bench/support/support.h"

/* --- options --- */

static void __attribute__((noreturn)) leave(int status)
{
    MPI_Finalize();
    exit(status);
}

static void print_usage(const struct app *app, const struct app_option *own)
{
    printf("usage: %s [OPTION...]\n\n", app->name);
    printf("  --size N          size of the problem (default %llu)\n"
           "  --steps N         number of steps (default %llu)\n"
           "  --seed N          which of many inputs (default 1)\n"
           "  --verify          compare with a serial run; exit status 1 if it differs\n"
           "  --help            print this\n",
           (unsigned long long)app->size, (unsigned long long)app->steps);
    for (; own != NULL && own->name != NULL; own++) {
        char text[64];
        snprintf(text, sizeof text, "--%s %s", own->name, own->value == NULL ? "" : own->value);
        printf("  %-17s %s\n", text, own->help);
    }
}

void app_refuse(const struct app *app, const char *option, const char *text, const char *expected)
{
    if (app->rank == 0) {
        fprintf(stderr, "keel: %s: --%s: '%s' is not %s; nothing is run\n", app->name, option, text,
                expected);
    }
    leave(2);
}

uint64_t app_number(const struct app *app, const char *option, const char *text, uint64_t least,
                    uint64_t most)
{
    char expected[64], *end;
    unsigned long long value = strtoull(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != 0 || value < least || value > most) {
        snprintf(expected, sizeof expected, "a whole number from %llu to %llu",
                 (unsigned long long)least, (unsigned long long)most);
        app_refuse(app, option, text, expected);
    }
    return value;
}

static void __attribute__((noreturn))
refuse_argument(const struct app *app, const char *argument, const char *why)
{
    if (app->rank == 0) {
        fprintf(stderr, "keel: %s: '%s' %s; nothing is run\n", app->name, argument, why);
    }
    leave(2);
}

static const struct app_option *find(const struct app_option *option, const char *argument)
{
    while (option != NULL && option->name != NULL && strcmp(option->name, argument) != 0) {
        option++;
    }
    return option != NULL && option->name != NULL ? option : NULL;
}

static void read_options(struct app *app, const struct app_option *own, int arguments,
                         char **argument)
{
    const char *size = NULL, *steps = NULL, *seed = NULL, *verify = NULL, *help = NULL;
    const struct app_option common[] = {{"size", "N", "", &size},  {"steps", "N", "", &steps},
                                        {"seed", "N", "", &seed},  {"verify", NULL, "", &verify},
                                        {"help", NULL, "", &help}, {0}};

    for (int i = 1; i < arguments; i++) {
        const char *name = strncmp(argument[i], "--", 2) == 0 ? argument[i] + 2 : "";
        const struct app_option *option = find(common, name);
        option = option != NULL ? option : find(own, name);
        if (option == NULL) {
            refuse_argument(app, argument[i], "is not an option");
        }
        if (option->value != NULL && i + 1 == arguments) {
            refuse_argument(app, argument[i], "is without a value");
        }
        *option->text = option->value != NULL ? argument[++i] : "";
    }
    if (help != NULL) {
        if (app->rank == 0) {
            print_usage(app, own);
        }
        leave(0);
    }
    app->size = size != NULL ? app_number(app, "size", size, 1, 1000000000) : app->size;
    app->steps = steps != NULL ? app_number(app, "steps", steps, 0, 1000000000) : app->steps;
    app->seed = seed != NULL ? app_number(app, "seed", seed, 0, UINT32_MAX) : app->seed;
    app->verify = verify != NULL;
}

struct app app_begin(const char *name, uint64_t size, uint64_t steps, const struct app_option *own,
                     int arguments, char **argument)
{
    struct app app = {.name = name, .size = size, .steps = steps, .seed = 1};
    int level;

    MPI_Init_thread(&arguments, &argument, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &app.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &app.ranks);
    read_options(&app, own, arguments, argument);
    return app;
}

/* --- the clock and the measurements --- */

void app_start(struct app *app)
{
    MPI_Barrier(MPI_COMM_WORLD);
    app->start_s = MPI_Wtime();
}

static void stop_clock(struct app *app)
{
    MPI_Barrier(MPI_COMM_WORLD);
    app->seconds = MPI_Wtime() - app->start_s;
}

void app_stop(struct app *app, const struct keel_mpi_rows *rows)
{
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};

    stop_clock(app);
    job_check(keel_mpi_rows_report(rows, &report));
    app->measurements = (struct app_measurements){.calls = report.hooks,
                                                  .interactions = report.interactions,
                                                  .movements = report.movements,
                                                  .moved = report.rows_moved,
                                                  .bytes = (double)report.bytes_sent,
                                                  .decision_s = report.decision_s,
                                                  .movement_s = report.movement_s,
                                                  .busy_s = report.busy_s};
}

static double over_ranks(double value, MPI_Op operation)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
    return value;
}

static void print_measurements(const struct app *app, const char *verified)
{
    const struct app_measurements *measurements = &app->measurements;
    const char *policy = getenv("KEEL_MPI_BALANCE");
    double bytes = over_ranks(measurements->bytes, MPI_SUM);
    double decision_s = over_ranks(measurements->decision_s, MPI_MAX);
    double movement_s = over_ranks(measurements->movement_s, MPI_MAX);
    double busy_s = over_ranks(measurements->busy_s, MPI_SUM);

    if (app->rank != 0) {
        return;
    }
    printf("%s,%d,\"%s\",%.6f,%llu,%llu,%llu,%llu,%.0f,%.6f,%.6f,%.4f,%s\n", app->name, app->ranks,
           policy == NULL ? "auto" : policy, app->seconds, (unsigned long long)measurements->calls,
           (unsigned long long)measurements->interactions,
           (unsigned long long)measurements->movements, (unsigned long long)measurements->moved,
           bytes, decision_s, movement_s, busy_s / (app->ranks * app->seconds), verified);
    fflush(stdout);
}

int app_end(struct app *app, bool same)
{
    int right = same || !app->verify;

    MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    print_measurements(app, !app->verify ? "-" : right ? "yes" : "no");
    MPI_Finalize();
    return right ? 0 : 1;
}

double app_uniform(uint64_t seed, uint64_t i)
{
    return random_fraction(random_bits((seed << 32) + (i + 1) * RANDOM_STEP));
}
