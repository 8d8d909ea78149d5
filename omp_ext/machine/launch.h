/* Processes that a launcher has started as ranks of one job. Pure: the caller reads the
 * environment. */
#ifndef OMP_EXT_MACHINE_LAUNCH_H
#define OMP_EXT_MACHINE_LAUNCH_H

#include <stdbool.h>

enum keel_launch {
    KEEL_LAUNCH_ALONE, /* no launcher sets it */
    KEEL_LAUNCH_FIRST, /* the first rank of its node: it says what all of them would say */
    KEEL_LAUNCH_OTHER
};

/* value_of: of a variable of the environment; NULL: not set. */
enum keel_launch keel_launch_role(const char *(*value_of)(const char *name));

/* How many ranks the launcher has started: of the job on this node, and of the job in all; 0:
 * unknown.
 */
unsigned keel_launch_local_ranks(const char *(*value_of)(const char *name));
unsigned keel_launch_ranks(const char *(*value_of)(const char *name));

/* This process's number among the ranks of its node, and among all ranks of the job; -1:
 * unknown. */
int keel_launch_local_rank(const char *(*value_of)(const char *name));
int keel_launch_rank(const char *(*value_of)(const char *name));

#define KEEL_LAUNCH_JOB_MAX 128 /* bytes, terminator included */

/* What the launcher calls the job, the same for all its ranks and another for the next job, in
 * letters, digits, '.', '-' and '_'; "" if there is none. */
void keel_launch_job(const char *(*value_of)(const char *name), char *name);

#endif
