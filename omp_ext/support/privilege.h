/* Programs that have rights which their caller need not have: setuid, setgid, or capabilities of
 * the file. What their caller puts into the environment must not name files that they then read or
 * write. */
#ifndef OMP_EXT_SUPPORT_PRIVILEGE_H
#define OMP_EXT_SUPPORT_PRIVILEGE_H

#include <stdbool.h>

/* Whether this process is such a program. Any thread, at any time. */
bool keel_privilege_is_raised(void);

/* Whether variable `name`, which names a file, does not count here, which a message then says. Any
 * thread. */
bool keel_privilege_forbids(const char *name);

#endif
