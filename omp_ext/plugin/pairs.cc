/* Pairs of loops without a barrier between.
 *
 * A function's body, and that of each parallel region in it, becomes a graph: nodes are
 * work-sharing loops, barriers, calls and other statements; edges are possible control flow,
 * including back edges of serial loops. From each static loop without a barrier at its end, all
 * nodes are checked that can be reached before a barrier: the end of a region is one, the end of a
 * function is not.
 *
 * Two loops are disjoint if they touch no common data that one of them writes. */
#include "omp_ext/plugin/plugin.h"

#include <gimple-iterator.h>
#include <gimple-walk.h>
#include <builtins.h>
#include <omp-general.h>

namespace {

/* --- which data a piece of code touches: variables by themselves, what pointers reach all
 * together, and a call may touch everything --- */

struct accesses {
    hash_set<tree> read, written;                     /* variables */
    bool reads_memory = false, writes_memory = false; /* through pointers */
    bool anything = false;                            /* any data */
};

bool is_touched(const accesses &a)
{
    return a.anything || a.reads_memory || a.writes_memory || !a.read.is_empty() ||
           !a.written.is_empty();
}

/* A Fortran argument or a restrict pointer: only pointers derived from it point to the same data.
 * Such an argument is treated as its data here. */
bool is_restrict_argument(const_tree variable)
{
    return TREE_CODE(variable) == PARM_DECL && POINTER_TYPE_P(TREE_TYPE(variable)) &&
           TYPE_RESTRICT(TREE_TYPE(variable));
}

/* Whether a pointer may point to one of the variables. */
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

/* Whether `one` writes data that `other` touches. */
bool disturbs(const accesses &one, const accesses &other)
{
    return (one.writes_memory &&
            (other.reads_memory || other.writes_memory || may_be_pointed_to(other.read) ||
             may_be_pointed_to(other.written))) ||
           (other.reads_memory && may_be_pointed_to(one.written)) ||
           meet(one.written, other.read) || meet(one.written, other.written);
}

void touch(accesses *found, tree reference, bool writes)
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
        /* The compiler's temporaries only carry a value between statements. */
        (writes ? found->written : found->read).add(base);
    }
}

/* Variables in an index or an address are read. */
tree touch_operand(tree *operand, int *, void *data)
{
    accesses *found = static_cast<accesses *>(data);

    if (DECL_P(*operand) && !TYPE_P(*operand)) {
        touch(found, *operand, false);
    }
    return NULL_TREE;
}

void touch_indices(accesses *found, tree reference)
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

/* Others, such as frexp, have a second result, which goes through a pointer. */
bool has_pointer_argument(const gimple *call)
{
    for (unsigned i = 0; i < gimple_call_num_args(call); i++) {
        if (POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(call, i)))) {
            return true;
        }
    }
    return false;
}

bool is_mathematics(const gimple *call)
{
    return (gimple_call_flags(call) & ECF_CONST) ||
           (mathfn_built_in_type(gimple_call_combined_fn(call)) != NULL_TREE &&
            !has_pointer_argument(call));
}

void touch_by_call(accesses *found, const gimple *call)
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

void touch_by_assignment(accesses *found, const gimple *stmt)
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

/* Private variables differ from those outside; firstprivate, lastprivate, linear and reduction
 * clauses are counted as writes of those. */
void touch_by_clauses(accesses *found, tree clauses)
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

/* Whether they touch no common data that one of them writes. */
bool are_disjoint(const accesses &a, const accesses &b)
{
    if (!is_touched(a) || !is_touched(b)) {
        return true;
    }
    return !a.anything && !b.anything && !disturbs(a, b) && !disturbs(b, a);
}

/* Adds the data of one statement, without statements inside it. */
void touch_by_statement(accesses *found, const gimple *stmt)
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

tree touch_statement(gimple_stmt_iterator *i, bool *, struct walk_stmt_info *info)
{
    touch_by_statement(static_cast<accesses *>(info->info), gsi_stmt(*i));
    return NULL_TREE;
}

