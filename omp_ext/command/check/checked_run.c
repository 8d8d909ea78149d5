/* One run of the program that is checked. */
#define _GNU_SOURCE
#include "omp_ext/command/check/checked_run.h"

#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/programs/child.h"

/* Whether order within a thread matters is the user's word. */
static const char * override(bool takes_explicit)
{
    const char *said = getenv("KEEL_OVERRIDE");
    bool nonmonotonic = said != NULL && strcasestr(said, "nonmonotonic") != NULL;

    return !takes_explicit ? NULL : nonmonotonic ? "dynamic,guided,nonmonotonic" : "dynamic,guided";
}

/* What has been asked for by the environment is not what is checked. Shares of runtime loops are
 * the ones that least depend on chance, unless somebody has said otherwise. */
static void prepare_environment(const void *context)
{
    static const char *const unwanted[] = {"KEEL_SCHEDULE", "KEEL_TRACE",  "KEEL_MEMORY",
                                           "KEEL_EXPLAIN",  "KEEL_REPORT", "KEEL_SEEN"};
    const struct keel_checked_run *checked_run = context;

    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++) {
        unsetenv(unwanted[i]);
    }
    setenv("OMP_SCHEDULE", "static", 0);
    keel_child_set("OMP_NUM_THREADS", checked_run->threads);
    if (checked_run->preloading != NULL) {
        keel_child_set("LD_LIBRARY_PATH", checked_run->preloading->library_path);
        keel_child_set("LD_PRELOAD", checked_run->preloading->preload);
        keel_child_set("KEEL_OVERRIDE", override(checked_run->takes_explicit));
        keel_child_set("KEEL_CHECK", checked_run->check);
    }
}

struct keel_group_run_end keel_checked_run_do(const struct keel_checked_run *checked_run)
{
    struct keel_group_run run = checked_run->run;

    run.prepare = prepare_environment;
    run.context = checked_run;
    return keel_group_run_do(&run);
}
