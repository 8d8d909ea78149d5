/* Which data a piece of code touches, in high GIMPLE. */
#include "omp_ext/plugin/plugin.h"

#include <gimple-iterator.h>
#include <gimple-walk.h>
#include <builtins.h>
#include <omp-general.h>

namespace {

bool is_touched(const keel_accesses &a)
{
    return a.anything || a.reads_memory || a.writes_memory || !a.read.is_empty() ||
           !a.written.is_empty();
}

/* An argument of Fortran, or a pointer declared restrict: what it leads to, nothing else leads to
 * but pointers that were made from it. It stands for its data here. */
bool is_restrict_argument(const_tree variable)
{
    return TREE_CODE(variable) == PARM_DECL && POINTER_TYPE_P(TREE_TYPE(variable)) &&
           TYPE_RESTRICT(TREE_TYPE(variable));
}

/* A pointer may lead to it. */
bool may_be_pointed_to(const hash_set<tree> &variables)
{
    for (tree variable : variables) {
        if (is_global_var(variable) || TREE_ADDRESSABLE(variable) ||
            is_restrict_argument(variable)) {
            return true;
        }
    }
    return false;
}

bool meet(const hash_set<tree> &some, const hash_set<tree> &others)
{
    for (tree variable : some) {
        if (const_cast<hash_set<tree> &>(others).contains(variable)) {
            return true;
        }
    }
    return false;
}

/* What one writes and the other touches. */
bool disturbs(const keel_accesses &one, const keel_accesses &other)
{
    return (one.writes_memory &&
            (other.reads_memory || other.writes_memory || may_be_pointed_to(other.read) ||
             may_be_pointed_to(other.written))) ||
           (other.reads_memory && may_be_pointed_to(one.written)) ||
           meet(one.written, other.read) || meet(one.written, other.written);
}

void touch(keel_accesses *found, tree reference, bool writes)
{
    tree base = TREE_CODE(reference) == ADDR_EXPR ? NULL_TREE : get_base_address(reference);

    if (!base || CONSTANT_CLASS_P(base) || TREE_CODE(base) == CONSTRUCTOR) {
        return;
    }
    if ((TREE_CODE(base) == MEM_REF || TREE_CODE(base) == INDIRECT_REF) &&
        is_restrict_argument(TREE_OPERAND(base, 0))) {
        base = TREE_OPERAND(base, 0);
    }
    if (!DECL_P(base)) {
        (writes ? found->writes_memory : found->reads_memory) = true;
    } else if (TREE_CODE(base) != FUNCTION_DECL &&
               !(DECL_ARTIFICIAL(base) && is_gimple_reg(base))) {
        /* The compiler's own registers hold a value from one statement to the next. */
        (writes ? found->written : found->read).add(base);
    }
}

/* Variables that stand in an index or an address are read. */
tree touch_operand(tree *operand, int *, void *data)
{
    keel_accesses *found = static_cast<keel_accesses *>(data);

    if (DECL_P(*operand) && !TYPE_P(*operand)) {
        touch(found, *operand, false);
    }
    return NULL_TREE;
}

void touch_indices(keel_accesses *found, tree reference)
{
    while (handled_component_p(reference)) {
        for (int i = 1; i < TREE_OPERAND_LENGTH(reference); i++) {
            if (TREE_OPERAND(reference, i)) {
                walk_tree(&TREE_OPERAND(reference, i), touch_operand, found, nullptr);
            }
        }
        reference = TREE_OPERAND(reference, 0);
    }
    if (TREE_CODE(reference) == MEM_REF) {
        walk_tree(&TREE_OPERAND(reference, 0), touch_operand, found, nullptr);
    }
}

bool is_mathematics(const gimple *call)
{
    return (gimple_call_flags(call) & ECF_CONST) ||
           mathfn_built_in_type(gimple_call_combined_fn(call)) != NULL_TREE;
}

void touch_by_call(keel_accesses *found, const gimple *call)
{
    if (!is_mathematics(call)) {
        found->anything = true;
        return;
    }
    for (unsigned i = 0; i < gimple_call_num_args(call); i++) {
        touch(found, gimple_call_arg(call, i), false);
    }
    if (gimple_call_lhs(call)) {
        touch(found, gimple_call_lhs(call), true);
        touch_indices(found, gimple_call_lhs(call));
    }
}

void touch_by_assignment(keel_accesses *found, const gimple *stmt)
{
    touch(found, gimple_assign_lhs(stmt), true);
    touch_indices(found, gimple_assign_lhs(stmt));
    for (unsigned i = 1; i < gimple_num_ops(stmt); i++) {
        if (gimple_op(stmt, i)) {
            touch(found, gimple_op(stmt, i), false);
            touch_indices(found, gimple_op(stmt, i));
        }
    }
}

tree touch_statement(gimple_stmt_iterator *i, bool *, struct walk_stmt_info *info)
{
    keel_accesses_by_statement(static_cast<keel_accesses *>(info->info), gsi_stmt(*i));
    return NULL_TREE;
}

void touch_by_all(keel_accesses *found, gimple_seq body)
{
    struct walk_stmt_info info = {};

    info.info = found;
    walk_gimple_seq(body, touch_statement, nullptr, &info);
}

/* Private variables are other ones than those outside; a reduction or lastprivate writes those, a
 * firstprivate reads them. */
void touch_by_clauses(keel_accesses *found, tree clauses)
{
    for (tree c = clauses; c; c = OMP_CLAUSE_CHAIN(c)) {
        switch (OMP_CLAUSE_CODE(c)) {
        case OMP_CLAUSE_PRIVATE:
            found->written.remove(OMP_CLAUSE_DECL(c));
            found->read.remove(OMP_CLAUSE_DECL(c));
            break;
        case OMP_CLAUSE_FIRSTPRIVATE:
        case OMP_CLAUSE_LASTPRIVATE:
        case OMP_CLAUSE_LINEAR:
        case OMP_CLAUSE_REDUCTION:
            touch(found, OMP_CLAUSE_DECL(c), true);
            break;
        default:
            break;
        }
    }
}

} // namespace

