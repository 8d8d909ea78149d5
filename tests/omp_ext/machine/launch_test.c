/* What launchers tell their ranks, by the variables that they set. */
#include <stddef.h>
#include <string.h>

#include "omp_ext/machine/launch.h"
#include "tests/support/unit.h"

/* The environment: names and values in turn, NULL behind the last. */
static const char *const *set;

static const char *value_of(const char *name)
{
    for (const char *const *at = set; *at != NULL; at += 2) {
        if (strcmp(at[0], name) == 0) {
            return at[1];
        }
    }
    return NULL;
}

static const char *const nothing[] = {NULL};
static const char *const open_mpi[] = {"OMPI_COMM_WORLD_RANK",
                                       "5",
                                       "OMPI_COMM_WORLD_SIZE",
                                       "8",
                                       "OMPI_COMM_WORLD_LOCAL_RANK",
                                       "1",
                                       "OMPI_COMM_WORLD_LOCAL_SIZE",
                                       "4",
                                       "PMIX_NAMESPACE",
                                       "prterun-n01-7@1",
                                       "SLURM_JOB_ID",
                                       "77",
                                       "SLURM_PROCID",
                                       "0",
                                       "SLURM_NTASKS",
                                       "2",
                                       NULL};
static const char *const mpich[] = {
    "PMI_RANK", "0",         "PMI_SIZE", "3", "MPI_LOCALRANKID", "0", "MPI_LOCALNRANKS",
    "3",        "PMI_JOBID", "kvs_1_0",  NULL};
static const char *const slurm[] = {"SLURM_PROCID",
                                    "6",
                                    "SLURM_NTASKS",
                                    "7",
                                    "SLURM_LOCALID",
                                    "0",
                                    "SLURM_NODEID",
                                    "3",
                                    "SLURM_STEP_TASKS_PER_NODE",
                                    "2(x3),1",
                                    "SLURM_JOB_ID",
                                    "77",
                                    "SLURM_STEP_ID",
                                    "2",
                                    NULL};

TEST(each_launcher_is_understood)
{
    static const struct {
        const char *const *set;
        int rank;
        unsigned ranks, local;
        const char *job;
        enum keel_launch role;
    } cases[] = {
        {nothing, -1, 0, 0, "", KEEL_LAUNCH_ALONE},
        {open_mpi, 5, 8, 4, "prterun-n01-7_1", KEEL_LAUNCH_OTHER},
        {mpich, 0, 3, 3, "kvs_1_0", KEEL_LAUNCH_FIRST},
        {slurm, 6, 7, 1, "77.2", KEEL_LAUNCH_FIRST},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char job[KEEL_LAUNCH_JOB_MAX];
        set = cases[i].set;
        keel_launch_job(value_of, job);
        assert_string_equal(job, cases[i].job);
        assert_int_equal(keel_launch_rank(value_of), cases[i].rank);
        assert_int_equal(keel_launch_ranks(value_of), cases[i].ranks);
        assert_int_equal(keel_launch_local_ranks(value_of), cases[i].local);
        assert_int_equal(keel_launch_role(value_of), cases[i].role);
    }
}

TEST(a_job_s_name_is_plain_and_fits)
{
    char job[KEEL_LAUNCH_JOB_MAX], name[300];
    const char *const odd[] = {"PMIX_NAMESPACE", "../a b/\"c\"", NULL};
    const char *const large[] = {"PMIX_NAMESPACE", name, NULL};

    set = odd;
    keel_launch_job(value_of, job);
    assert_string_equal(job, ".._a_b__c_");
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    set = large;
    keel_launch_job(value_of, job);
    assert_true(strlen(job) < sizeof job);
}

TEST(lists_of_tasks_that_are_none_tell_nothing)
{
    static const char *const lists[] = {"", "x", "2(x", "2(x0)", ",", "2,", "-1"};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const char *const broken[] = {"SLURM_NODEID", "5", "SLURM_STEP_TASKS_PER_NODE", lists[i],
                                      NULL};
        set = broken;
        assert_int_equal(keel_launch_local_ranks(value_of), 0);
    }
}
