/* Lines that repair an installation. */
#include "omp_ext/command/doctor/repair.h"

#include <stdio.h>
#include <string.h>

#include "omp_ext/command/parts/compiler.h"
#include "omp_ext/command/parts/installation.h"

enum { GCC_MIN = 9, GCC_MAX = 39 }; /* versions that plugins may be for */

const char *keel_repair(const char *package, bool again, char line[KEEL_REPAIR_MAX])
{
    if (!keel_installation_is_debians()) {
        return keel_installation_again(line, KEEL_REPAIR_MAX);
    }
    /* //.packaging:deb made them; no archive has them. */
    snprintf(line, KEEL_REPAIR_MAX, "apt-get install %sFOLDER/%s_*.deb",
             again ? "--reinstall " : "", package);
    return line;
}

/* The newest GCC that there is a plugin for; 0: none. */
static unsigned newest_plugin(void)
{
    struct keel_installed unused;
    char folder[32];

    for (unsigned major = GCC_MAX; major >= GCC_MIN; major--) {
        snprintf(folder, sizeof folder, "gcc-%u", major);
        if (keel_installation_has(KEEL_PART_PLUGIN, folder, &unused)) {
            return major;
        }
    }
    return 0;
}

/* The line that takes another compiler, and brings it where it is not there. */
static const char *take_gcc(unsigned major, char line[KEEL_REPAIR_MAX])
{
    char command[32], install[64] = "";

    snprintf(command, sizeof command, "gcc-%u", major);
    if (keel_compiler_ask("CC", command).answer != KEEL_COMPILER_GCC) {
        snprintf(install, sizeof install, "apt-get install gcc-%u && ", major);
    }
    snprintf(line, KEEL_REPAIR_MAX, "%sexport CC=gcc-%u CXX=g++-%u FC=gfortran-%u", install, major,
             major, major);
    return line;
}

const char *keel_repair_plugin(unsigned major, char line[KEEL_REPAIR_MAX])
{
    bool debians = keel_installation_is_debians();
    unsigned newest = newest_plugin();
    struct keel_installed header;
    char again[KEEL_REPAIR_MAX];

    keel_repair("libkeel-dev", keel_installation_has(KEEL_PART_HEADER, "", &header), again);
    if (!debians && strncmp(again, "bazel ", 6) == 0) {
        snprintf(line, KEEL_REPAIR_MAX, "apt-get install gcc-%u-plugin-dev && %.400s", major,
                 again);
    } else if (newest != 0) {
        take_gcc(newest, line);
    } else {
        snprintf(line, KEEL_REPAIR_MAX, "%s", again);
    }
    return line;
}
