/* Processes that a launcher has started as ranks of one job. Pure: the caller reads the
 * environment. */
#ifndef OMP_EXT_LAUNCH_H
#define OMP_EXT_LAUNCH_H

#include <stdbool.h>

/* Whether this process is to say what each of its node's ranks would say alike: it is the first
 * one there, or no launcher tells. value_of: of a variable of the environment; NULL: not set. */
bool keel_launch_speaks(const char *(*value_of)(const char *name));

#endif
