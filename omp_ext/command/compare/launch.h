/* How a candidate's run is started: its environment, and with ranks its command line. */
#ifndef OMP_EXT_COMMAND_COMPARE_LAUNCH_H
#define OMP_EXT_COMMAND_COMPARE_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/command/compare/candidates.h"
#include "omp_ext/command/programs/library.h"

#define KEEL_LAUNCH_SETTINGS_MAX 12

/* NAME=VALUE, in memory of malloc. */
struct keel_launch_settings {
    size_t count;
    char *of[KEEL_LAUNCH_SETTINGS_MAX];
};

struct keel_launch {
    char **program;      /* and its arguments, as the person has written them */
    unsigned ranks;      /* to be started by mpirun; 0: the program as it is */
    const char *threads; /* OMP_NUM_THREADS; NULL: stays as it is */
    const struct keel_preloading *preloading;
    const char *report; /* KEEL_REPORT: a file */
    const char *seen;   /* KEEL_SEEN: a file that tells whether a loop came to Keel's schedules */
    bool as_printed;    /* without these two and, for libgomp's schedules, without Keel: what a job
                           script gets */
};

/* What a run gets. Those of Open MPI's mpirun are for its ranks: they go by -x, and mpirun itself
 * does not see them. */
struct keel_launch_command {
    char **argument; /* of execvp() */
    bool for_ranks;  /* the settings stand in `argument` */
    struct keel_launch_settings environment;
};

/* What a candidate's run gets. False: no memory. */
bool keel_launch_settings(struct keel_launch_settings *settings, const struct keel_launch *launch,
                          const struct keel_candidate *candidate);

void keel_launch_settings_free(struct keel_launch_settings *settings);

/* False: no memory. */
bool keel_launch_make(struct keel_launch_command *command, const struct keel_launch *launch,
                      const struct keel_candidate *candidate);

/* In the child: sets the environment. `context` is a struct keel_launch_command. */
void keel_launch_prepare(const void *context);

void keel_launch_free(struct keel_launch_command *command);

/* Whether the command line starts ranks by Open MPI's mpirun. */
bool keel_launch_is_mpirun(const struct keel_launch *launch);

/* Whether a program on the command line takes a function from elsewhere whose name begins so. */
bool keel_launch_imports(const struct keel_launch *launch, const char *prefix);

#endif
