/* Marks of loops. Their variables are known by name: GCC may collect the trees themselves. */
#include "omp_ext/plugin/marks.h"

#include <fold-const.h>
#include <stringpool.h>

namespace {

const char mark_prefix[] = "keel.loop.";

auto_vec<keel_mark> marks;

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
