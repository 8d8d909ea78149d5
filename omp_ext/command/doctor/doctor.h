/* What `keel doctor` finds in one respect, and what comes of compiling and running a program. */
#ifndef OMP_EXT_COMMAND_DOCTOR_DOCTOR_H
#define OMP_EXT_COMMAND_DOCTOR_DOCTOR_H

#include <stdbool.h>

#include "omp_ext/command/parts/parts.h"

enum keel_finding_state {
    KEEL_FINDING_WORKS,
    KEEL_FINDING_BETTER, /* works, and something could be better */
    KEEL_FINDING_ABSENT, /* is not there, and only some need it */
    KEEL_FINDING_FAILS,
};

struct keel_finding {
    enum keel_finding_state state;
    char text[1024];  /* what there is */
    char repair[512]; /* the line that repairs it or makes it better; "": there is none */
};

/* Fills `finding`; texts are cut to what has room. */
void keel_finding_set(struct keel_finding *finding, enum keel_finding_state state,
                      const char *repair, const char *text, ...)
    __attribute__((format(printf, 4, 5)));

/* Compiles a program with that compiler, and runs it under Keel: a loop with schedule(runtime), one
 * without a clause and the plugin, and the libgomp of both. Leaves no files. Takes a second. */
void keel_trial_run(const struct keel_compiler *compiler, struct keel_finding *loops,
                    struct keel_finding *plugin, struct keel_finding *libgomp);

#define KEEL_REPAIR_MAX 512 /* bytes */

/* The line that brings a part of Keel that is missing, by the way that Keel came: Bazel's folder,
 * //:install, a tarball or Debian packages. Installs again, or Debian's package of that name.
 * again: the package is there, and lacks something. Returns `line`. */
const char *keel_repair(const char *package, bool again, char line[KEEL_REPAIR_MAX]);

#endif
