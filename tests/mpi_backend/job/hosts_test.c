/* Hosts, and which MPI it is. */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/job/processes.h"
#include "mpi_backend/process/mpi_process.h"
#include "tests/support/unit.h"

/* --- hosts of ranks: names as they were sent, numbers in common where names are, and no more
 * memory than that takes --- */

static struct keel_mpi_hosts *hosts_of(const char (*name)[KEEL_MPI_HOST_MAX], uint32_t ranks)
{
    struct keel_mpi_hosts *hosts = keel_mpi_hosts_room(ranks);

    assert_non_null(hosts);
    return keel_mpi_hosts_note(hosts, name);
}

TEST(each_rank_has_its_name)
{
    static const char name[][KEEL_MPI_HOST_MAX] = {
        "node2", "node10", "node2", "n", "a-name-of-thirty-one-characters", "node1"};
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

/* Before they are known, as where messages come while a job is opened. */
TEST(unknown_hosts_are_said_to_be)
{
    struct keel_mpi_hosts *hosts = keel_mpi_hosts_room(3);

    assert_non_null(hosts);
    assert_string_equal(keel_mpi_hosts_name(hosts, 2), "host not known");
    assert_string_equal(keel_mpi_hosts_name(NULL, 2), "host not known");
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

/* --- which MPI it is: MPIs are distinguished by their version texts, and this process has the one
 * that was built for --- */

static void is_kind(const char *version, enum keel_mpi_family family, const char *name)
{
    struct keel_mpi_kind kind = keel_mpi_kind_of(version);

    assert_int_equal(kind.family, family);
    assert_string_equal(kind.name, name);
}

TEST(texts_of_the_families_are_known)
{
    is_kind("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", KEEL_MPI_FAMILY_OPEN_MPI,
            "Open MPI");
    is_kind("IBM Spectrum MPI 10.4", KEEL_MPI_FAMILY_OPEN_MPI, "IBM Spectrum MPI");
    is_kind("MPICH Version:\t4.0.2\nMPICH Release date:\tThu", KEEL_MPI_FAMILY_MPICH, "MPICH");
    is_kind("Intel(R) MPI Library 2021.9 for Linux* OS\nMPICH ABI: 14", KEEL_MPI_FAMILY_MPICH,
            "Intel MPI");
    is_kind("MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)", KEEL_MPI_FAMILY_MPICH,
            "Cray MPICH");
    is_kind("MVAPICH2 Version      :\t2.3.7", KEEL_MPI_FAMILY_MPICH, "MVAPICH");
}

TEST(other_texts_are_of_no_family)
{
    is_kind("", KEEL_MPI_FAMILY_UNKNOWN, "another MPI");
    is_kind("SMPI Version 3.32", KEEL_MPI_FAMILY_UNKNOWN, "another MPI");
}

TEST(the_own_mpi_is_not_wrong)
{
    assert_false(keel_mpi_kind_is_wrong());
}
