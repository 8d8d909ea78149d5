/* The pass that brings the calls of marked loops (marks.h) to Keel. */
#ifndef OMP_EXT_PLUGIN_CALLS_H
#define OMP_EXT_PLUGIN_CALLS_H

#include <gcc-plugin.h>

#include <tree.h>
#include <tree-pass.h>

/* The pass that stands behind `ompexp`. plugin: its name, for what GCC's collector has to know. */
opt_pass *keel_calls_pass(gcc::context *context, const char *plugin);

#endif
