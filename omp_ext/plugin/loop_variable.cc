/* The variable of each marked loop: a word, and a pointer to it at first.
 *
 *     static struct { unsigned long *up_to; unsigned long none; } keel.loop = {&keel.loop.none, 0};
 */
#include "omp_ext/plugin/loop_variable.h"

#include <cgraph.h>
#include <memmodel.h>
#include <stor-layout.h>
#include <fold-const.h>
#include <stringpool.h>
#include <gimple-fold.h>
#include <gimplify.h>
#include <varasm.h>

namespace {

/* As large as a pointer, so that one instruction loads it everywhere. */
tree word_type()
{
    return long_unsigned_type_node;
}

tree add_field(tree record, tree *chain, const char *name, tree type)
{
    tree field = build_decl(UNKNOWN_LOCATION, FIELD_DECL, get_identifier(name), type);

    DECL_FIELD_CONTEXT(field) = record;
    DECL_CHAIN(field) = *chain;
    *chain = field;
    return field;
}

tree make_variable(location_t where, tree type)
{
    tree variable = build_decl(where, VAR_DECL, create_tmp_var_name("keel.loop"), type);

    TREE_STATIC(variable) = 1;
    TREE_ADDRESSABLE(variable) = 1;
    TREE_USED(variable) = 1;
    DECL_ARTIFICIAL(variable) = 1;
    DECL_IGNORED_P(variable) = 1;
    return variable;
}

/* What the atomic builtin of that size gives, relaxed. */
tree load(gimple_seq *code, tree address)
{
    bool wide = TYPE_PRECISION(word_type()) == 64;
    tree function = builtin_decl_explicit(wide ? BUILT_IN_ATOMIC_LOAD_8 : BUILT_IN_ATOMIC_LOAD_4);
    tree value = create_tmp_reg(TREE_TYPE(TREE_TYPE(function)));
    gcall *call =
        gimple_build_call(function, 2, address, build_int_cst(integer_type_node, MEMMODEL_RELAXED));

    gimple_call_set_lhs(call, value);
    gimple_seq_add_stmt(code, call);
    return value;
}

} // namespace

tree keel_loop_variable(location_t where)
{
    tree type = make_node(RECORD_TYPE), chain = NULL_TREE;
    tree none = add_field(type, &chain, "none", word_type());
    tree up_to = add_field(type, &chain, "up_to", build_pointer_type(word_type()));

    TYPE_FIELDS(type) = chain;
    layout_type(type);
    tree variable = make_variable(where, type);
    tree word = build3(COMPONENT_REF, word_type(), variable, none, NULL_TREE);
    vec<constructor_elt, va_gc> *values = nullptr;
    CONSTRUCTOR_APPEND_ELT(values, up_to, build_fold_addr_expr(word));
    CONSTRUCTOR_APPEND_ELT(values, none, build_zero_cst(word_type()));
    DECL_INITIAL(variable) = build_constructor(type, values);
    TREE_STATIC(DECL_INITIAL(variable)) = 1;
    TREE_CONSTANT(DECL_INITIAL(variable)) = 1;
    varpool_node::finalize_decl(variable);
    return variable;
}

gimple_seq keel_loop_variable_test(tree variable, tree count)
{
    gimple_seq code = nullptr;
    tree word = load(&code, build_fold_addr_expr(variable));
    tree up_to = load(&code, gimple_convert(&code, ptr_type_node, word));
    tree wide = long_long_unsigned_type_node, truth = create_tmp_reg(boolean_type_node);
    tree wanted = count ? gimple_convert(&code, wide, count) : TYPE_MAX_VALUE(wide);

    tree divides =
        gimple_build(&code, LE_EXPR, boolean_type_node, wanted, gimple_convert(&code, wide, up_to));
    gimple_seq_add_stmt(&code, gimple_build_assign(truth, divides));
    return code;
}
