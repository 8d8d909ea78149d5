/* The variable that each marked loop has in the program, see struct keel_worksharing_loop in
 * omp_ext/gomp/worksharing.h. */
#ifndef OMP_EXT_PLUGIN_LOOP_VARIABLE_H
#define OMP_EXT_PLUGIN_LOOP_VARIABLE_H

#include <gcc-plugin.h>

#include <tree.h>
#include <gimple.h>

/* A new one, for the loop at `where`. */
tree keel_loop_variable(location_t where);

/* Code whose last statement sets a truth: whether the program divides a loop of `count` iterations
 * by itself. count: unsigned; NULL_TREE: any number. */
gimple_seq keel_loop_variable_test(tree variable, tree count);

#endif
