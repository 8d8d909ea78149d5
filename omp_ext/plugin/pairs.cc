/* Pairs of loops that no barrier stands between.
 *
 * A function's body, and that of each parallel region in it, becomes a graph: nodes for
 * work-sharing loops, barriers, calls and other statements, edges wherever control may go, back
 * edges of serial loops among them. From each static loop without a barrier at its end, all is
 * looked at that can be reached before a barrier: the end of a region is one, the end of a function
 * is not.
 *
 * Two loops are apart when they touch no data in common that either writes (accesses.cc). */
#include "omp_ext/plugin/plugin.h"

#include <gimple-iterator.h>
#include <gimple-walk.h>
#include <builtins.h>
#include <omp-general.h>

namespace {

/* --- the graph --- */

enum node_kind { PLAIN, LOOP, CALL, BARRIER, END_OF_FUNCTION };

struct node {
    node_kind kind;
    gimple *stmt;  /* nullptr: none, or one whose data cannot be told */
    bool anything; /* touches data that cannot be told */
    auto_vec<unsigned> next;
};

bool has_no_barrier(tree clauses)
{
    return omp_find_clause(clauses, OMP_CLAUSE_NOWAIT) != NULL_TREE;
}

/* A function that has no loops, or none that the calling team would share. */
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
    auto_vec<unsigned> from; /* whose control comes to what is added next */
    hash_map<tree, unsigned> labels;
    struct jump {
        unsigned node;
        tree label; /* NULL_TREE: any */
    };
    auto_vec<jump> jumps;
    auto_vec<unsigned> returns;
    auto_vec<gimple *> *regions; /* found on the way */
    unsigned exclusive = 0;      /* in code for one thread at a time: no loop may be called there */

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

    static tree note_region(gimple_stmt_iterator *i, bool *handled, struct walk_stmt_info *info)
    {
        if (gimple_code(gsi_stmt(*i)) == GIMPLE_OMP_PARALLEL) {
            static_cast<graph *>(info->info)->regions->safe_push(gsi_stmt(*i));
            *handled = true;
        }
        return NULL_TREE;
    }

    /* Notes the regions inside code that is one node here. */
    void note_regions(gimple_seq body)
    {
        struct walk_stmt_info info = {};

        info.info = this;
        walk_gimple_seq(body, note_region, nullptr, &info);
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
        note_regions(gimple_omp_body(stmt));
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
        note_regions(gimple_omp_body(loop));
        append(LOOP, loop);
        if (!has_no_barrier(gimple_omp_for_clauses(loop))) {
            append(BARRIER);
        }
    }

    void build_call(gimple *call)
    {
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

    /* Control may leave the body anywhere for the cleanup or handler. */
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

    /* Each of them may come next. */
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

    /* --- what follows --- */

    void touch_by_node(keel_accesses *found, const node *n)
    {
        found->anything |= n->anything;
        if (n->kind == LOOP) {
            keel_accesses_by_loop(found, n->stmt);
        } else if (n->stmt) {
            keel_accesses_by_statement(found, n->stmt);
        }
    }

    bool is_apart(const keel_accesses &others, const node *n)
    {
        keel_accesses own;

        touch_by_node(&own, n);
        return keel_accesses_are_disjoint(others, own);
    }

    /* Adds the nodes that control may come to from behind those in `open` before it meets a
     * barrier. */
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

    /* What is worst for the loop stays. */
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
        keel_accesses own;

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
                continue; /* nobody can rely on its shares */
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
                pairing_of(pairings, nodes[i])->may_follow = true;
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
    /* What else stands in the region of a combined construct is the compiler's own. */
    for (unsigned i = 0; i < regions.length(); i++) {
        graph region(gimple_omp_body(regions[i]), true, &regions);
        if (!gimple_omp_parallel_combined_p(regions[i]) || region.loops() > 1) {
            region.find(pairings);
        }
    }
}
