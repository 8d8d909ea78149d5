/* Code that branches in the place of a call, for the pass behind `ompexp`. */
#ifndef OMP_EXT_PLUGIN_BRANCHES_H
#define OMP_EXT_PLUGIN_BRANCHES_H

#include <gcc-plugin.h>

#include <tree.h>
#include <basic-block.h>
#include <gimple.h>

/* if (a code b) yes else no; join, in the place of a call. */
struct keel_branch {
    basic_block yes, no;
};

/* Splits behind `stmt`; NULL: at the beginning of the block. */
keel_branch keel_choose_behind(basic_block block, gimple *stmt, gcond *condition);

void keel_append(basic_block block, gimple *stmt, location_t where);

/* Returns the last of them. */
gimple *keel_append_all(basic_block block, gimple_seq statements, location_t where);

gcond *keel_is_not_zero(tree value);

tree keel_constant(unsigned value);

/* lhs = value != 0; nothing where the program has no use for it. */
void keel_append_truth(gimple_seq *statements, tree lhs, tree value);

#endif
