/* Code that branches in the place of a call, for the pass behind `ompexp`. */
#ifndef OMP_EXT_PLUGIN_BRANCHES_H
#define OMP_EXT_PLUGIN_BRANCHES_H

#include <gcc-plugin.h>

#include <tree.h>
#include <basic-block.h>
#include <gimple.h>
#include <gimple-iterator.h>

/* if (a code b) yes else no; join, in the place of a call. */
struct keel_branch {
    basic_block yes, no;
    gimple_stmt_iterator behind; /* in front of what followed the call */
};

/* Splits behind `stmt`; NULL: at the beginning of the block. */
keel_branch choose_behind(basic_block block, gimple *stmt, gcond *condition);

void append(basic_block block, gimple *stmt, location_t where);

/* Returns the last of them. */
gimple *append_all(basic_block block, gimple_seq statements, location_t where);

gcond *is_not_zero(tree value);

tree constant(unsigned value);

/* lhs = value != 0; nothing where the program has no use for it. */
void append_truth(gimple_seq *statements, tree lhs, tree value);

#endif