bool keel_accesses_are_disjoint(const keel_accesses &a, const keel_accesses &b)
{
    if (!is_touched(a) || !is_touched(b)) {
        return true;
    }
    return !a.anything && !b.anything && !disturbs(a, b) && !disturbs(b, a);
}

void keel_accesses_by_statement(keel_accesses *found, const gimple *stmt)
{
    switch (gimple_code(stmt)) {
    case GIMPLE_ASSIGN:
        if (!gimple_clobber_p(stmt)) {
            touch_by_assignment(found, stmt);
        }
        break;
    case GIMPLE_CALL:
        touch_by_call(found, stmt);
        break;
    case GIMPLE_COND:
        touch(found, gimple_cond_lhs(stmt), false);
        touch(found, gimple_cond_rhs(stmt), false);
        break;
    case GIMPLE_SWITCH:
        touch(found, gimple_switch_index(as_a<const gswitch *>(stmt)), false);
        break;
    case GIMPLE_BIND:
    case GIMPLE_TRY:
    case GIMPLE_LABEL:
    case GIMPLE_GOTO:
    case GIMPLE_NOP:
    case GIMPLE_PREDICT:
    case GIMPLE_DEBUG:
        break;
    default:
        found->anything = true;
    }
}

void keel_accesses_by_loop(keel_accesses *found, const gimple *loop)
{
    touch_by_all(found, gimple_omp_body(loop));
    touch_by_all(found, gimple_omp_for_pre_body(loop));
    touch_by_clauses(found, gimple_omp_for_clauses(loop));
    for (size_t i = 0; i < gimple_omp_for_collapse(loop); i++) {
        found->written.remove(gimple_omp_for_index(loop, i));
        found->read.remove(gimple_omp_for_index(loop, i));
    }
}
