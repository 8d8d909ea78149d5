/* What is advised on machines of several kinds, and what does not fit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/topology/topology.h"
#include "tests/support/unit.h"

static const struct keel_topology_facts desktop = {
    .cores = 8, .processors = 16, .nodes = 1, .online = 16, .kinds = 1};
static const struct keel_topology_facts server = {
    .cores = 64, .processors = 64, .nodes = 4, .online = 64, .kinds = 1};

static char text[4096];

static const char *advice(const struct keel_topology_facts *facts)
{
    FILE *stream = fmemopen(text, sizeof text, "w");

    keel_topology_print_settings(facts, stream);
    fclose(stream);
    return text;
}

/* What is said, "" for nothing. */
static const char *warnings(struct keel_topology_facts facts)
{
    FILE *stream = fmemopen(text, sizeof text, "w");

    text[0] = '\0';
    unsigned count = keel_topology_print_warnings(&facts, stream);
    fclose(stream);
    assert_int_equal(count > 0, text[0] != '\0');
    return text;
}

static void assert_says(const char *said, const char *part)
{
    if (strstr(said, part) == NULL) {
        print_error("'%s' is not in:\n%s", part, said);
        fail();
    }
}

static void assert_silent(const char *said, const char *part)
{
    if (strstr(said, part) != NULL) {
        print_error("'%s' is in:\n%s", part, said);
        fail();
    }
}

TEST(threads_are_as_many_as_cores_or_the_quota)
{
    struct keel_topology_facts facts = desktop;

    assert_int_equal(keel_topology_threads(&facts, 1), 8);
    assert_int_equal(keel_topology_threads(&facts, 3), 2);
    assert_int_equal(keel_topology_threads(&facts, 9), 1);
    facts.quota = 2.5;
    assert_int_equal(keel_topology_threads(&facts, 1), 2);
    facts.quota = 0.25;
    assert_int_equal(keel_topology_threads(&facts, 1), 1);
    facts.quota = 20;
    assert_int_equal(keel_topology_threads(&facts, 1), 8);
}

TEST(settings_follow_the_machine)
{
    struct keel_topology_facts facts = desktop;

    assert_says(advice(&facts), "OMP_NUM_THREADS=8 OMP_PROC_BIND=close OMP_PLACES=cores\n");
    assert_says(advice(&facts), "OMP_NUM_THREADS=16 OMP_PROC_BIND=close OMP_PLACES=threads\n");
    assert_says(advice(&facts), "mpirun -n 8 --bind-to core -x OMP_NUM_THREADS=1 PROGRAM\n");
    assert_silent(advice(&facts), "schedule");
    assert_silent(advice(&server), "OMP_PLACES=threads");
    assert_says(advice(&server),
                "mpirun --map-by ppr:1:numa:PE=16 --bind-to core -x OMP_NUM_THREADS=16 PROGRAM\n");
    facts.kinds = 2;
    assert_says(advice(&facts), "keel run -s steal PROGRAM");
}

TEST(under_a_quota_threads_are_not_bound)
{
    struct keel_topology_facts facts = server;

    facts.quota = 4;
    assert_says(advice(&facts), "OMP_NUM_THREADS=4  (as the quota");
    assert_silent(advice(&facts), "OMP_PROC_BIND");
    assert_silent(advice(&facts), "mpirun");
}

TEST(a_bound_rank_hears_how_to_get_more_cores)
{
    struct keel_topology_facts facts = server;

    facts.cores = facts.processors = 1;
    facts.ranks = 4;
    assert_says(advice(&facts), "--map-by slot:PE=16 --bind-to core -x OMP_NUM_THREADS=16");
    assert_says(advice(&facts), "gives each of the 4 ranks 16 cores instead of 1\n");
    facts.cores = facts.processors = 16;
    assert_silent(advice(&facts), "mpirun");
}

TEST(what_fits_is_not_spoken_of)
{
    struct keel_topology_facts facts = server;

    assert_string_equal(warnings(facts), "");
    facts.threads = 64;
    assert_string_equal(warnings(facts), "");
    facts.bound = true;
    facts.bound_processors = 64;
    facts.quota = 64;
    facts.ranks = 1;
    assert_string_equal(warnings(facts), "");
}

TEST(more_threads_than_cores_are_named)
{
    struct keel_topology_facts facts = desktop;

    facts.threads = 17;
    assert_says(warnings(facts), "17 threads on 16 processors take turns; OMP_NUM_THREADS=8\n");
    facts.threads = 16;
    assert_says(warnings(facts), "16 threads on 8 cores share them");
    facts.threads = 8;
    facts.bound = true;
    facts.bound_processors = 4;
    assert_says(warnings(facts), "8 threads are bound to 4 processors and take turns");
    facts.bound_processors = 8;
    facts.quota = 2;
    assert_says(warnings(facts), "8 threads under a quota of 2 cores: ");
    assert_says(warnings(facts), "OMP_NUM_THREADS=2\n");
}

TEST(ranks_that_share_processors_are_named)
{
    struct keel_topology_facts facts = server;

    facts.threads = 64;
    facts.ranks = 4;
    assert_says(warnings(facts), "4 ranks of 64 threads share 64 processors; with 16 each:\n");
    assert_says(warnings(facts), "--map-by slot:PE=16 --bind-to core -x OMP_NUM_THREADS=16");
    facts.threads = 16;
    assert_string_equal(warnings(facts), "");
    /* bound ranks have processors of their own */
    facts.threads = facts.processors = facts.cores = 16;
    assert_string_equal(warnings(facts), "");
}
