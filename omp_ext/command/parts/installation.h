/* Where the files of Keel stand, seen from the `keel` executable: beside it, as Bazel puts them,
 * or in PREFIX/lib, PREFIX/lib/keel and PREFIX/include with the executable in PREFIX/bin; for lib
 * also lib64 or Debian's folder of the architecture. */
#ifndef OMP_EXT_COMMAND_PARTS_INSTALLATION_H
#define OMP_EXT_COMMAND_PARTS_INSTALLATION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum keel_installed_part {
    KEEL_PART_LIBRARY,        /* what programs load */
    KEEL_PART_LINKED_LIBRARY, /* what the linker looks for */
    KEEL_PART_PLUGIN,         /* in a folder gcc-N for each major version N of GCC */
    KEEL_PART_HEADER,
    KEEL_PART_MPI_LIBRARY,
    KEEL_PART_LINKED_MPI_LIBRARY,
    KEEL_PART_MPI_HEADER,
    KEEL_PART_EARLY,
    KEEL_PART_MEMORY,
    KEEL_PART_REPORT,
    KEEL_PART_SOURCE,
    KEEL_PART_TOPOLOGY
};

struct keel_installed {
    char folder[PATH_MAX]; /* absolute, without links */
    const char *file;      /* name in it */
};

/* Finds a file; says what is missing, and where it was looked for, when it returns false. */
bool keel_installation_find(enum keel_installed_part part, struct keel_installed *found);

/* The same in a folder `inner` of the places, and without a message. */
bool keel_installation_has(enum keel_installed_part part, const char *inner,
                           struct keel_installed *found);

bool keel_installation_find_in(enum keel_installed_part part, const char *inner,
                               struct keel_installed *found);

/* Whether it stands in Bazel's cache, which `bazel clean` empties. */
bool keel_installation_is_bazels(const struct keel_installed *found);

/* A message where that is so: for who prints its path. */
void keel_installation_say_if_bazels(const struct keel_installed *found);

/* The command line that installs this Keel again, as its installation wrote it down; without one,
 * in Bazel's folder, what installs it at all. Cut to `size` bytes. Returns `line`. */
const char *keel_installation_again(char *line, size_t size);

/* Whether the executable comes from a Debian package. */
bool keel_installation_is_debians(void);

#endif
