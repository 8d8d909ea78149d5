/* The line that brings a part of Keel that is missing, by the way that Keel came: Bazel's folder,
 * //:install, a tarball or Debian packages. */
#ifndef OMP_EXT_COMMAND_DOCTOR_REPAIR_H
#define OMP_EXT_COMMAND_DOCTOR_REPAIR_H

#include <stdbool.h>

#define KEEL_REPAIR_MAX 512 /* bytes of it */

/* Installs again, or Debian's package of that name. again: the package is there, and lacks
 * something. Returns `line`. */
const char *keel_repair(const char *package, bool again, char line[KEEL_REPAIR_MAX]);

/* The same for a plugin that fits GCC of that major version. What was not built here can't get one:
 * then the line names the newest GCC that there is a plugin for. */
const char *keel_repair_plugin(unsigned major, char line[KEEL_REPAIR_MAX]);

#endif
