/* Finding the files of Keel. */
#include "omp_ext/command/parts/installation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/support/message.h"
#include "schedules/text/text.h"

#define PLACES_MAX 3

struct part {
    const char *file;
    const char *place
        [PLACES_MAX]; /* relative to the executable's folder; the first that has the file counts */
};

static const struct part parts[] = {
    [KEEL_PART_LIBRARY] = {"libkeel.so", {".", "../lib/keel"}},
    [KEEL_PART_PLUGIN] = {"keel_plugin.so", {".", "plugin", "../lib/keel"}},
    [KEEL_PART_HEADER] = {"keel.h", {"include", "../include"}},
    [KEEL_PART_MPI_LIBRARY] = {"libkeel_mpi.so", {".", "../lib/keel"}},
    [KEEL_PART_MPI_HEADER] = {"keel_mpi.h", {"include", "../include"}},
    [KEEL_PART_TOPOLOGY] = {"libkeel_topology.so", {".", "../lib/keel"}},
    [KEEL_PART_CALIBRATE] = {"keel_calibrate", {".", "../lib/keel"}},
};

/* The executable's folder; "" if /proc does not tell. */
static void find_own_folder(char *folder)
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);

    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
}

static bool is_at(const char *own, const char *place, struct keel_installed *found)
{
    char path[2 * PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", own, place);
    if (realpath(path, found->folder) == NULL) {
        return false;
    }
    snprintf(path, sizeof path, "%s/%s", found->folder, found->file);
    return access(path, R_OK) == 0;
}

static void report_missing(const struct part *part, const char *own)
{
    char places[256] = "";
    size_t length = 0;

    for (unsigned i = 0; i < PLACES_MAX && part->place[i] != NULL; i++) {
        length = keel_text_append(places, sizeof places, length, "%s%s/%s", i == 0 ? "" : ", ",
                                  part->place[i], part->file);
    }
    keel_message("%s is not there; looked for %s, seen from %s", part->file, places, own);
}

bool keel_installation_find(enum keel_installed_part part, struct keel_installed *found)
{
    char own[PATH_MAX];

    find_own_folder(own);
    found->file = parts[part].file;
    for (unsigned i = 0; i < PLACES_MAX && parts[part].place[i] != NULL; i++) {
        if (is_at(own, parts[part].place[i], found)) {
            return true;
        }
    }
    report_missing(&parts[part], own);
    return false;
}
