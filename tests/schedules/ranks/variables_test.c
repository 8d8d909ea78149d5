/* The variables of Keel across nodes, and blocks by the rates of all ranks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/machine/launch.h"
#include "schedules/learn/blocks.h"
#include "schedules/ranks/mpi_variables.h"
#include "schedules/ranks/rate_share.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- variables: the variables of Keel across nodes: good values, bad ones with their messages,
 * and what holds without any; and which of a node's ranks complains --- */

static struct keel_ranks_settings settings;

/* Reads one variable into fresh settings. */
static void assert_reads(const char *name, const char *value, const char *problem)
{
    char got[KEEL_RANKS_PROBLEM_MAX] = "";
    const struct keel_ranks_variable *variable = keel_ranks_variables;

    memset(&settings, 0, sizeof settings);
    keel_ranks_variables_begin(&settings);
    while (strcmp(variable->name, name) != 0) {
        variable++;
        assert_non_null(variable->name);
    }
    keel_ranks_variable_read(&settings, variable, value, got);
    assert_string_equal(got, problem);
}

TEST(reads_schedules)
{
    assert_reads("KEEL_MPI_SCHEDULE", "tree:gamma=0.5", "");
    assert_true(settings.schedule_stated);
    assert_int_equal(settings.schedule.kind, KEEL_RANKS_TREE);
    assert_reads("KEEL_MPI_SCHEDULE", "tree:gamma=2",
                 "gamma '2' is not a number above 0 and up to 1, or ratio; going by throughput");
    assert_true(settings.schedule_stated);
    assert_reads("KEEL_MPI_SCHEDULE", "tre",
                 "unknown schedule 'tre', nearest is 'tree'; it counts as not set");
    assert_false(settings.schedule_stated);
    assert_int_equal(settings.schedule.kind, KEEL_RANKS_RATE);
}

TEST(scales_weights)
{
    assert_reads("KEEL_MPI_WEIGHTS", "1,2,3", "");
    assert_int_equal(settings.weights, 3);
    assert_true(settings.weight[0] == 0.5 && settings.weight[1] == 1 && settings.weight[2] == 1.5);
    assert_reads("KEEL_MPI_WEIGHTS", "7", "");
    assert_true(settings.weights == 1 && settings.weight[0] == 1);
}

/* One value of settings, whatever its type. */
#define FIELD(name) \
    &settings.name, sizeof settings.name, _Generic(settings.name, double : true, default : false)

static double value_of(const void *field, size_t size, bool real)
{
    uint64_t whole = 0;
    double value;

    memcpy(real ? (void *)&value : (void *)&whole, field, size);
    return real ? value : (double)whole;
}

#define NO_WEIGHTS "is not a list of up to 65536 numbers from 1e-6 to 1e6; using equal weights"
#define NO_POLL "is not a whole number from 10 to 1000000; using 1000"
#define NO_COPIES "is not a whole number from 0 to 1000000000; using 0"
#define NO_BLOCK "is not a whole number >= 1; it counts as not set"

