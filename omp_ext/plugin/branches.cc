/* Code that branches in the place of a call. */
#include "omp_ext/plugin/branches.h"

#include <ssa.h>
#include <fold-const.h>
#include <cfghooks.h>
#include <cfgloop.h>
#include <gimple-iterator.h>
#include <gimple-fold.h>
#include <gimplify.h>

namespace {

basic_block branch_block(basic_block from, basic_block join, int kind)
{
    basic_block block = create_empty_bb(from);

    if (current_loops) {
        add_bb_to_loop(block, from->loop_father);
    }
    make_edge(from, block, kind);
    make_edge(block, join, EDGE_FALLTHRU);
    return block;
}

} // namespace

keel_branch keel_choose_behind(basic_block block, gimple *stmt, gcond *condition)
{
    edge on = split_block(block, stmt);
    basic_block join = on->dest;
    keel_branch choice;

    remove_edge(on);
    choice.no = branch_block(block, join, EDGE_FALSE_VALUE);
    choice.yes = branch_block(block, join, EDGE_TRUE_VALUE);
    gimple_stmt_iterator end = gsi_last_bb(block);
    gsi_insert_after(&end, condition, GSI_NEW_STMT);
    return choice;
}

void keel_append(basic_block block, gimple *stmt, location_t where)
{
    gimple_stmt_iterator end = gsi_last_bb(block);

    gimple_set_location(stmt, where);
    gsi_insert_after(&end, stmt, GSI_NEW_STMT);
}

gimple *keel_append_all(basic_block block, gimple_seq statements, location_t where)
{
    gimple_stmt_iterator end = gsi_last_bb(block);
    gimple *last = gimple_seq_last_stmt(statements);

    annotate_all_with_location(statements, where);
    gsi_insert_seq_after(&end, statements, GSI_NEW_STMT);
    return last;
}

gcond *keel_is_not_zero(tree value)
{
    return gimple_build_cond(NE_EXPR, value, build_zero_cst(TREE_TYPE(value)), NULL_TREE,
                             NULL_TREE);
}

tree keel_constant(unsigned value)
{
    return build_int_cst(unsigned_type_node, value);
}

void keel_append_truth(gimple_seq *statements, tree lhs, tree value)
{
    if (lhs) {
        tree truth = gimple_build(statements, NE_EXPR, boolean_type_node, value,
                                  build_zero_cst(TREE_TYPE(value)));
        truth = gimple_convert(statements, TREE_TYPE(lhs), truth);
        gimple_seq_add_stmt(statements, gimple_build_assign(lhs, truth));
    }
}
