/* What stands behind -fplugin-arg-keel_plugin-. */
#ifndef OMP_EXT_PLUGIN_PLUGIN_OPTIONS_H
#define OMP_EXT_PLUGIN_PLUGIN_OPTIONS_H

#include <gcc-plugin.h>

struct keel_plugin_options {
    unsigned explicit_mask; /* bit 1 << kind: loops with that clause are taken, too */
    bool nowait;            /* the author says that no loop relies on the shares of one before it */
    bool target;
    bool verbose;
};

/* Written by plugin_init alone, before any function is compiled. */
extern keel_plugin_options keel_options;

/* Reads the arguments. What is wrong draws a warning, and the compilation goes on. */
void keel_options_read(const plugin_name_args *plugin);

#endif
