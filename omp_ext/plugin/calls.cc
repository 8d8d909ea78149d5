/* The calls of loops that the plugin has marked: Keel's if Keel is loaded and takes the loop,
 * otherwise the code without the plugin. A loop that divides itself calls no function.
 *
 * The pass runs after `ompexp`, where a marked loop reads
 *
 *     more = GOMP_loop_*_start (n1, n2, step, chunk + mark, &istart, &iend);
 *     while (more) { ... more = GOMP_loop_*_next (&istart, &iend); }
 *     GOMP_loop_end* ();
 *
 * and turns each call into two:
 *
 *     state = &keel_worksharing_begin != 0 && iterations > *loop.up_to
 *                 ? keel_worksharing_begin (...) : 0;
 *     more = state != 0 ? (state & CHUNK) != 0 : static share of this thread, not empty;
 *     ... more = state != 0 ? keel_worksharing_next (&istart, &iend) : 0;
 *     state != 0 ? keel_worksharing_end () : GOMP_barrier ();
 *
 * `loop` is a variable of the program, one for each loop, see worksharing.h. All code around the
 * calls, such as lastprivate and reductions, is GCC's own for loops that get chunks by calls. */
#include "omp_ext/plugin/plugin.h"

#include <ssa.h>
#include <cgraph.h>
#include <cfghooks.h>
#include <cfgloop.h>
#include <memmodel.h>
#include <fold-const.h>
#include <stringpool.h>
#include <attribs.h>
#include <gimple-iterator.h>
#include <gimple-fold.h>
#include <gimplify.h>
#include <varasm.h>
#include <diagnostic-core.h>

#include "omp_ext/gomp/worksharing.h"

namespace {

/* --- code in the place of a call --- */

/* if (condition) { yes } else { no } join */
struct branch {
    basic_block yes, no;
};

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

/* Splits the block after `stmt`; NULL: at its beginning. */
branch choose_behind(basic_block block, gimple *stmt, gcond *condition)
{
    edge on = split_block(block, stmt);
    basic_block join = on->dest;
    branch choice;

    remove_edge(on);
    choice.no = branch_block(block, join, EDGE_FALSE_VALUE);
    choice.yes = branch_block(block, join, EDGE_TRUE_VALUE);
    gimple_stmt_iterator end = gsi_last_bb(block);
    gsi_insert_after(&end, condition, GSI_NEW_STMT);
    return choice;
}

void append(basic_block block, gimple *stmt, location_t where)
{
    gimple_stmt_iterator end = gsi_last_bb(block);

    gimple_set_location(stmt, where);
    gsi_insert_after(&end, stmt, GSI_NEW_STMT);
}

/* Returns the last statement. */
gimple *append_all(basic_block block, gimple_seq statements, location_t where)
{
    gimple_stmt_iterator end = gsi_last_bb(block);
    gimple *last = gimple_seq_last_stmt(statements);

    annotate_all_with_location(statements, where);
    gsi_insert_seq_after(&end, statements, GSI_NEW_STMT);
    return last;
}

gcond *is_not_zero(tree value)
{
    return gimple_build_cond(NE_EXPR, value, build_zero_cst(TREE_TYPE(value)), NULL_TREE,
                             NULL_TREE);
}

tree constant(unsigned value)
{
    return build_int_cst(unsigned_type_node, value);
}

/* Appends lhs = value != 0; nothing if lhs is NULL_TREE. */
void append_truth(gimple_seq *statements, tree lhs, tree value)
{
    if (lhs) {
        tree truth = gimple_build(statements, NE_EXPR, boolean_type_node, value,
                                  build_zero_cst(TREE_TYPE(value)));
        truth = gimple_convert(statements, TREE_TYPE(lhs), truth);
        gimple_seq_add_stmt(statements, gimple_build_assign(lhs, truth));
    }
}

/* Appends a relaxed atomic load of a word; returns its value. */
tree load_word(gimple_seq *code, tree address)
{
    bool wide = TYPE_PRECISION(long_unsigned_type_node) == 64;
    tree function = builtin_decl_explicit(wide ? BUILT_IN_ATOMIC_LOAD_8 : BUILT_IN_ATOMIC_LOAD_4);
    tree value = create_tmp_reg(TREE_TYPE(TREE_TYPE(function)));
    gcall *call =
        gimple_build_call(function, 2, address, build_int_cst(integer_type_node, MEMMODEL_RELAXED));

    gimple_call_set_lhs(call, value);
    gimple_seq_add_stmt(code, call);
    return value;
}

/* Returns code whose last statement sets a boolean: whether the program divides a loop of `count`
 * iterations by itself. count: unsigned; NULL_TREE: any number. */
gimple_seq divides_itself(tree variable, tree count)
{
    gimple_seq code = nullptr;
    tree word = load_word(&code, build_fold_addr_expr(variable));
    tree up_to = load_word(&code, gimple_convert(&code, ptr_type_node, word));
    tree wide = long_long_unsigned_type_node, truth = create_tmp_reg(boolean_type_node);
    tree wanted = count ? gimple_convert(&code, wide, count) : TYPE_MAX_VALUE(wide);

    tree divides =
        gimple_build(&code, LE_EXPR, boolean_type_node, wanted, gimple_convert(&code, wide, up_to));
    gimple_seq_add_stmt(&code, gimple_build_assign(truth, divides));
    return code;
}

/* --- static shares --- */

/* The arguments of GOMP_loop_*_start. */
struct keel_loop_arguments {
    bool wide;                              /* unsigned long long; otherwise long */
    bool narrow;                            /* 32 bits hold the number of iterations */
    tree n1, n2, step, chunk, istart, iend; /* istart, iend: addresses, for Keel and libgomp */
    tree first, last;                       /* the variables at these addresses */
    tree up;                                /* wide: whether it counts up */
};

/* The loop variable at both ends of a block, the block's number of iterations, and the loop's. */
struct keel_block {
    tree first, last, size, count;
};

/* Straight-line code for one thread's share of a static loop, by GCC's formulas: q = n / threads,
 * and the first n % threads threads have one more; or chunks dealt in turn. All numbers are
 * unsigned. */
class keel_share {
public:
    keel_share(const keel_loop_arguments *loop, gimple_seq *statements)
        : loop(loop), to(statements), type(unsigned_type_for(TREE_TYPE(loop->n1)))
    {
    }