void touch_by_all(accesses *found, gimple_seq body)
{
    struct walk_stmt_info info = {};

    info.info = found;
    walk_gimple_seq(body, touch_statement, nullptr, &info);
}

/* Adds the data of a work-sharing loop, without its private variables. */
void touch_by_loop(accesses *found, const gimple *loop)
{
    touch_by_all(found, gimple_omp_body(loop));
    touch_by_all(found, gimple_omp_for_pre_body(loop));
    touch_by_clauses(found, gimple_omp_for_clauses(loop));
    for (size_t i = 0; i < gimple_omp_for_collapse(loop); i++) {
        found->written.remove(gimple_omp_for_index(loop, i));
        found->read.remove(gimple_omp_for_index(loop, i));
    }
}

/* --- the graph --- */

enum node_kind { PLAIN, LOOP, CALL, BARRIER, END_OF_FUNCTION };

struct node {
    node_kind kind;
    gimple *stmt;  /* nullptr: none, or its data are not known */
    bool anything; /* may touch any data */
    auto_vec<unsigned> next;
};

bool has_no_barrier(tree clauses)
{
    return omp_find_clause(clauses, OMP_CLAUSE_NOWAIT) != NULL_TREE;
}

/* Whether the function has no loops, or none that the calling team would share. */
bool has_no_loops(const gimple *call)
{
    tree callee = gimple_call_fndecl(call);

    return gimple_call_internal_p(call) || (gimple_call_flags(call) & (ECF_CONST | ECF_PURE)) ||
           (callee &&
            (fndecl_built_in_p(callee) ||
             (DECL_NAME(callee) && startswith(IDENTIFIER_POINTER(DECL_NAME(callee)), "omp_"))));
}

class graph {
public:
    /* region: the body of a parallel region, which all threads enter and leave together. */
    graph(gimple_seq body, bool region, auto_vec<gimple *> *regions) : regions(regions)
    {
        unsigned entry = add(region ? BARRIER : CALL);

        from.safe_push(entry);
        build(body);
        fall_into(add(region ? BARRIER : END_OF_FUNCTION));
        leave_to(nodes.length() - 1);
        join_labels();
    }

    ~graph()
    {
        for (node *n : nodes) {
            delete n;
        }
    }

    unsigned loops() const
    {
        unsigned count = 0;

        for (const node *n : nodes) {
            count += n->kind == LOOP;
        }
        return count;
    }

    void find(keel_pairings *pairings)
    {
        if (loops() == 0) {
            return;
        }
        follow_calls(pairings);
        for (unsigned i = 0; i < nodes.length(); i++) {
            const node *n = nodes[i];
            if (n->kind == LOOP && has_no_barrier(gimple_omp_for_clauses(n->stmt)) &&
                keel_pairs_is_static(n->stmt)) {
                follow_loop(i, pairings);
            }
        }
    }

private:
    auto_vec<node *> nodes;
    auto_vec<unsigned> from; /* predecessors of the next node to be added */
    hash_map<tree, unsigned> labels;
    struct jump {
        unsigned node;
        tree label; /* NULL_TREE: any */
    };
    auto_vec<jump> jumps;
    auto_vec<unsigned> returns;
    auto_vec<gimple *> *regions; /* found in the body */
    unsigned exclusive = 0;      /* > 0 in code for one thread at a time, where no loop may be
                                    called */
    bool cancellable = false;    /* threads may leave the region before a loop that others reach */

    unsigned add(node_kind kind, gimple *stmt = nullptr, bool anything = false)
    {
        node *n = new node;

        n->kind = kind;
        n->stmt = stmt;
        n->anything = anything;
        nodes.safe_push(n);
        return nodes.length() - 1;
    }

    void fall_into(unsigned to)
    {
        for (unsigned i : from) {
            nodes[i]->next.safe_push(to);
        }
        from.truncate(0);
        from.safe_push(to);
    }

