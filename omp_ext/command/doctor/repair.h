/* The line that brings a part of Keel that is missing. */
#ifndef OMP_EXT_COMMAND_DOCTOR_REPAIR_H
#define OMP_EXT_COMMAND_DOCTOR_REPAIR_H

#include <stdbool.h>

#define KEEL_REPAIR_MAX 128 /* bytes of it */

/* The way that Keel was installed: Debian's package of that name, or //:install. again: the package
 * is there, and lacks something. Returns `line`. */
const char *keel_repair(const char *package, bool again, char line[KEEL_REPAIR_MAX]);

/* The same for a plugin that fits GCC of that major version. */
const char *keel_repair_plugin(unsigned major, char line[KEEL_REPAIR_MAX]);

#endif
