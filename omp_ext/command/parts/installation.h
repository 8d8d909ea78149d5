/* Where the files of Keel stand, seen from the `keel` executable: beside it, as Bazel puts them,
 * or in PREFIX/lib/keel and PREFIX/include with the executable in PREFIX/bin. */
#ifndef OMP_EXT_COMMAND_PARTS_INSTALLATION_H
#define OMP_EXT_COMMAND_PARTS_INSTALLATION_H

#include <limits.h>
#include <stdbool.h>

enum keel_installed_part {
    KEEL_PART_LIBRARY,
    KEEL_PART_PLUGIN,
    KEEL_PART_HEADER,
    KEEL_PART_MPI_LIBRARY,
    KEEL_PART_MPI_HEADER,
    KEEL_PART_TOPOLOGY,
    KEEL_PART_CALIBRATE
};

struct keel_installed {
    char folder[PATH_MAX]; /* absolute, without links */
    const char *file;      /* name in it */
};

/* Finds a file; says what is missing, and where it was looked for, when it returns false. */
bool keel_installation_find(enum keel_installed_part part, struct keel_installed *found);

#endif
