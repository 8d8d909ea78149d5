/* Hosts of ranks: names as they were told, numbers in common where names are, and no more memory
 * than that takes. */
#include <malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/job/processes/processes.h"
#include "tests/support/unit.h"

static struct keel_mpi_hosts *hosts_of(const char (*name)[KEEL_MPI_HOST_MAX], uint32_t ranks)
{
    struct keel_mpi_hosts *hosts = keel_mpi_hosts_room(ranks);

    assert_non_null(hosts);
    return keel_mpi_hosts_note(hosts, name);
}

TEST(each_rank_has_its_name)
{
    static const char name[][KEEL_MPI_HOST_MAX] = {
        "node2", "node10", "node2", "", "a-name-of-thirty-one-characters", "node1"};
    struct keel_mpi_hosts *hosts = hosts_of(name, 6);

    for (uint32_t i = 0; i < 6; i++) {
        assert_string_equal(keel_mpi_hosts_name(hosts, i), name[i]);
    }
    keel_mpi_hosts_free(hosts);
}

TEST(numbers_are_those_of_names)
{
    static const char name[][KEEL_MPI_HOST_MAX] = {"b", "a", "b", "ab", "a", ""};
    struct keel_mpi_hosts *hosts = hosts_of(name, 6);

    for (uint32_t i = 0; i < 6; i++) {
        for (uint32_t j = 0; j < 6; j++) {
            assert_int_equal(keel_mpi_hosts_number(hosts, i) == keel_mpi_hosts_number(hosts, j),
                             strcmp(name[i], name[j]) == 0);
        }
    }
    keel_mpi_hosts_free(hosts);
}

TEST(ranks_are_listed_as_far_as_there_is_room)
{
    static const char name[][KEEL_MPI_HOST_MAX] = {"a", "b", "a"};
    struct keel_mpi_hosts *hosts = hosts_of(name, 3);
    char text[30] = "";

    keel_mpi_hosts_add_to(hosts, 1, text, sizeof text);
    assert_string_equal(text, "rank 1 (b)");
    keel_mpi_hosts_add_to(hosts, 2, text, sizeof text);
    assert_string_equal(text, "rank 1 (b), rank 2 (a)");
    keel_mpi_hosts_add_to(hosts, 0, text, sizeof text);
    assert_string_equal(text, "rank 1 (b), rank 2 (a), rank ");
    keel_mpi_hosts_add_to(hosts, 0, text, sizeof text);
    assert_string_equal(text, "rank 1 (b), rank 2 (a), rank ");
    keel_mpi_hosts_free(hosts);
}

/* Before they are told, as where messages come while a job is opened. */
TEST(unknown_names_are_empty)
{
    struct keel_mpi_hosts *hosts = keel_mpi_hosts_room(3);

    assert_non_null(hosts);
    assert_string_equal(keel_mpi_hosts_name(hosts, 2), "");
    assert_string_equal(keel_mpi_hosts_name(NULL, 2), "");
    assert_int_equal(keel_mpi_hosts_number(NULL, 1), keel_mpi_hosts_number(NULL, 2));
    keel_mpi_hosts_free(hosts);
    keel_mpi_hosts_free(NULL);
}

/* Of 64 bytes for each rank of the job that all tables of a rank may take. */
TEST(a_rank_takes_few_bytes)
{
    enum { RANKS = 4096 };
    char(*name)[KEEL_MPI_HOST_MAX] = calloc(RANKS, sizeof *name);

    assert_non_null(name);
    for (uint32_t i = 0; i < RANKS; i++) {
        snprintf(name[i], sizeof name[i], "node%u", i / 64);
    }
    struct keel_mpi_hosts *hosts = hosts_of((const char(*)[KEEL_MPI_HOST_MAX])name, RANKS);
    assert_true(malloc_usable_size(hosts) <= 6 * RANKS); /* pages are given back, not bytes */
    for (uint32_t i = 0; i < RANKS; i++) {
        assert_string_equal(keel_mpi_hosts_name(hosts, i), name[i]);
    }
    keel_mpi_hosts_free(hosts);
    free(name);
}