/* What each value makes of a setting; `problem`: what is said after the value. */
TEST(reads_values)
{
    static const struct {
        const char *name, *text, *problem;
        const void *field;
        size_t size;
        bool real;
        double value;
    } rows[] = {
        {"WEIGHTS", "1,", NO_WEIGHTS, FIELD(weights), 0},
        {"WEIGHTS", "0", NO_WEIGHTS, FIELD(weights), 0},
        {"WEIGHTS", "1e7", NO_WEIGHTS, FIELD(weights), 0},
        {"POLL", "10", NULL, FIELD(poll_ns), 1e4},
        {"POLL", "1000000", NULL, FIELD(poll_ns), 1e9},
        {"POLL", "1000000", NULL, FIELD(poll_stated), true},
        {"POLL", "9", NO_POLL, FIELD(poll_ns), 1e6},
        {"POLL", "1000001", NO_POLL, FIELD(poll_stated), false},
        {"PROGRESS", "1", NULL, FIELD(progress), true},
        {"PROGRESS", "0", NULL, FIELD(progress), false},
        {"PROGRESS", "yes", "is not 0 or 1; using 0", FIELD(progress), false},
        {"NODE_RANKS", "2", NULL, FIELD(node_ranks), 2},
        {"NODE_RANKS", "0",
         "is not a whole number from 1 to 65536; all ranks of a machine share memory",
         FIELD(node_ranks), 0},
        {"COPIES", "1", NULL, FIELD(copies), 1},
        {"COPIES", "1000000000", NULL, FIELD(copies), 1000000000},
        {"COPIES", "0", NULL, FIELD(copies), 0},
        {"COPIES", "1000000001", NO_COPIES, FIELD(copies), 0},
        {"ON_ERROR", "abort", NULL, FIELD(aborts), true},
        {"ON_ERROR", "message", NULL, FIELD(aborts), false},
        {"ON_ERROR", "stop", "is not abort or message; using message", FIELD(aborts), false},
        {"ON_LATE", "fail", NULL, FIELD(on_late), KEEL_RANKS_ON_LATE_FAIL},
        {"ON_LATE", "wait", NULL, FIELD(on_late), KEEL_RANKS_ON_LATE_WAIT},
        {"ON_LATE", "auto", NULL, FIELD(on_late), KEEL_RANKS_ON_LATE_AUTO},
        {"ON_LATE", "end", NULL, FIELD(on_late), KEEL_RANKS_ON_LATE_END},
        {"ON_LATE", "leave", "is not auto, wait, fail or end; using auto", FIELD(on_late),
         KEEL_RANKS_ON_LATE_AUTO},
        {"BLOCK", "1", NULL, FIELD(block), 1},
        {"BLOCK", "18446744073709551615", NULL, FIELD(block), 0x1p64},
        {"BLOCK", "0", NO_BLOCK, FIELD(block), 0},
        {"BLOCK", "18446744073709551616", NO_BLOCK, FIELD(block), 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[40], problem[200] = "";
        snprintf(name, sizeof name, "KEEL_MPI_%s", rows[i].name);
        if (rows[i].problem != NULL) {
            snprintf(problem, sizeof problem, "'%s' %s", rows[i].text, rows[i].problem);
        }
        assert_reads(name, rows[i].text, problem);
        if (value_of(rows[i].field, rows[i].size, rows[i].real) != rows[i].value) {
            fail_msg("%s=%s is not read as %g", name, rows[i].text, rows[i].value);
        }
    }
}

TEST(takes_nothing_as_not_set)
{
    static struct keel_ranks_settings standard;

    keel_ranks_variables_begin(&standard);
    for (const struct keel_ranks_variable *variable = keel_ranks_variables; variable->name != NULL;
         variable++) {
        assert_reads(variable->name, "", "it is empty, and counts as not set");
        assert_memory_equal(&settings, &standard, sizeof settings);
        assert_reads(variable->name, " \t", "it is empty, and counts as not set");
    }
}

TEST(reads_balancing)
{
    assert_reads("KEEL_MPI_BALANCE", "diffusion:w=1.25", "");
    assert_true(settings.balance_stated);
    assert_int_equal(settings.balance.rules.kind, KEEL_DECIDE_BY_DIFFUSION);
    assert_true(settings.balance.rules.threshold == 1.25);
    assert_reads("KEEL_MPI_BALANCE", "off", "");
    assert_int_equal(settings.balance.decider, KEEL_ROWS_DECIDER_NONE);
    assert_reads("KEEL_MPI_BALANCE", "diffusion:w=0",
                 "w '0' is not a number from 1 up; using the paper's best value");
    assert_true(settings.balance_stated);
    assert_int_equal(settings.balance.rules.kind, KEEL_DECIDE_BY_DIFFUSION);
    assert_reads("KEEL_MPI_BALANCE", "difusion",
                 "unknown policy 'difusion', nearest is 'diffusion'; it counts as not set");
    assert_false(settings.balance_stated);
    assert_int_equal(settings.balance.rules.kind, KEEL_DECIDE_BY_RATE);
}

TEST(bounds_the_deadline)
{
    static const char *const bad[] = {"0", "0.09", "1000001", "-1", "60s"};

    assert_reads("KEEL_MPI_DEADLINE", "0.1", "");
    assert_true(settings.deadline_s == 0.1);
    assert_reads("KEEL_MPI_DEADLINE", "1000000", "");
    assert_true(settings.deadline_s == 1e6);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char problem[200];
        snprintf(problem, sizeof problem, "'%s' is not a number from 0.1 to 1000000; using 60",
                 bad[i]);
        assert_reads("KEEL_MPI_DEADLINE", bad[i], problem);
        assert_true(settings.deadline_s == 60);
    }
}

