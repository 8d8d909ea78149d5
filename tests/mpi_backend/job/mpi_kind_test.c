/* MPIs are told apart by their version texts, and this process has the one that was built for. */
#include <stddef.h>

#include <mpi.h>

#include "mpi_backend/process/mpi_process.h"
#include "tests/support/unit.h"

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
