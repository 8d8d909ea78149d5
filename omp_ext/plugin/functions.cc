/* Declarations of Keel's functions. */
#include "omp_ext/plugin/functions.h"

#include <cgraph.h>
#include <stringpool.h>
#include <attribs.h>
#include <varasm.h>

namespace {

/* Kept from GCC's collector by `roots`. */
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

} // namespace

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