    /* Computes the thread's only block. */
    keel_block block()
    {
        tree n = count(), team = threads(), number = thread();
        tree q = divide(TRUNC_DIV_EXPR, n, team), left = divide(TRUNC_MOD_EXPR, n, team);
        tree first = op(PLUS_EXPR, op(MULT_EXPR, q, number), op(MIN_EXPR, number, left));
        tree size = op(PLUS_EXPR, q, convert(compare(LT_EXPR, number, left)));

        return {value_of(first), value_of(op(PLUS_EXPR, first, size)), size, n};
    }

    /* Give the thread its block, its first chunk, or the chunk after its present one. Return the
     * number of iterations. */
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

    /* CPUs divide short numbers several times as fast. */
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

    /* Returns `up` for a loop that counts up, `down` for one that counts down. */
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

    /* The number of iterations; no sum in it can overflow. */
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

/* --- the calls that GCC has expanded --- */

bool name_starts(const gimple *stmt, const char *prefix)
{
    tree callee = is_gimple_call(stmt) ? gimple_call_fndecl(stmt) : NULL_TREE;

    return callee && DECL_NAME(callee) &&
           !strncmp(IDENTIFIER_POINTER(DECL_NAME(callee)), prefix, strlen(prefix));
}

bool name_ends(const gimple *call, const char *suffix)
{
    const char *name = IDENTIFIER_POINTER(DECL_NAME(gimple_call_fndecl(call)));
    size_t length = strlen(name), wanted = strlen(suffix);

    return length >= wanted && !strcmp(name + length - wanted, suffix);
}

/* GCC names a built-in function "__builtin_GOMP_..." or by its own name alone. */
bool calls_loop(const gimple *stmt, const char *suffix)
{
    return (name_starts(stmt, "__builtin_GOMP_loop_") || name_starts(stmt, "GOMP_loop_")) &&
           name_ends(stmt, suffix);
}

/* GOMP_loop_start itself takes more arguments; loops that call it are not marked. */
bool is_start(const gimple *stmt)
{
    return calls_loop(stmt, "dynamic_start") || calls_loop(stmt, "guided_start") ||
           calls_loop(stmt, "static_start");
}

bool is_end(const gimple *stmt)
{
    return calls_loop(stmt, "loop_end") || calls_loop(stmt, "loop_end_nowait") ||
           calls_loop(stmt, "loop_end_cancel");
}

/* One loop of the current function. */
struct keel_loop_calls : keel_loop_arguments {
    const keel_mark *mark;
    gcall *start;
    auto_vec<gcall *> next; /* GCC makes one; earlier passes might have copied it */
    auto_vec<gcall *> end;
    tree state;    /* result of keel_worksharing_begin, or 0 */
    tree variable; /* the loop's own variable in the program */
};

void read_arguments(keel_loop_calls *loop)
{
    unsigned argument = 0;

    loop->narrow = loop->mark->narrow;
    loop->wide = gimple_call_num_args(loop->start) == 7;
    loop->up = loop->wide ? gimple_call_arg(loop->start, argument++) : NULL_TREE;
    loop->n1 = gimple_call_arg(loop->start, argument++);
    loop->n2 = gimple_call_arg(loop->start, argument++);
    loop->step = gimple_call_arg(loop->start, argument++);
    loop->chunk = gimple_call_arg(loop->start, argument++);
    loop->istart = gimple_call_arg(loop->start, argument++);
    loop->iend = gimple_call_arg(loop->start, argument++);
}

/* The variable of a chunk's bound in GCC's code. */
tree bound_of(tree address)
{
    return TREE_CODE(address) == ADDR_EXPR ? TREE_OPERAND(address, 0) : NULL_TREE;
}

/* Replaces the load of the mark's variable, which is right before the call, by 0. */
gcall *take_mark_off(gimple_stmt_iterator load)
{
    gimple *stmt = gsi_stmt(load);

    gimple_assign_set_rhs1(stmt, build_zero_cst(TREE_TYPE(gimple_assign_rhs1(stmt))));
    update_stmt(stmt);
    for (gsi_next(&load); !gsi_end_p(load); gsi_next(&load)) {
        if (is_start(gsi_stmt(load))) {
            return as_a<gcall *>(gsi_stmt(load));
        }
    }
    return nullptr;
}

void find_next(keel_loop_calls *loop)
{
    basic_block block;

    FOR_EACH_BB_FN(block, cfun)
    {
        for (gimple_stmt_iterator i = gsi_start_bb(block); !gsi_end_p(i); gsi_next(&i)) {
            gimple *stmt = gsi_stmt(i);
            if (calls_loop(stmt, "_next") &&
                operand_equal_p(gimple_call_arg(stmt, 0), loop->istart, 0)) {
                loop->next.safe_push(as_a<gcall *>(stmt));
            }
        }
    }
}

gcall *end_from(gimple_stmt_iterator from)
{
    for (; !gsi_end_p(from); gsi_next(&from)) {
        if (is_end(gsi_stmt(from))) {
            return as_a<gcall *>(gsi_stmt(from));
        }
    }
    return nullptr;
}

/* Work-sharing loops of one function do not nest: every end that is reached without passing another
 * one is this loop's. None is in the block of the start, which ends with the test for a first
 * chunk. */
void find_end(keel_loop_calls *loop)
{
    auto_bitmap seen;
    auto_vec<basic_block> open;

    open.safe_push(gimple_bb(loop->start));
    while (!open.is_empty()) {
        edge e;
        edge_iterator i;
        FOR_EACH_EDGE(e, i, open.pop()->succs)
        {
            if (!bitmap_set_bit(seen, e->dest->index)) {
                continue;
            }
            if (gcall *end = end_from(gsi_start_bb(e->dest))) {
                loop->end.safe_push(end);
            } else {
                open.safe_push(e->dest);
            }
        }
    }
}

/* --- a guard for the loop over one chunk --- */

bool assigns(basic_block block, tree variable)
{
    for (gimple_stmt_iterator i = gsi_start_bb(block); !gsi_end_p(i); gsi_next(&i)) {
        if (is_gimple_assign(gsi_stmt(i)) && gimple_assign_lhs(gsi_stmt(i)) == variable) {
            return true;
        }
    }
    return false;
}

/* The condition by which the loop over a chunk continues; if it is false, `after` follows. */
gcond *loop_condition(basic_block after)
{
    if (!single_pred_p(after)) {
        return nullptr;
    }
    gcond *condition = safe_dyn_cast<gcond *>(gsi_stmt(gsi_last_bb(single_pred(after))));
    bool otherwise = single_pred_edge(after)->flags & EDGE_FALSE_VALUE;
    return condition && otherwise ? condition : nullptr;
}

/* The first block of a chunk: the successor of the block of `next` if there is a chunk. */
basic_block chunk_head(basic_block next)
{
    return EDGE_COUNT(next->succs) == 2 ? EDGE_SUCC(next, 0)->flags & EDGE_TRUE_VALUE
                                              ? EDGE_SUCC(next, 0)->dest
                                              : EDGE_SUCC(next, 1)->dest
                                        : nullptr;
}

/* GCC's loop over a chunk tests after its body, as a chunk has iterations. Without a test before
 * it, later passes do not know that, and compile the body worse than in a static loop: GCC 12 does
 * not vectorise `for (unsigned i = 0; i < n; i++)` then. */
void guard_chunk(const keel_loop_calls *loop)
{
    basic_block next = loop->next.length() == 1 ? gimple_bb(loop->next[0]) : nullptr;
    gcond *condition = next ? loop_condition(next) : nullptr;
    basic_block head = condition ? chunk_head(next) : nullptr;

    if (!head || !single_succ_p(head) || !assigns(head, gimple_cond_lhs(condition)) ||
        !assigns(head, gimple_cond_rhs(condition))) {
        return;
    }
    gimple_stmt_iterator end = gsi_last_bb(head);
    gcond *guard = gimple_build_cond(gimple_cond_code(condition), gimple_cond_lhs(condition),
                                     gimple_cond_rhs(condition), NULL_TREE, NULL_TREE);
    gsi_insert_after(&end, guard, GSI_NEW_STMT);
    edge body = single_succ_edge(head);
    body->flags = (body->flags & ~EDGE_FALLTHRU) | EDGE_TRUE_VALUE;
    make_edge(head, next, EDGE_FALSE_VALUE);
}

/* --- start --- */

gcall *keel_start_call(keel_loop_calls *loop, tree threads)
{
    auto_vec<tree> arguments;
    tree function = keel_function_decl(loop->wide ? KEEL_ULL_START : KEEL_START);

    arguments.safe_push(build_fold_addr_expr(loop->variable));
    arguments.safe_push(constant(loop->mark->flags));
    arguments.safe_push(threads);
    if (loop->wide) {
        arguments.safe_push(loop->up);
    }
    arguments.safe_push(loop->n1);
    arguments.safe_push(loop->n2);
    arguments.safe_push(loop->step);
    arguments.safe_push(loop->chunk);
    arguments.safe_push(loop->istart);
    arguments.safe_push(loop->iend);
    gcall *call = gimple_build_call_vec(function, arguments);
    gimple_call_set_lhs(call, loop->state);
    return call;
}

/* Appends the call of Keel to `block`, which runs if Keel is loaded. */
void ask_keel(keel_loop_calls *loop, const keel_block &share, basic_block block, location_t where)
{
    tree count = create_tmp_reg(integer_type_node);
    gcall *call = gimple_build_call(builtin_decl_explicit(BUILT_IN_OMP_GET_NUM_THREADS), 0);
    gimple_seq statements = nullptr;

    gimple *last = append_all(block, divides_itself(loop->variable, share.count), where);
    tree divides = gimple_get_lhs(last);
    branch alone = choose_behind(block, last, is_not_zero(divides));
    append(alone.yes, gimple_build_assign(loop->state, constant(0)), where);
    gimple_call_set_lhs(call, count);
    gimple_seq_add_stmt(&statements, call);
    tree threads = gimple_convert(&statements, unsigned_type_node, count);
    gimple_seq_add_stmt(&statements, keel_start_call(loop, threads));
    append_all(alone.no, statements, where);
}

/* Appends the replacement of `call` for loops that Keel has not taken. */
void append_otherwise(keel_loop_calls *loop, gcall *call, const keel_block &share_block,
                      basic_block block, location_t where)
{
    gimple_seq statements = nullptr;
    tree lhs = gimple_call_lhs(call);
    bool first = call == loop->start;

    if (loop->mark->otherwise == KEEL_AS_EXPANDED) {
        gimple_seq_add_stmt(&statements, gimple_copy(call));
    } else if (loop->mark->otherwise == KEEL_STATIC_CHUNKS) {
        append_truth(&statements, lhs,
                     first ? keel_share(loop, &statements).first_chunk()
                           : keel_share(loop, &statements).next_chunk());
    } else if (first) {
        append_truth(&statements, lhs, keel_share(loop, &statements).give_block(share_block));
    } else {
        append_truth(&statements, lhs, boolean_false_node);
    }
    append_all(block, statements, where);
}

void drop(gcall *call)
{
    gimple_stmt_iterator i = gsi_for_stmt(call);

    gsi_remove(&i, true);
}

/* Inserted before the test for Keel: GCC then computes the block once for all loops of equal length
 * in a region, as it does for static loops. */
keel_block compute_block(keel_loop_calls *loop, location_t where)
{
    gimple_seq statements = nullptr;
    gimple_stmt_iterator place = gsi_for_stmt(loop->start);

    if (loop->mark->otherwise != KEEL_STATIC_BLOCKS) {
        return {};
    }
    keel_block block = keel_share(loop, &statements).block();
    annotate_all_with_location(statements, where);
    gsi_insert_seq_before(&place, statements, GSI_SAME_STMT);
    return block;
}

void replace_start(keel_loop_calls *loop)
{
    gcall *call = loop->start;
    location_t where =
        gimple_location(call) != UNKNOWN_LOCATION ? gimple_location(call) : loop->mark->where;
    tree address = build_fold_addr_expr(keel_function_decl(KEEL_START));
    branch loaded = choose_behind(gimple_bb(call), call, is_not_zero(address));
    basic_block join = single_succ(loaded.yes);
    gimple_seq first = nullptr;
    keel_block block = compute_block(loop, where);

    ask_keel(loop, block, loaded.yes, where);
    append(loaded.no, gimple_build_assign(loop->state, constant(0)), where);
    branch taken = choose_behind(join, nullptr, is_not_zero(loop->state));
    tree chunk = gimple_build(&first, BIT_AND_EXPR, unsigned_type_node, loop->state,
                              constant(KEEL_WORKSHARING_CHUNK));
    append_truth(&first, gimple_call_lhs(call), chunk);
    append_all(taken.yes, first, where);
    append_otherwise(loop, call, block, taken.no, where);
    drop(call);
}

/* --- next and end --- */

void replace_next(keel_loop_calls *loop, gcall *call)
{
    location_t where = gimple_location(call);
    branch taken = choose_behind(gimple_bb(call), call, is_not_zero(loop->state));
    gcall *keel = gimple_build_call(keel_function_decl(loop->wide ? KEEL_ULL_NEXT : KEEL_NEXT), 2,
                                    loop->istart, loop->iend);
    gimple_seq statements = nullptr;
    tree more = create_tmp_reg(boolean_type_node);

    gimple_call_set_lhs(keel, more);
    gimple_seq_add_stmt(&statements, keel);
    append_truth(&statements, gimple_call_lhs(call), more);
    append_all(taken.yes, statements, where);
    append_otherwise(loop, call, {}, taken.no, where);
    drop(call);
}

void append_barrier(gcall *call, basic_block block, location_t where)
{
    bool cancels = calls_loop(call, "loop_end_cancel");

    if (!calls_loop(call, "loop_end_nowait")) {
        gcall *barrier = gimple_build_call(
            builtin_decl_explicit(cancels ? BUILT_IN_GOMP_BARRIER_CANCEL : BUILT_IN_GOMP_BARRIER),
            0);
        gimple_call_set_lhs(barrier, gimple_call_lhs(call));
        append(block, barrier, where);
    }
}

void replace_end(keel_loop_calls *loop, gcall *call)
{
    location_t where = gimple_location(call);
    keel_function function = calls_loop(call, "loop_end_nowait")   ? KEEL_END_NOWAIT
                             : calls_loop(call, "loop_end_cancel") ? KEEL_END_CANCEL
                                                                   : KEEL_END;
    branch taken = choose_behind(gimple_bb(call), call, is_not_zero(loop->state));
    gcall *keel = gimple_build_call(keel_function_decl(function), 0);

    gimple_call_set_lhs(keel, gimple_call_lhs(call));
    append(taken.yes, keel, where);
    if (loop->mark->otherwise == KEEL_AS_EXPANDED) {
        append(taken.no, gimple_copy(call), where);
    } else {
        append_barrier(call, taken.no, where);
    }
    drop(call);
}

/* --- the pass --- */

void replace_calls(const keel_mark *mark, gimple_stmt_iterator load)
{
    keel_loop_calls loop = {};

    loop.mark = mark;
    loop.start = take_mark_off(load);
    if (loop.start) {
        read_arguments(&loop);
    }
    if (!loop.start || !bound_of(loop.istart) || !bound_of(loop.iend)) {
        sorry_at(mark->where, "keel: this loop is expanded in a way that the plugin does not know");
        return;
    }
    find_next(&loop);
    find_end(&loop);
    loop.first = bound_of(loop.istart);
    loop.last = bound_of(loop.iend);
    guard_chunk(&loop);
    loop.state = create_tmp_reg(unsigned_type_node);
    loop.variable = keel_loop_variable(mark->where);
    for (gcall *call : loop.next) {
        replace_next(&loop, call);
    }
    for (gcall *call : loop.end) {
        replace_end(&loop, call);
    }
    replace_start(&loop);
}

/* Replaces the calls of one loop. Returns false if no marked loop is left. */
bool replace_one()
{
    basic_block block;

    FOR_EACH_BB_FN(block, cfun)
    {
        for (gimple_stmt_iterator i = gsi_start_bb(block); !gsi_end_p(i); gsi_next(&i)) {
            gimple *stmt = gsi_stmt(i);
            if (gimple_assign_single_p(stmt)) {
                if (const keel_mark *mark = keel_mark_of(gimple_assign_rhs1(stmt))) {
                    replace_calls(mark, i);
                    return true;
                }
            }
        }
    }
    return false;
}

/* Finds functions that GCC has outlined from regions: they are arguments of calls. With
 * -finstrument-functions, each function is an argument in itself. */
void find_outlined(auto_vec<tree> *outlined)
{
    basic_block block;

    FOR_EACH_BB_FN(block, cfun)
    {
        for (gimple_stmt_iterator i = gsi_start_bb(block); !gsi_end_p(i); gsi_next(&i)) {
            if (!is_gimple_call(gsi_stmt(i))) {
                continue;
            }
            for (unsigned a = 0; a < gimple_call_num_args(gsi_stmt(i)); a++) {
                tree argument = gimple_call_arg(gsi_stmt(i), a);
                tree decl =
                    TREE_CODE(argument) == ADDR_EXPR ? TREE_OPERAND(argument, 0) : NULL_TREE;
                if (decl && TREE_CODE(decl) == FUNCTION_DECL && DECL_ARTIFICIAL(decl) &&
                    decl != current_function_decl && DECL_STRUCT_FUNCTION(decl) &&
                    DECL_STRUCT_FUNCTION(decl)->cfg) {
                    outlined->safe_push(decl);
                }
            }
        }
    }
}

void treat_function()
{
    auto_vec<tree> outlined;
    bool changed = false;

    while (replace_one()) {
        changed = true;
    }
    if (changed) {
        free_dominance_info(CDI_DOMINATORS);
        free_dominance_info(CDI_POST_DOMINATORS);
    }
    find_outlined(&outlined);
    for (tree decl : outlined) {
        push_cfun(DECL_STRUCT_FUNCTION(decl));
        tree outer = current_function_decl;
        current_function_decl = decl;
        treat_function();
        cgraph_edge::rebuild_edges();
        current_function_decl = outer;
        pop_cfun();
    }
}

const pass_data calls_data = {
    GIMPLE_PASS, "keel_calls", OPTGROUP_OMP, TV_NONE, PROP_gimple_any, 0, 0, 0, 0,
};

class calls_pass : public gimple_opt_pass {
public:
    explicit calls_pass(gcc::context *context) : gimple_opt_pass(calls_data, context) {}

    bool gate(function *) final override
    {
        return keel_marks_exist() && !seen_error();
    }

    unsigned int execute(function *) final override
    {
        treat_function();
        return 0;
    }
};

} // namespace

opt_pass *keel_calls_pass(gcc::context *context, const char *plugin)
{
    keel_functions_keep(plugin);
    return new calls_pass(context);
}
