/* Which MPI this library was built for, and which one the process has. */
#include "mpi_backend/process/mpi_process.h"

#include <mpi.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

/* MPICH's MPI_MAX_LIBRARY_VERSION_STRING, the largest; that of the process is not known. */
#define VERSION_BYTES 8192

/* Special ones first: Intel's and Cray's texts may name MPICH, too. */
static const struct {
    const char *word;
    struct keel_mpi_kind kind;
} kinds[] = {
    {"Open MPI", {KEEL_MPI_FAMILY_OPEN_MPI, "Open MPI"}},
    {"Spectrum MPI", {KEEL_MPI_FAMILY_OPEN_MPI, "IBM Spectrum MPI"}},
    {"Intel(R) MPI", {KEEL_MPI_FAMILY_MPICH, "Intel MPI"}},
    {"CRAY MPICH", {KEEL_MPI_FAMILY_MPICH, "Cray MPICH"}},
    {"MVAPICH", {KEEL_MPI_FAMILY_MPICH, "MVAPICH"}},
    {"MPICH", {KEEL_MPI_FAMILY_MPICH, "MPICH"}},
};

static const struct keel_mpi_kind built_for =
#if defined OPEN_MPI
    {KEEL_MPI_FAMILY_OPEN_MPI, "Open MPI"};
#elif defined I_MPI_VERSION
    {KEEL_MPI_FAMILY_MPICH, "Intel MPI"};
#elif defined MPICH_VERSION
    {KEEL_MPI_FAMILY_MPICH, "MPICH"};
#else
    {KEEL_MPI_FAMILY_UNKNOWN, "another MPI"};
#endif

struct keel_mpi_kind keel_mpi_kind_of(const char *library_version)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strstr(library_version, kinds[i].word) != NULL) {
            return kinds[i].kind;
        }
    }
    return (struct keel_mpi_kind){KEEL_MPI_FAMILY_UNKNOWN, "another MPI"};
}

static bool is_wrong; /* written once, by look() */

static void look(void)
{
    static char version[VERSION_BYTES];
    int length;

    if (MPI_Get_library_version(version, &length) != MPI_SUCCESS) {
        return;
    }
    struct keel_mpi_kind found = keel_mpi_kind_of(version);
    is_wrong = found.family != built_for.family && found.family != KEEL_MPI_FAMILY_UNKNOWN &&
               built_for.family != KEEL_MPI_FAMILY_UNKNOWN;
    if (is_wrong) {
        keel_mpi_misuse(
            "this program uses %s, this libkeel_mpi.so is for %s; nothing is shared among "
            "ranks",
            found.name, built_for.name);
    }
}

bool keel_mpi_kind_is_wrong(void)
{
    static pthread_once_t looked = PTHREAD_ONCE_INIT;

    pthread_once(&looked, look);
    return is_wrong;
}
