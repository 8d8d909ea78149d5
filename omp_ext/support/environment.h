/* What the command reads from its own environment. */
#ifndef OMP_EXT_SUPPORT_ENVIRONMENT_H
#define OMP_EXT_SUPPORT_ENVIRONMENT_H

#include <stdbool.h>

/* The value of a variable; NULL where it is unset or empty, or
 * where the program has rights that its caller need not have. */
const char *keel_environment_value(const char *name);

/* --- programs that have rights which their caller need not have ---
 *
 * Setuid, setgid, or capabilities of the file. What their caller puts into the environment must not
 * name files that they then read or write. */

/* Whether this process is such a program. Any thread, at any time. */
bool keel_privilege_is_raised(void);

/* Whether variable `name`, which names a file, does not count here, which a message then says. Any
 * thread. */
bool keel_privilege_forbids(const char *name);

#endif
