/* The environment variables of Keel across nodes and how their values are read. */
#include "mpi_backend/variables.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_US 1000

void keel_mpi_variables_begin(struct keel_mpi_settings *settings)
{
    settings->schedule = keel_mpi_schedule_standard();
    settings->poll_ns = POLL_US * 1e3;
}

static void read_schedule(struct keel_mpi_settings *settings, const char *value, char *problem)
{
    char found[KEEL_PROBLEM_MAX];

    settings->schedule_stated = keel_mpi_schedule_read(value, &settings->schedule, found);
    snprintf(problem, KEEL_MPI_PROBLEM_MAX, "%s%s", found,
             settings->schedule_stated ? "" : "; it counts as not set");
}

/* Of 1 .. `highest`; false: it is not. */
static bool read_number(const char *value, unsigned long lowest, unsigned long highest,
                        unsigned long *number)
{
    char *end;

    errno = 0;
    *number = strtoul(value, &end, 10);
    return isdigit((unsigned char)value[0]) && *end == '\0' && errno == 0 && *number >= lowest &&
           *number <= highest;
}

/* Reads up to KEEL_MPI_WEIGHTS_MAX numbers; 0: they are not that. */
static unsigned read_list(const char *value, double *weight)
{
    unsigned count = 0;
    char *end;

    for (const char *rest = value;; rest = end + 1) {
        double number = strtod(rest, &end);
        if (end == rest || !(number >= 1e-6 && number <= 1e6) || (*end != ',' && *end != '\0') ||
            count == KEEL_MPI_WEIGHTS_MAX) {
            return 0;
        }
        weight[count++] = number;
        if (*end == '\0') {
            return count;
        }
    }
}

static void scale(double *weight, unsigned count)
{
    double sum = 0;

    for (unsigned i = 0; i < count; i++) {
        sum += weight[i];
    }
    for (unsigned i = 0; i < count; i++) {
        weight[i] *= count / sum;
    }
}

static void read_weights(struct keel_mpi_settings *settings, const char *value, char *problem)
{
    /* the program may have set a locale with a decimal comma */
    locale_t previous = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));

    settings->weights = read_list(value, settings->weight);
    freelocale(uselocale(previous));
    scale(settings->weight, settings->weights);
    if (settings->weights == 0) {
        snprintf(problem, KEEL_MPI_PROBLEM_MAX,
                 "'%.40s' is not a list of up to %d numbers from 1e-6 to 1e6; using equal weights",
                 value, KEEL_MPI_WEIGHTS_MAX);
    }
}

static void read_poll(struct keel_mpi_settings *settings, const char *value, char *problem)
{
    unsigned long us;

    if (read_number(value, 10, 1000000, &us)) {
        settings->poll_ns = (double)us * 1e3;
    } else {
        snprintf(problem, KEEL_MPI_PROBLEM_MAX,
                 "'%.40s' is not a whole number from 10 to 1000000; using %d", value, POLL_US);
    }
}

static void read_progress(struct keel_mpi_settings *settings, const char *value, char *problem)
{
    settings->progress = strcmp(value, "1") == 0;
    if (!settings->progress && strcmp(value, "0") != 0) {
        snprintf(problem, KEEL_MPI_PROBLEM_MAX, "'%.40s' is not 0 or 1; using 0", value);
    }
}

static void read_node_ranks(struct keel_mpi_settings *settings, const char *value, char *problem)
{
    unsigned long ranks;

    if (read_number(value, 1, KEEL_MPI_WEIGHTS_MAX, &ranks)) {
        settings->node_ranks = (unsigned)ranks;
    } else {
        snprintf(problem, KEEL_MPI_PROBLEM_MAX,
                 "'%.40s' is not a whole number from 1 to %d; all ranks of a machine share memory",
                 value, KEEL_MPI_WEIGHTS_MAX);
    }
}

const struct keel_mpi_variable keel_mpi_variables[] = {
    {"KEEL_MPI_SCHEDULE", "SCHEDULE", "rate",
     "how the ranks of a job get the iterations of shared loops: tree, steal, diffuse, rate (see "
     "`keel list --mpi`) or any loop schedule, with ranks for threads",
     read_schedule},
    {"KEEL_MPI_WEIGHTS", "w0,w1,...", "equal weights",
     "relative speed of each rank of a communicator, for first blocks and for wf2", read_weights},
    {"KEEL_MPI_POLL", "whole number from 10 to 1000000", "1000",
     "time in which a rank answers others in mid-loop where no single iteration takes longer, us",
     read_poll},
    {"KEEL_MPI_PROGRESS", "0 or 1", "0",
     "a thread of Keel's answers for ranks whose iterations are long; wants MPI_THREAD_MULTIPLE",
     read_progress},
    {"KEEL_MPI_NODE_RANKS", "whole number from 1 to 65536", "all ranks of a machine",
     "how many ranks of a machine share memory at most; the others are spoken to by messages",
     read_node_ranks},
    {0},
};