TEST(names_each_variable_once)
{
    for (const struct keel_ranks_variable *a = keel_ranks_variables; a->name != NULL; a++) {
        assert_memory_equal(a->name, "KEEL_MPI_", strlen("KEEL_MPI_"));
        assert_true(a->form[0] != '\0' && a->standard[0] != '\0' && a->summary[0] != '\0');
        assert_true(strcmp(a->name, "KEEL_MPI_TRACE") != 0 ||
                    strstr(a->summary,
                           "; work in rows, or the sum of their weights, in a phase, and "
                           "rates in work per s") != NULL);
        for (const struct keel_ranks_variable *b = a + 1; b->name != NULL; b++) {
            assert_string_not_equal(a->name, b->name);
        }
    }
}

/* --- who prints_common --- */

static const char *no_launcher(const char *name)
{
    return NULL;
}

static const char *first_of_mpirun(const char *name)
{
    return strcmp(name, "OMPI_COMM_WORLD_LOCAL_RANK") == 0 ? "0"
           : strcmp(name, "SLURM_LOCALID") == 0            ? "3"
                                                           : NULL;
}

static const char *third_of_slurm(const char *name)
{
    return strcmp(name, "SLURM_LOCALID") == 0 ? "2" : NULL;
}

TEST(knows_the_first_rank_of_a_node)
{
    assert_int_equal(keel_launch_role(no_launcher), KEEL_LAUNCH_ALONE);
    assert_int_equal(keel_launch_role(first_of_mpirun), KEEL_LAUNCH_FIRST);
    assert_int_equal(keel_launch_role(third_of_slurm), KEEL_LAUNCH_OTHER);
}

/* --- blocks by rates: blocks by the rates of all ranks, each of which knows its own and sums:
 * no iteration is left out or runs twice, and blocks are those of one place that knows all
 * --- */

enum { RANKS_MAX = 40 };

struct job {
    uint32_t ranks;
    struct keel_rate_share rank[RANKS_MAX];
};

static struct job begin(uint32_t ranks)
{
    struct job job = {.ranks = ranks};

    for (uint32_t r = 0; r < ranks; r++) {
        keel_rate_share_begin(&job.rank[r], r, ranks);
    }
    return job;
}

static uint64_t first_of(const struct job *job, uint32_t rank, uint64_t iterations)
{
    return keel_rate_share_iteration(job->rank[rank].first, iterations);
}

static uint64_t last_of(const struct job *job, uint32_t rank, uint64_t iterations)
{
    return keel_rate_share_iteration(job->rank[rank].last, iterations);
}

/* One instance: what ranks send is added up, and where blocks change, weights of the ranks below.
 * */
static enum keel_blocks_decision run(struct job *job, uint64_t iterations,
                                     const struct keel_blocks_part *part)
{
    struct keel_rate_sums sums = {0};
    enum keel_blocks_decision decision = KEEL_BLOCKS_KEPT;
    uint64_t below = 0;

    for (uint32_t r = 0; r < job->ranks; r++) {
        const struct keel_rate_sums own =
            keel_rate_share_measure(&job->rank[r], (double)part[r].done, part[r].busy_ns);
        keel_rate_sums_add(&sums, &own);
    }
    assert_true(sums.ranks == job->ranks);
    for (uint32_t r = 0; r < job->ranks; r++) {
        decision = keel_rate_share_decide(&job->rank[r], &sums, iterations);
        if (decision != KEEL_BLOCKS_KEPT) {
            const struct keel_rate_change change =
                keel_rate_share_change(&job->rank[r], decision, &sums, iterations);
            keel_rate_share_set(&job->rank[r], &change, r, below);
            below += change.weight;
        }
    }
    return decision;
}