    unsigned append(node_kind kind, gimple *stmt = nullptr, bool anything = false)
    {
        unsigned n = add(kind, stmt, anything);

        fall_into(n);
        return n;
    }

    void leave_to(unsigned end)
    {
        for (unsigned i : returns) {
            nodes[i]->next.safe_push(end);
        }
    }

    void join_labels()
    {
        for (const jump &j : jumps) {
            if (unsigned *to = j.label ? labels.get(j.label) : nullptr) {
                nodes[j.node]->next.safe_push(*to);
            } else {
                for (auto known : labels) {
                    nodes[j.node]->next.safe_push(known.second);
                }
            }
        }
    }

    void jump_to(unsigned node, tree label)
    {
        jumps.safe_push({node, label && TREE_CODE(label) == LABEL_DECL ? label : NULL_TREE});
    }

    static tree collect_region(gimple_stmt_iterator *i, bool *handled, struct walk_stmt_info *info)
    {
        if (gimple_code(gsi_stmt(*i)) == GIMPLE_OMP_PARALLEL) {
            static_cast<graph *>(info->info)->regions->safe_push(gsi_stmt(*i));
            *handled = true;
        }
        return NULL_TREE;
    }

    /* Adds the regions inside code that is one node to `regions`. */
    void collect_regions(gimple_seq body)
    {
        struct walk_stmt_info info = {};

        info.info = this;
        walk_gimple_seq(body, collect_region, nullptr, &info);
    }

    void build(gimple_seq body)
    {
        for (gimple_stmt_iterator i = gsi_start(body); !gsi_end_p(i); gsi_next(&i)) {
            build_statement(gsi_stmt(i));
        }
    }

    void build_exclusive(gimple_seq body)
    {
        exclusive++;
        build(body);
        exclusive--;
    }

    void build_closed(gimple *stmt, bool barrier)
    {
        collect_regions(gimple_omp_body(stmt));
        append(PLAIN, nullptr, true);
        if (barrier) {
            append(BARRIER);
        }
    }

    void build_for(gimple *loop)
    {
        if (gimple_omp_for_kind(loop) != GF_OMP_FOR_KIND_FOR) {
            build_closed(loop, false);
            return;
        }
        build(gimple_omp_for_pre_body(loop));
        collect_regions(gimple_omp_body(loop));
        append(LOOP, loop);
        if (!has_no_barrier(gimple_omp_for_clauses(loop))) {
            append(BARRIER);
        }
    }

    void build_call(gimple *call)
    {
        cancellable |= gimple_call_builtin_p(call, BUILT_IN_GOMP_CANCEL);
        if (gimple_call_builtin_p(call, BUILT_IN_GOMP_BARRIER)) {
            append(BARRIER);
        } else if (exclusive || has_no_loops(call)) {
            append(PLAIN, call);
        } else {
            append(CALL);
        }
        if (gimple_call_noreturn_p(call)) {
            from.truncate(0);
        }
    }

    /* Control may leave the body at any node for the cleanup or handler. */
    void build_try(gimple *stmt)
    {
        unsigned begin = append(PLAIN);

        build(gimple_try_eval(stmt));
        unsigned end = nodes.length();
        auto_vec<unsigned> behind;
        behind.safe_splice(from);
        for (unsigned i = begin; i < end; i++) {
            from.safe_push(i);
        }
        build(gimple_try_cleanup(stmt));
        from.safe_splice(behind);
    }

    /* Either of them may run next. */
    void build_either(gimple_seq one, gimple_seq other)
    {
        auto_vec<unsigned> before, behind;

        before.safe_splice(from);
        build(one);
        behind.safe_splice(from);
        from.truncate(0);
        from.safe_splice(before);
        build(other);
        from.safe_splice(behind);
    }

