/* Lines that repair an installation. */
#include "omp_ext/command/doctor/repair.h"

#include <stdio.h>

#include "omp_ext/command/parts/installation.h"

#define INSTALL "bazel run //:install -- --prefix=DIR"

const char *keel_repair(const char *package, bool again, char line[KEEL_REPAIR_MAX])
{
    if (keel_installation_is_debians()) {
        snprintf(line, KEEL_REPAIR_MAX, "apt-get install %s%s", again ? "--reinstall " : "",
                 package);
    } else {
        snprintf(line, KEEL_REPAIR_MAX, INSTALL);
    }
    return line;
}

const char *keel_repair_plugin(unsigned major, char line[KEEL_REPAIR_MAX])
{
    struct keel_installed header;

    if (!keel_installation_is_debians()) {
        snprintf(line, KEEL_REPAIR_MAX, "apt-get install gcc-%u-plugin-dev && " INSTALL, major);
    } else if (!keel_installation_has(KEEL_PART_HEADER, "", &header)) {
        return keel_repair("libkeel-dev", false, line);
    } else { /* the package has plugins for other versions */
        snprintf(line, KEEL_REPAIR_MAX,
                 "apt-get install gcc-%u-plugin-dev && bazel run //.packaging:deb -- FOLDER",
                 major);
    }
    return line;
}