static void assert_blocks_meet(const struct job *job, uint64_t iterations)
{
    assert_int_equal(first_of(job, 0, iterations), 0);
    assert_int_equal(last_of(job, job->ranks - 1, iterations), iterations);
    for (uint32_t r = 0; r < job->ranks; r++) {
        assert_true(first_of(job, r, iterations) <= last_of(job, r, iterations));
        if (r > 0) {
            assert_true(job->rank[r].first == job->rank[r - 1].last);
        }
    }
}

TEST(blocks_meet_whatever_ranks_send)
{
    allow_exceptions();
    static const double strange[] = {0, -1, NAN, INFINITY, 1e-9, 1e30, 5, 1e6};
    struct draws draws = draws_begin();
    struct keel_blocks_part part[RANKS_MAX];

    for (unsigned i = 0; i < 300; i++) {
        struct job job = begin(1 + (uint32_t)draws_below(&draws, RANKS_MAX));
        for (unsigned instance = 0; instance < 20; instance++) {
            uint64_t iterations = 1 + (draws_below(&draws, 2) == 0 ? draws_below(&draws, 50)
                                                                   : draws_next(&draws) / 2);
            for (uint32_t r = 0; r < job.ranks; r++) {
                part[r].done = draws_below(&draws, 3) * draws_below(&draws, 100);
                part[r].busy_ns = strange[draws_below(&draws, sizeof strange / sizeof *strange)];
            }
            run(&job, iterations, part);
            assert_blocks_meet(&job, iterations);
            assert_true(isfinite(keel_rate_share_speed(&job.rank[0])));
        }
    }
}

/* It is unknown whether it still is as slow as it was. */
TEST(a_rank_that_got_nothing_gets_one_after_a_while)
{
    struct job job = begin(4);
    struct keel_blocks_part part[4];
    uint64_t most = 0;

    for (unsigned instance = 0; instance < 2 * KEEL_ADJUST_PERIOD + 2; instance++) {
        for (uint32_t r = 0; r < 4; r++) {
            uint64_t done = last_of(&job, r, 1000) - first_of(&job, r, 1000);
            part[r] = (struct keel_blocks_part){.done = done,
                                                .busy_ns = (double)done * (r == 1 ? 1e7 : 1)};
        }
        run(&job, 1000, part);
        assert_blocks_meet(&job, 1000);
        uint64_t width = last_of(&job, 1, 1000) - first_of(&job, 1, 1000);
        if (instance == 1) {
            assert_int_equal(width, 0);
        }
        most = instance > 1 && width > most ? width : most;
    }
    assert_true(most >= 1 && most <= 3);
}

/* Of fewer iterations than ranks some get none, which says nothing of their speed. */
TEST(blocks_stay_where_there_are_fewer_iterations_than_ranks)
{
    struct job job = begin(5);
    struct keel_blocks *all = malloc(keel_blocks_size(5));
    struct keel_blocks_part part[5];

    assert_non_null(all);
    keel_blocks_begin(all, 5);
    for (unsigned instance = 0; instance < 3 * KEEL_ADJUST_PERIOD; instance++) {
        for (uint32_t r = 0; r < 5; r++) {
            uint64_t done = last_of(&job, r, 3) - first_of(&job, r, 3);
            part[r] = (struct keel_blocks_part){.done = done, .busy_ns = (double)done * 100};
        }
        enum keel_blocks_decision decision = run(&job, 3, part);
        assert_int_equal(decision, keel_blocks_learn(all, 3, part));
        assert_int_equal(decision, instance == 0 ? KEEL_BLOCKS_MOVED : KEEL_BLOCKS_KEPT);
    }
    free(all);
}