    void build_jump(gimple *stmt)
    {
        unsigned n = append(PLAIN, gimple_code(stmt) == GIMPLE_GOTO ? nullptr : stmt);

        if (gimple_code(stmt) == GIMPLE_GOTO) {
            jump_to(n, gimple_goto_dest(stmt));
        } else if (gcond *condition = dyn_cast<gcond *>(stmt)) {
            if (!gimple_cond_true_label(condition) || !gimple_cond_false_label(condition)) {
                return;
            }
            jump_to(n, gimple_cond_true_label(condition));
            jump_to(n, gimple_cond_false_label(condition));
        } else {
            gswitch *choice = as_a<gswitch *>(stmt);
            for (unsigned i = 0; i < gimple_switch_num_labels(choice); i++) {
                jump_to(n, CASE_LABEL(gimple_switch_label(choice, i)));
            }
        }
        from.truncate(0);
    }

    void build_statement(gimple *stmt)
    {
        switch (gimple_code(stmt)) {
        case GIMPLE_BIND:
            build(gimple_bind_body(as_a<gbind *>(stmt)));
            break;
        case GIMPLE_TRY:
            build_try(stmt);
            break;
        case GIMPLE_CATCH:
            build_either(gimple_catch_handler(as_a<gcatch *>(stmt)), nullptr);
            break;
        case GIMPLE_EH_FILTER:
            build_either(gimple_eh_filter_failure(stmt), nullptr);
            break;
        case GIMPLE_EH_ELSE:
            build_either(gimple_eh_else_n_body(as_a<geh_else *>(stmt)),
                         gimple_eh_else_e_body(as_a<geh_else *>(stmt)));
            break;
        case GIMPLE_LABEL:
            labels.put(gimple_label_label(as_a<glabel *>(stmt)), append(PLAIN));
            break;
        case GIMPLE_GOTO:
        case GIMPLE_COND:
        case GIMPLE_SWITCH:
            build_jump(stmt);
            break;
        case GIMPLE_RETURN:
            returns.safe_push(append(PLAIN));
            from.truncate(0);
            break;
        case GIMPLE_CALL:
            build_call(stmt);
            break;
        default:
            build_construct(stmt);
        }
    }

    void build_construct(gimple *stmt)
    {
        switch (gimple_code(stmt)) {
        case GIMPLE_OMP_PARALLEL:
            regions->safe_push(stmt);
            append(PLAIN, nullptr, true);
            break;
        case GIMPLE_OMP_FOR:
            build_for(stmt);
            break;
        case GIMPLE_OMP_SECTIONS:
            build_closed(stmt, !has_no_barrier(gimple_omp_sections_clauses(stmt)));
            break;
        case GIMPLE_OMP_SINGLE:
            build_closed(stmt, !has_no_barrier(gimple_omp_single_clauses(stmt)));
            break;
#if KEEL_HAS_SCOPE_AND_MASKED
        case GIMPLE_OMP_SCOPE:
            build(gimple_omp_body(stmt));
            if (!has_no_barrier(gimple_omp_scope_clauses(stmt))) {
                append(BARRIER);
            }
            break;
#endif
        case GIMPLE_OMP_MASTER:
#if KEEL_HAS_SCOPE_AND_MASKED
        case GIMPLE_OMP_MASKED:
#endif
        case GIMPLE_OMP_CRITICAL:
        case GIMPLE_OMP_ORDERED:
            build_exclusive(gimple_omp_body(stmt));
            break;
        case GIMPLE_OMP_TASKGROUP:
            build(gimple_omp_body(stmt));
            break;
        case GIMPLE_OMP_TASK:
        case GIMPLE_OMP_TEAMS:
            build_closed(stmt, false);
            break;
        case GIMPLE_OMP_TARGET:
            append(PLAIN, nullptr, true);
            build(gimple_omp_body(stmt));
            break;
        default:
            append(PLAIN, stmt);
        }
    }

    /* --- code after loops and calls --- */

    void touch_by_node(accesses *found, const node *n)
    {
        found->anything |= n->anything;
        if (n->kind == LOOP) {
            touch_by_loop(found, n->stmt);
        } else if (n->stmt) {
            touch_by_statement(found, n->stmt);
        }
    }

    bool is_apart(const accesses &others, const node *n)
    {
        accesses own;

        touch_by_node(&own, n);
        return are_disjoint(others, own);
    }

