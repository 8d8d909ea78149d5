/* Whether loops of a program come to Keel. */
#include "omp_ext/command/doctor/program_loops.h"

#include <unistd.h>

#include "omp_ext/command/programs/elf/openmp.h"
#include "omp_ext/command/programs/elf/program.h"
#include "omp_ext/command/programs/unseen.h"

void keel_program_loops(const char *name, struct keel_finding *finding)
{
    static struct keel_program program;
    static struct keel_openmp openmp;

    keel_program_read(name, &program);
    if (access(program.file, X_OK) != 0) {
        keel_finding_set(finding, KEEL_FINDING_FAILS, "", "'%s' is no program", name);
        return;
    }
    const char *obstacle = keel_unseen_obstacle(name);
    if (obstacle[0] != '\0') {
        keel_finding_set(finding, KEEL_FINDING_FAILS, "", "no loop of '%s' can come to Keel: %s",
                         name, obstacle);
        return;
    }
    keel_openmp_read(&program, &openmp);
    if (openmp.behind) {
        keel_finding_set(finding, KEEL_FINDING_FAILS, "link -lkeel before -lgomp (`keel libs`)",
                         "'%s' is linked with libgomp (%s) before libkeel.so, so that no loop "
                         "comes to Keel but under `keel run`",
                         name, openmp.library);
    } else if (openmp.runtime_loops) {
        keel_finding_set(finding, KEEL_FINDING_WORKS, "", "'%s' has loops that come to Keel, %s",
                         name, openmp.linked ? "which it is linked with" : "under `keel run`");
    } else {
        keel_finding_set(finding, KEEL_FINDING_ABSENT, "", "no loop of '%s' comes to Keel: %s",
                         name, keel_unseen_remedy(name));
    }
}
