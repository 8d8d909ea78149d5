/* Processes that a launcher has started as ranks of one job. Pure: the caller reads the
 * environment. */
#ifndef OMP_EXT_MACHINE_LAUNCH_H
#define OMP_EXT_MACHINE_LAUNCH_H

#include <stdbool.h>

enum keel_launch {
    KEEL_LAUNCH_ALONE, /* no launcher tells */
    KEEL_LAUNCH_FIRST, /* the first rank of its node: it says what all of them would say */
    KEEL_LAUNCH_OTHER
};

/* value_of: of a variable of the environment; NULL: not set. */
enum keel_launch keel_launch_role(const char *(*value_of)(const char *name));

#endif
