/* The place of a process in its job. */
#include "omp_ext/machine/launch.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Variables that launchers set for their ranks: Open MPI's mpirun, MVAPICH2, MPICH, and Slurm's
 * srun. A rank of mpirun may have Slurm's variables of the daemon that started it, so that these
 * come last. */
enum { LAUNCHERS = 4 };
static const char *const local_ranks[LAUNCHERS] = {
    "OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"};
static const char *const local_sizes[LAUNCHERS - 1] = {
    "OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
static const char *const ranks[LAUNCHERS] = {"OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
                                             "PMI_RANK", "SLURM_PROCID"};
static const char *const sizes[LAUNCHERS] = {"OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE",
                                             "PMI_SIZE", "SLURM_NTASKS"};

/* The first of the variables that is set; NULL: none. */
static const char *first_of(const char *const *names, const char *(*value_of)(const char *name))
{
    const char *value = NULL;

    for (size_t i = 0; i < LAUNCHERS && value == NULL; i++) {
        value = value_of(names[i]);
    }
    return value;
}

static unsigned number_of(const char *text)
{
    return text != NULL && isdigit((unsigned char)text[0]) ? (unsigned)strtoul(text, NULL, 10) : 0;
}

int keel_launch_local_rank(const char *(*value_of)(const char *name))
{
    const char *rank = first_of(local_ranks, value_of);

    return rank != NULL ? (int)number_of(rank) : -1;
}

enum keel_launch keel_launch_role(const char *(*value_of)(const char *name))
{
    int rank = keel_launch_local_rank(value_of);

    return rank < 0 ? KEEL_LAUNCH_ALONE : rank == 0 ? KEEL_LAUNCH_FIRST : KEEL_LAUNCH_OTHER;
}

/* --- how many ranks a node has --- */

/* Of Slurm's list, "2(x3),1": two tasks on each of three nodes, then one. */
static unsigned tasks_of_node(const char *list, unsigned node)
{
    while (isdigit((unsigned char)*list)) {
        char *end;
        unsigned tasks = (unsigned)strtoul(list, &end, 10);
        unsigned nodes = strncmp(end, "(x", 2) == 0 ? number_of(end + 2) : 1;
        if (node < nodes) {
            return tasks;
        }
        node -= nodes;
        list = end + strcspn(end, ",");
        list += *list == ',';
    }
    return 0;
}

unsigned keel_launch_local_ranks(const char *(*value_of)(const char *name))
{
    for (size_t i = 0; i < LAUNCHERS - 1; i++) {
        unsigned size = number_of(value_of(local_sizes[i]));
        if (size > 0) {
            return size;
        }
    }
    const char *list = value_of("SLURM_STEP_TASKS_PER_NODE"), *node = value_of("SLURM_NODEID");
    return list != NULL && node != NULL ? tasks_of_node(list, number_of(node)) : 0;
}

/* --- ranks of the job --- */

unsigned keel_launch_ranks(const char *(*value_of)(const char *name))
{
    return number_of(first_of(sizes, value_of));
}

int keel_launch_rank(const char *(*value_of)(const char *name))
{
    const char *rank = first_of(ranks, value_of);

    return rank != NULL ? (int)number_of(rank) : -1;
}

/* --- jobs --- */

/* Open MPI 4's and PMIx's, MPICH's, Slurm's. The first one counts, with those of the same line
 * behind it. */
static const char *const job_names[][2] = {
    {"PMIX_NAMESPACE", NULL},
    {"OMPI_MCA_ess_base_jobid", NULL},
    {"PMI_JOBID", NULL},
    {"SLURM_JOB_ID", "SLURM_STEP_ID"},
};

static void make_plain(char *name)
{
    for (; *name != '\0'; name++) {
        if (!isalnum((unsigned char)*name) && strchr(".-_", *name) == NULL) {
            *name = '_';
        }
    }
}

void keel_launch_job(const char *(*value_of)(const char *name), char *name)
{
    name[0] = '\0';
    for (size_t i = 0; i < sizeof job_names / sizeof job_names[0] && name[0] == '\0'; i++) {
        const char *job = value_of(job_names[i][0]);
        const char *step = job_names[i][1] != NULL ? value_of(job_names[i][1]) : NULL;
        if (job != NULL) {
            snprintf(name, KEEL_LAUNCH_JOB_MAX, "%.90s%s%.30s", job, step != NULL ? "." : "",
                     step != NULL ? step : "");
        }
    }
    make_plain(name);
}
