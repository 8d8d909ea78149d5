/* Code for a thread's share of a static loop. */
#include "omp_ext/plugin/plugin.h"

#include <ssa.h>
#include <fold-const.h>
#include <gimple-iterator.h>
#include <gimple-fold.h>
#include <gimplify.h>

namespace {

/* Straight-line code for one thread's static share. All numbers are unsigned. */
class keel_share {
public:
    keel_share(const keel_loop_arguments *loop, gimple_seq *statements)
        : loop(loop), to(statements), type(unsigned_type_for(TREE_TYPE(loop->n1)))
    {
    }

    /* Works out the thread's only block. */
    keel_block block()
    {
        tree n = count(), team = threads(), number = thread();
        tree q = divide(TRUNC_DIV_EXPR, n, team), left = divide(TRUNC_MOD_EXPR, n, team);
        tree first = op(PLUS_EXPR, op(MULT_EXPR, q, number), op(MIN_EXPR, number, left));
        tree size = op(PLUS_EXPR, q, convert(compare(LT_EXPR, number, left)));

        return {value_of(first), value_of(op(PLUS_EXPR, first, size)), size, n};
    }

    /* Gives the thread a block. Like the other two, returns how many iterations there are. */
    tree give_block(const keel_block &block)
    {
        set(loop->first, block.first);
        set(loop->last, block.last);
        return block.size;
    }

    tree first_chunk()
    {
        return chunk_from(op(MULT_EXPR, thread(), convert(loop->chunk)));
    }

    /* The chunk after the one that the thread has. */
    tree next_chunk()
    {
        tree had = create_tmp_reg(TREE_TYPE(loop->first));
        set(had, loop->first);
        had = convert(had);
        tree n1 = convert(loop->n1);
        tree gone = choose(op(MINUS_EXPR, had, n1), op(MINUS_EXPR, n1, had));
        tree index = op(TRUNC_DIV_EXPR, gone, magnitude());

        return chunk_from(op(PLUS_EXPR, index, op(MULT_EXPR, threads(), convert(loop->chunk))));
    }

private:
    const keel_loop_arguments *loop;
    gimple_seq *to;
    tree type;

    tree op(tree_code code, tree a, tree b)
    {
        return gimple_build(to, code, type, a, b);
    }

    /* Processors divide short numbers several times as fast. */
    tree divide(tree_code code, tree a, tree b)
    {
        tree narrow = loop->narrow ? unsigned_type_node : type;

        return convert(gimple_build(to, code, narrow, gimple_convert(to, narrow, a),
                                    gimple_convert(to, narrow, b)));
    }

    tree compare(tree_code code, tree a, tree b)
    {
        return gimple_build(to, code, boolean_type_node, a, b);
    }

    tree convert(tree value)
    {
        return gimple_convert(to, type, value);
    }

    tree call(built_in_function function)
    {
        tree number = create_tmp_reg(integer_type_node);
        gcall *stmt = gimple_build_call(builtin_decl_explicit(function), 0);

        gimple_call_set_lhs(stmt, number);
        gimple_seq_add_stmt(to, stmt);
        return convert(number);
    }

    tree threads()
    {
        return call(BUILT_IN_OMP_GET_NUM_THREADS);
    }

    tree thread()
    {
        return call(BUILT_IN_OMP_GET_THREAD_NUM);
    }

    /* up: of a loop that counts up; down: of one that counts down. */
    tree choose(tree up, tree down)
    {
        tree goes_up = loop->wide
                           ? loop->up
                           : compare(GT_EXPR, loop->step, build_zero_cst(TREE_TYPE(loop->step)));

        if (TREE_CODE(goes_up) == INTEGER_CST) {
            return integer_zerop(goes_up) ? down : up;
        }
        goes_up = gimple_convert(to, boolean_type_node, goes_up);
        return gimple_build(to, COND_EXPR, TREE_TYPE(up), goes_up, up, down);
    }

    tree magnitude()
    {
        tree step = convert(loop->step);

        return choose(step, gimple_build(to, NEGATE_EXPR, type, step));
    }

    /* The number of iterations, with no sum that could overflow. */
    tree count()
    {
        tree low = choose(loop->n1, loop->n2), high = choose(loop->n2, loop->n1);
        tree top = gimple_build(to, MAX_EXPR, TREE_TYPE(low), low, high);
        tree range = op(MINUS_EXPR, convert(top), convert(low)), step = magnitude();
        tree left = op(TRUNC_MOD_EXPR, range, step);

        return op(PLUS_EXPR, op(TRUNC_DIV_EXPR, range, step),
                  convert(compare(NE_EXPR, left, build_zero_cst(type))));
    }

    tree value_of(tree iteration)
    {
        tree value =
            op(PLUS_EXPR, convert(loop->n1), op(MULT_EXPR, iteration, convert(loop->step)));

        return gimple_convert(to, TREE_TYPE(loop->n1), value);
    }

    void set(tree variable, tree value)
    {
        gimple_seq_add_stmt(to, gimple_build_assign(variable, value));
    }

    void give(tree first, tree last)
    {
        set(loop->first, value_of(first));
        set(loop->last, value_of(last));
    }

    tree chunk_from(tree first)
    {
        tree n = count();
        tree begin = op(MIN_EXPR, first, n), rest = op(MINUS_EXPR, n, begin);
        tree size = op(MIN_EXPR, rest, convert(loop->chunk));

        give(begin, op(PLUS_EXPR, begin, size));
        return size;
    }
};

} // namespace

keel_block keel_static_block(const keel_loop_arguments *loop, gimple_seq *code)
{
    return keel_share(loop, code).block();
}

tree keel_static_give(const keel_loop_arguments *loop, const keel_block &block, gimple_seq *code)
{
    return keel_share(loop, code).give_block(block);
}

tree keel_static_first(const keel_loop_arguments *loop, gimple_seq *code)
{
    return keel_share(loop, code).first_chunk();
}

tree keel_static_next(const keel_loop_arguments *loop, gimple_seq *code)
{
    return keel_share(loop, code).next_chunk();
}
