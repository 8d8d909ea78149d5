/* One run of the program that is checked: what its environment gets. */
#ifndef OMP_EXT_COMMAND_CHECK_CHECKED_RUN_H
#define OMP_EXT_COMMAND_CHECK_CHECKED_RUN_H

#include <stdbool.h>

#include "omp_ext/command/programs/group_run.h"
#include "omp_ext/command/programs/library.h"

#define KEEL_CHECKED_RUN_VALUE_MAX 4352 /* bytes of a KEEL_CHECK */

struct keel_checked_run {
    struct keel_group_run run;                /* `prepare` and `context` aside */
    const char *threads;                      /* OMP_NUM_THREADS; NULL: stays as it is */
    const struct keel_preloading *preloading; /* NULL: without Keel */
    bool takes_explicit;                      /* KEEL_OVERRIDE=dynamic,guided */
    char check[KEEL_CHECKED_RUN_VALUE_MAX];   /* KEEL_CHECK */
};

/* As keel_group_run_do(). */
struct keel_group_run_end keel_checked_run_do(const struct keel_checked_run *checked_run);

#endif