    /* Adds the nodes that control may reach after those in `open` and before a barrier. */
    void reach(auto_vec<unsigned> *open, auto_vec<unsigned> *reached)
    {
        auto_bitmap seen;

        while (!open->is_empty()) {
            for (unsigned to : nodes[open->pop()]->next) {
                if (nodes[to]->kind != BARRIER && bitmap_set_bit(seen, to)) {
                    reached->safe_push(to);
                    open->safe_push(to);
                }
            }
        }
    }

    static keel_pairing *pairing_of(keel_pairings *pairings, const node *n)
    {
        return &pairings->get_or_insert(n->stmt);
    }

    /* Sets the follower unless there is one already. */
    static void note(keel_pairing *pairing, keel_follower follower)
    {
        if (pairing->follower == KEEL_FOLLOWED_BY_NOTHING) {
            pairing->follower = follower;
        }
    }

    void pair(const node *first, const node *second, keel_pairings *pairings)
    {
        keel_pairing *of_second = pairing_of(pairings, second);
        of_second->follows = true;
        of_second->first = gimple_location(first->stmt);

        keel_pairing *of_first = pairing_of(pairings, first);
        of_first->follower = KEEL_FOLLOWED_BY_LOOP;
        of_first->second = gimple_location(second->stmt);
    }

    void follow_loop(unsigned start, keel_pairings *pairings)
    {
        auto_vec<unsigned> open, reached;
        const node *loop = nodes[start];
        accesses own;

        touch_by_node(&own, loop);
        open.safe_push(start);
        reach(&open, &reached);
        for (unsigned i : reached) {
            const node *n = nodes[i];
            if (n->kind == CALL) {
                note(pairing_of(pairings, loop), KEEL_FOLLOWED_BY_CALL);
            } else if (n->kind == END_OF_FUNCTION) {
                note(pairing_of(pairings, loop), KEEL_FOLLOWED_BY_END);
            } else if (n->kind == LOOP && !keel_pairs_is_static(n->stmt)) {
                continue; /* no code can rely on its shares */
            } else if (is_apart(own, n)) {
                continue;
            } else if (n->kind == LOOP) {
                pair(loop, n, pairings);
            } else {
                note(pairing_of(pairings, loop), KEEL_FOLLOWED_BY_CODE);
            }
        }
    }

    /* The entry of a function counts as a call that has returned. */
    void follow_calls(keel_pairings *pairings)
    {
        auto_vec<unsigned> open, reached;

        for (unsigned i = 0; i < nodes.length(); i++) {
            if (nodes[i]->kind == CALL) {
                open.safe_push(i);
            }
        }
        reach(&open, &reached);
        for (unsigned i : reached) {
            if (nodes[i]->kind == LOOP) {
                keel_pairing *pairing = pairing_of(pairings, nodes[i]);
                pairing->may_follow = true;
                pairing->cancellable = cancellable;
            }
        }
    }
};

} // namespace

bool keel_pairs_is_static(const gimple *loop)
{
    tree schedule = omp_find_clause(gimple_omp_for_clauses(loop), OMP_CLAUSE_SCHEDULE);

    if (!schedule) {
        return true;
    }
    unsigned kind = OMP_CLAUSE_SCHEDULE_KIND(schedule) & OMP_CLAUSE_SCHEDULE_MASK;
    return kind == OMP_CLAUSE_SCHEDULE_STATIC || kind == OMP_CLAUSE_SCHEDULE_AUTO;
}

void keel_pairs_find(gimple_seq body, keel_pairings *pairings)
{
    auto_vec<gimple *> regions;

    graph(body, false, &regions).find(pairings);
    /* Other code in the region of a combined construct is generated by the compiler. */
    for (unsigned i = 0; i < regions.length(); i++) {
        graph region(gimple_omp_body(regions[i]), true, &regions);
        if (!gimple_omp_parallel_combined_p(regions[i]) || region.loops() > 1) {
            region.find(pairings);
        }
    }
}
