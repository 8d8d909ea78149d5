/* Marks of loops, Keel's functions, and the variable of each marked loop: a word, and a pointer
 * that first points to it.
 *
 *     static struct { unsigned long *up_to; unsigned long none; } keel.loop = {&keel.loop.none, 0};
 */
#include "omp_ext/plugin/plugin.h"

#include <cgraph.h>
#include <stor-layout.h>
#include <fold-const.h>
#include <stringpool.h>
#include <attribs.h>
#include <gimplify.h>
#include <varasm.h>

namespace {

/* --- marks: their variables are found by name, as GCC may collect the trees --- */

const char mark_prefix[] = "keel.loop.";

auto_vec<keel_mark> marks;

/* --- functions --- */

/* Protected from GCC's garbage collector by `roots`. */
tree functions[KEEL_FUNCTIONS];

const ggc_root_tab roots[] = {
    {functions, KEEL_FUNCTIONS, sizeof(tree), gt_ggc_mx_tree_node, gt_pch_nx_tree_node},
    LAST_GGC_ROOT_TAB,
};

tree type_of(keel_function function)
{
    tree wide = long_long_unsigned_type_node;
    tree to_long = build_pointer_type(long_integer_type_node), to_wide = build_pointer_type(wide);
    tree number = unsigned_type_node, signed_number = long_integer_type_node;

    switch (function) {
    case KEEL_START:
        return build_function_type_list(number, ptr_type_node, number, number, signed_number,
                                        signed_number, signed_number, signed_number, to_long,
                                        to_long, NULL_TREE);
    case KEEL_ULL_START:
        return build_function_type_list(number, ptr_type_node, number, number, boolean_type_node,
                                        wide, wide, wide, wide, to_wide, to_wide, NULL_TREE);
    case KEEL_NEXT:
        return build_function_type_list(boolean_type_node, to_long, to_long, NULL_TREE);
    case KEEL_ULL_NEXT:
        return build_function_type_list(boolean_type_node, to_wide, to_wide, NULL_TREE);
    case KEEL_END_CANCEL:
        return build_function_type_list(boolean_type_node, NULL_TREE);
    default:
        return build_function_type_list(void_type_node, NULL_TREE);
    }
}

tree declare(keel_function function)
{
    static const char *const names[KEEL_FUNCTIONS] = {
        "keel_worksharing_begin",      "keel_worksharing_ull_begin", "keel_worksharing_next",
        "keel_worksharing_ull_next",   "keel_worksharing_end",       "keel_worksharing_end_cancel",
        "keel_worksharing_end_nowait",
    };
    tree name = get_identifier(names[function]);
    tree decl = build_decl(UNKNOWN_LOCATION, FUNCTION_DECL, name, type_of(function));

    SET_DECL_ASSEMBLER_NAME(decl, name);
    TREE_PUBLIC(decl) = 1;
    DECL_EXTERNAL(decl) = 1;
    DECL_ARTIFICIAL(decl) = 1;
    DECL_IGNORED_P(decl) = 1;
    TREE_NOTHROW(decl) = 1;
    DECL_VISIBILITY(decl) = VISIBILITY_DEFAULT;
    DECL_VISIBILITY_SPECIFIED(decl) = 1;
    DECL_ATTRIBUTES(decl) = tree_cons(get_identifier("leaf"), NULL_TREE,
                                      tree_cons(get_identifier("noplt"), NULL_TREE, NULL_TREE));
    declare_weak(decl);
    return decl;
}

/* --- variables --- */

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

} // namespace

tree keel_mark_chunk(const keel_mark &mark, tree written)
{
    char name[sizeof mark_prefix + 10];
    tree type = long_integer_type_node;

    snprintf(name, sizeof name, "%s%u", mark_prefix, marks.length());
    marks.safe_push(mark);
    tree variable = build_decl(mark.where, VAR_DECL, get_identifier(name), type);
    SET_DECL_ASSEMBLER_NAME(variable, get_identifier(name));
    TREE_PUBLIC(variable) = 1;
    DECL_EXTERNAL(variable) = 1;
    DECL_ARTIFICIAL(variable) = 1;
    DECL_IGNORED_P(variable) = 1;
    return written ? build2(PLUS_EXPR, type, fold_convert(type, written), variable) : variable;
}

const keel_mark *keel_mark_of(const_tree variable)
{
    size_t prefix = strlen(mark_prefix);

    if (TREE_CODE(variable) != VAR_DECL || !DECL_EXTERNAL(variable) || !DECL_NAME(variable) ||
        strncmp(IDENTIFIER_POINTER(DECL_NAME(variable)), mark_prefix, prefix)) {
        return nullptr;
    }
    unsigned long number = strtoul(IDENTIFIER_POINTER(DECL_NAME(variable)) + prefix, nullptr, 10);
    return number < marks.length() ? &marks[number] : nullptr;
}

bool keel_marks_exist()
{
    return !marks.is_empty();
}

tree keel_function_decl(keel_function function)
{
    if (!functions[function]) {
        functions[function] = declare(function);
    }
    return functions[function];
}

void keel_functions_keep(const char *plugin)
{
    register_callback(plugin, PLUGIN_REGISTER_GGC_ROOTS, nullptr,
                      const_cast<ggc_root_tab *>(roots));
}

tree keel_loop_variable(location_t where)
{
    tree type = make_node(RECORD_TYPE), chain = NULL_TREE;
    tree none = add_field(type, &chain, "none", long_unsigned_type_node);
    tree up_to = add_field(type, &chain, "up_to", build_pointer_type(long_unsigned_type_node));

    TYPE_FIELDS(type) = chain;
    layout_type(type);
    tree variable = make_variable(where, type);
    tree word = build3(COMPONENT_REF, long_unsigned_type_node, variable, none, NULL_TREE);
    vec<constructor_elt, va_gc> *values = nullptr;
    CONSTRUCTOR_APPEND_ELT(values, up_to, build_fold_addr_expr(word));
    CONSTRUCTOR_APPEND_ELT(values, none, build_zero_cst(long_unsigned_type_node));
    DECL_INITIAL(variable) = build_constructor(type, values);
    TREE_STATIC(DECL_INITIAL(variable)) = 1;
    TREE_CONSTANT(DECL_INITIAL(variable)) = 1;
    varpool_node::finalize_decl(variable);
    return variable;
}
