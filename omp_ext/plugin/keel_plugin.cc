/* The GCC plugin: brings work-sharing loops without a schedule clause under Keel. It is at the
 * start of the data flow: source -> front end -> [this pass: which loops] -> omplower, ompexp ->
 * [calls.cc: their calls] -> libkeel.so, or the code without the plugin.
 *
 *     gcc -fopenmp -fplugin=keel_plugin.so ...    for C, C++ and Fortran alike; and optionally
 *     -fplugin-arg-keel_plugin-explicit=LIST      loops with these kinds are taken as well: any of
 *                                                 static,dynamic,guided,auto
 *     -fplugin-arg-keel_plugin-nowait             loops without a barrier at their end are taken,
 *                                                 and those behind them: the author's word that
 *                                                 none relies on another one's static shares
 *     -fplugin-arg-keel_plugin-target             loops that may run on an offload device as well:
 *                                                 these become schedule(runtime)
 *     -fplugin-arg-keel_plugin-verbose            a note for every loop: taken, or why it is not
 *
 * A taken loop calls Keel at its start, unless Keel lets it divide itself. Without Keel, or without
 * settings, it runs as written: a bare loop by GCC's static shares.
 *
 * Guarantees for a bare loop. Without a schedule clause the def-sched-var ICV decides (OpenMP 5.2,
 * 11.5.3), and its value is implementation defined. GCC's is static, and two static loops with
 * equal iteration counts give an iteration to the same thread. OpenMP promises that for
 * schedule(static); programs written for GCC rely on it without the clause, if a loop with nowait
 * is followed by one that reads its results. So a loop without a barrier at its end is left alone,
 * and so are the static loops up to the next barrier, unless they touch no data in common
 * (pairs.cc).
 *
 * The code before and after an orphaned loop is not known. With nowait the loop is left alone. With
 * a barrier at its end it may be the second of a pair whose first loop is in a caller, or in a
 * function called before: that first loop is left alone, as a call or the end of its function
 * follows it; and the threads wait for each other before the second one if Keel schedules it, so
 * that they see all data, whichever thread wrote them. The same is done in regions, for a loop
 * after a call without a barrier between.
 *
 * Not detected, and not cured by a barrier: data of one thread, such as threadprivate variables,
 * that one loop leaves for the same iteration of another.
 *
 * Modifier. None is added to a bare loop: OpenMP 5.0 leaves it to implementations whether such a
 * loop is monotonic. Written clauses keep their modifier, and a written schedule(static) is
 * monotonic by definition. The other kinds mean nonmonotonic since OpenMP 5.0, but libgomp still
 * gives each thread increasing iterations, so programs may rely on that: unless the clause or
 * KEEL_OVERRIDE says nonmonotonic, they keep that order.
 *
 * The pass sees high GIMPLE, before inlining, cloning and LTO streaming, so that the optimisation
 * level and -flto make no difference. Loops that GCC makes parallel by itself
 * (-ftree-parallelize-loops) arise later and are not taken. */

#include "omp_ext/plugin/plugin.h"

#include <plugin-version.h>
#include <gimple-iterator.h>
#include <gimple-walk.h>
#include <context.h>
#include <stringpool.h>
#include <attribs.h>
#include <diagnostic-core.h>
#include <omp-general.h>

#include "omp_ext/gomp/worksharing.h"

/* GCC asks for this name; the project's MIT licence is compatible with the GPL. */
int plugin_is_GPL_compatible;

namespace {

/* One walk over a function's body. */
struct keel_function_walk {
    bool on_device; /* inside code that GCC may compile for an offload device as well */
    keel_pairings *pairings;
    const gimple *combined; /* the innermost parallel if it is part of a combined construct */
};

/* --- loops that can take another schedule --- */

unsigned kind_of(tree schedule)
{
    return OMP_CLAUSE_SCHEDULE_KIND(schedule) & OMP_CLAUSE_SCHEDULE_MASK;
}

bool is_for(const gimple *stmt)
{
    return gimple_code(stmt) == GIMPLE_OMP_FOR && gimple_omp_for_kind(stmt) == GF_OMP_FOR_KIND_FOR;
}

bool is_offloaded_region(const gimple *stmt)
{
    return gimple_code(stmt) == GIMPLE_OMP_TARGET &&
           gimple_omp_target_kind(stmt) == GF_OMP_TARGET_KIND_REGION;
}

bool has_inscan_reduction(tree clauses)
{
    for (tree c = clauses; c; c = OMP_CLAUSE_CHAIN(c)) {
        if (OMP_CLAUSE_CODE(c) == OMP_CLAUSE_REDUCTION && OMP_CLAUSE_REDUCTION_INSCAN(c)) {
            return true;
        }
    }
    return false;
}

/* GOMP_loop_start takes their memory from libgomp's record of the loop, under any schedule. */
bool shares_memory(tree clauses)
{
    for (tree c = clauses; c; c = OMP_CLAUSE_CHAIN(c)) {
        if ((OMP_CLAUSE_CODE(c) == OMP_CLAUSE_REDUCTION && OMP_CLAUSE_REDUCTION_TASK(c)) ||
            (OMP_CLAUSE_CODE(c) == OMP_CLAUSE_LASTPRIVATE &&
             OMP_CLAUSE_LASTPRIVATE_CONDITIONAL(c))) {
            return true;
        }
    }
    return omp_find_clause(clauses, OMP_CLAUSE__REDUCTEMP_) ||
           omp_find_clause(clauses, OMP_CLAUSE__CONDTEMP_);
}

/* A bound that depends on an outer loop's variable is a vector of variable, factor and offset. */
bool is_non_rectangular(const gimple *loop)
{
    for (size_t i = 0; i < gimple_omp_for_collapse(loop); i++) {
        if (TREE_CODE(gimple_omp_for_initial(loop, i)) == TREE_VEC ||
            TREE_CODE(gimple_omp_for_final(loop, i)) == TREE_VEC) {
            return true;
        }
    }
    return false;
}

bool counts_beyond_64_bits(const gimple *loop)
{
    for (size_t i = 0; i < gimple_omp_for_collapse(loop); i++) {
        if (TYPE_PRECISION(TREE_TYPE(gimple_omp_for_index(loop, i))) > 64) {
            return true;
        }
    }
    return false;
}

bool counts_down(const gimple *loop)
{
    location_t where = gimple_location(loop);
    tree step = omp_get_for_step_from_incr(where, gimple_omp_for_incr(loop, 0));
    tree end = gimple_omp_for_final(loop, 0);
    enum tree_code condition = gimple_omp_for_cond(loop, 0);

    /* Makes `<` or `>` of the five conditions. */
    omp_adjust_for_condition(where, &condition, &end, gimple_omp_for_index(loop, 0), step);
    return condition == GT_EXPR;
}

/* Collapsed loops count up by iteration number. */
bool has_narrow_unsigned_step_down(const gimple *loop)
{
    tree type = TREE_TYPE(gimple_omp_for_index(loop, 0));

    return gimple_omp_for_collapse(loop) == 1 && TYPE_UNSIGNED(type) &&
           TYPE_PRECISION(type) < TYPE_PRECISION(long_integer_type_node) && counts_down(loop);
}

/* Returns why the construct itself forbids another schedule, or nullptr. */
const char *construct_forbids(const gimple *loop, tree clauses)
{
    tree ordered = omp_find_clause(clauses, OMP_CLAUSE_ORDERED);
    tree order = omp_find_clause(clauses, OMP_CLAUSE_ORDER);

    /* `omp loop` has been turned into `omp for` by now, but its bind clause is still there. */
    if (omp_find_clause(clauses, OMP_CLAUSE_BIND)) {
        return "a 'loop' construct takes no schedule";
    }
    /* libgomp's doacross counters are laid out from the chunks that libgomp itself hands out. */
    if (ordered && OMP_CLAUSE_ORDERED_EXPR(ordered)) {
        return "a doacross loop needs libgomp's own chunks";
    }
    /* GCC runs the loop twice, with per-thread arrays sized for one contiguous block per thread. */
    if (has_inscan_reduction(clauses)) {
        return "an 'inscan' reduction needs one contiguous block per thread";
    }
    /* Every order but `unconstrained` is reproducible in GCC 12, and omp_extract_for_data then puts
     * static in the place of any schedule: the clause would do nothing. */
    if (order && !OMP_CLAUSE_ORDER_UNCONSTRAINED(order)) {
        return "GCC keeps an 'order(concurrent)' loop static";
    }
    /* OpenMP forbids the clause, and expand_omp_for asserts that it is not there. */
    if (is_non_rectangular(loop)) {
        return "a non-rectangular loop takes no schedule";
    }
    /* Inlined static loops count in the variable's own type; libgomp's calls have 64 bits, and GCC
     * narrows without a warning. */
    if (counts_beyond_64_bits(loop)) {
        return "its iteration variable is wider than the 64 bits of libgomp's calls";
    }
    /* Known defect of GCC 12: for `unsigned i; i--` and any schedule but static it passes the step
     * as the `long` 4294967295, and the loop runs no iteration at all. */
    if (has_narrow_unsigned_step_down(loop)) {
        return "GCC miscounts a narrow unsigned variable that runs down, unless it is static";
    }
    return nullptr;
}

/* Returns why a loop keeps its written schedule, or nullptr. */
const char *clause_forbids(tree schedule)
{
    unsigned kind = kind_of(schedule);

    if (kind == OMP_CLAUSE_SCHEDULE_RUNTIME) {
        return "it has 'schedule(runtime)' already";
    }
    if (!(keel_options.explicit_mask & 1u << kind)) {
        return "it has a schedule of its own";
    }
    return nullptr;
}

/* The pairing of a loop with others without a barrier between. Empty if the option nowait says that
 * no loop relies on static shares, unless a written schedule(static) promises them. */
keel_pairing pairing_of(const gimple *loop, const keel_function_walk *walk)
{
    tree schedule = omp_find_clause(gimple_omp_for_clauses(loop), OMP_CLAUSE_SCHEDULE);
    bool promised = schedule && kind_of(schedule) == OMP_CLAUSE_SCHEDULE_STATIC;
    const keel_pairing *known =
        keel_options.nowait && !promised ? nullptr : walk->pairings->get(loop);

    return known ? *known : keel_pairing{};
}

/* Returns why another schedule might separate iterations of a pair that static shares give to one
 * thread, or nullptr. */
const char *pairing_forbids(const keel_pairing &pairing)
{
    switch (pairing.follower) {
    case KEEL_FOLLOWED_BY_LOOP:
        return "its threads do not wait at its end, and a loop behind it may rely on the same "
               "static shares";
    case KEEL_FOLLOWED_BY_CODE:
        return "its threads do not wait at its end, and code behind it may use the same data";
    case KEEL_FOLLOWED_BY_CALL:
        return "its threads do not wait at its end, and a function is called behind it";
    case KEEL_FOLLOWED_BY_END:
        return "its threads do not wait at its end, and what follows in the caller may rely on its "
               "static shares";
    case KEEL_FOLLOWED_BY_NOTHING:
        break;
    }
    if (pairing.follows) {
        return "the threads of a loop before it do not wait at that one's end, and it may rely on "
               "the same static shares";
    }
    if (pairing.may_follow && pairing.cancellable) {
        return "a loop without a barrier may have run before it, and its threads cannot wait for "
               "each other first, as the region may be cancelled";
    }
    return nullptr;
}

const char *reason_to_leave(const gimple *loop, const keel_function_walk *walk)
{
    tree clauses = gimple_omp_for_clauses(loop);
    tree schedule = omp_find_clause(clauses, OMP_CLAUSE_SCHEDULE);

    if (const char *reason = construct_forbids(loop, clauses)) {
        return reason;
    }
    if (schedule) {
        if (const char *reason = clause_forbids(schedule)) {
            return reason;
        }
    } else if (omp_find_clause(clauses, OMP_CLAUSE_ORDERED)) {
        /* The order of iterations dominates such a loop, not the schedule. For another one, write
         * it and name it in explicit=. */
        return "it is ordered and has no schedule of its own";
    }
    if (shares_memory(clauses)) {
        return "its task reduction or 'lastprivate(conditional:)' needs libgomp's own record of it";
    }
    if (keel_pairs_is_static(loop)) {
        if (const char *reason = pairing_forbids(pairing_of(loop, walk))) {
            return reason;
        }
    }
    /* A device has its own run-sched-var, dynamic,1 in GCC 12: neither OMP_SCHEDULE nor Keel sets
     * it, and a device's memory needs static order. */
    if (walk->on_device && !keel_options.target) {
        return "it may run on an offload device";
    }
    return nullptr;
}

/* --- marking of loops --- */

/* The flags for the order of each thread's iterations by a written clause. */
unsigned order_of(tree schedule)
{
    unsigned kind = OMP_CLAUSE_SCHEDULE_KIND(schedule);

    if (kind & OMP_CLAUSE_SCHEDULE_NONMONOTONIC) {
        return 0;
    }
    return (kind & OMP_CLAUSE_SCHEDULE_MONOTONIC) || kind_of(schedule) == OMP_CLAUSE_SCHEDULE_STATIC
               ? KEEL_WORKSHARING_IN_ORDER
               : KEEL_WORKSHARING_UNSTATED_ORDER;
}

/* On an offload device there is no Keel: OMP_SCHEDULE decides there. */
void make_runtime(tree schedule, unsigned flags)
{
    unsigned modifiers = OMP_CLAUSE_SCHEDULE_KIND(schedule) & ~OMP_CLAUSE_SCHEDULE_MASK;

    if (flags & (KEEL_WORKSHARING_IN_ORDER | KEEL_WORKSHARING_UNSTATED_ORDER)) {
        modifiers |= OMP_CLAUSE_SCHEDULE_MONOTONIC;
    }
    OMP_CLAUSE_SCHEDULE_KIND(schedule) =
        static_cast<omp_clause_schedule_kind>(OMP_CLAUSE_SCHEDULE_RUNTIME | modifiers);
    /* It was evaluated before the construct, and GCC asserts that runtime has none. */
    OMP_CLAUSE_SCHEDULE_CHUNK_EXPR(schedule) = NULL_TREE;
}

/* A schedule clause without kind or chunk for a bare loop. */
tree add_clause(gimple *loop)
{
    tree clause = build_omp_clause(gimple_location(loop), OMP_CLAUSE_SCHEDULE);

    OMP_CLAUSE_SCHEDULE_KIND(clause) = OMP_CLAUSE_SCHEDULE_AUTO;
    OMP_CLAUSE_SCHEDULE_CHUNK_EXPR(clause) = NULL_TREE;
    OMP_CLAUSE_CHAIN(clause) = gimple_omp_for_clauses(loop);
    gimple_omp_for_set_clauses(loop, clause);
    return clause;
}

/* The flags for libkeel.so: the kind, and whether there are ordered regions. */
unsigned flags_of(const gimple *loop, tree schedule)
{
    unsigned kind = kind_of(schedule), flags = KEEL_WORKSHARING_STATIC;

    if (kind == OMP_CLAUSE_SCHEDULE_DYNAMIC) {
        flags = KEEL_WORKSHARING_DYNAMIC;
    } else if (kind == OMP_CLAUSE_SCHEDULE_GUIDED) {
        flags = KEEL_WORKSHARING_GUIDED;
    }
    if (omp_find_clause(gimple_omp_for_clauses(loop), OMP_CLAUSE_ORDERED)) {
        flags |= KEEL_WORKSHARING_ORDERED;
    }
    return flags;
}

bool is_narrow(const gimple *loop)
{
    return gimple_omp_for_collapse(loop) == 1 &&
           TYPE_PRECISION(TREE_TYPE(gimple_omp_for_index(loop, 0))) <= 32;
}

/* GCC expands static loops in place. As dynamic ones they call for their chunks; calls.cc replaces
 * these calls. Ordered loops call anyway. */
void mark(const gimple *loop, tree schedule, unsigned more_flags, location_t where)
{
    keel_mark mark = {flags_of(loop, schedule) | more_flags, KEEL_AS_EXPANDED, where,
                      is_narrow(loop)};
    tree written = OMP_CLAUSE_SCHEDULE_CHUNK_EXPR(schedule);
    unsigned modifiers = OMP_CLAUSE_SCHEDULE_KIND(schedule) & ~OMP_CLAUSE_SCHEDULE_MASK;

    if ((mark.flags & KEEL_WORKSHARING_KIND) == KEEL_WORKSHARING_STATIC &&
        !(mark.flags & KEEL_WORKSHARING_ORDERED)) {
        mark.otherwise = written ? KEEL_STATIC_CHUNKS : KEEL_STATIC_BLOCKS;
        OMP_CLAUSE_SCHEDULE_KIND(schedule) =
            static_cast<omp_clause_schedule_kind>(OMP_CLAUSE_SCHEDULE_DYNAMIC | modifiers);
    } else if (kind_of(schedule) != OMP_CLAUSE_SCHEDULE_STATIC && !written) {
        written = integer_one_node;
    }
    OMP_CLAUSE_SCHEDULE_CHUNK_EXPR(schedule) = keel_mark_chunk(mark, written);
}

/* The directive's location. In Fortran, that of a combined construct's loop is in its body. */
location_t directive_location(const gimple *loop, const keel_function_walk *walk)
{
    return gimple_location(walk->combined ? walk->combined : loop);
}

void note_outcome(location_t where, const char *reason, unsigned flags)
{
    if (!keel_options.verbose) {
        return;
    }
    if (reason) {
        inform(where, "keel: loop left alone: %s", reason);
    } else if (flags & KEEL_WORKSHARING_WAIT_FIRST) {
        inform(where, "keel: loop taken; where Keel schedules it, its threads wait for each other "
                      "first, as a loop without a barrier may have run before");
    } else {
        inform(where, "keel: loop taken");
    }
}

/* Prints the location of the other loop of a pair. */
void note_partner(const gimple *loop, const keel_function_walk *walk)
{
    keel_pairing pairing = pairing_of(loop, walk);

    if (!keel_options.verbose) {
        return;
    }
    if (pairing.follower == KEEL_FOLLOWED_BY_LOOP) {
        inform(pairing.second, "keel: this is the loop behind it");
    } else if (pairing.follower == KEEL_FOLLOWED_BY_NOTHING && pairing.follows) {
        inform(pairing.first, "keel: this is the loop before it");
    }
}

void treat_loop(gimple *loop, const keel_function_walk *walk)
{
    unsigned flags = pairing_of(loop, walk).may_follow && keel_pairs_is_static(loop)
                         ? KEEL_WORKSHARING_WAIT_FIRST
                         : 0;
    tree schedule = omp_find_clause(gimple_omp_for_clauses(loop), OMP_CLAUSE_SCHEDULE);
    const char *reason = reason_to_leave(loop, walk);

    note_outcome(directive_location(loop, walk), reason, flags);
    if (reason) {
        note_partner(loop, walk);
        return;
    }
    if (schedule) {
        flags |= order_of(schedule);
    } else {
        schedule = add_clause(loop);
    }
    if (walk->on_device) {
        make_runtime(schedule, flags);
    } else {
        mark(loop, schedule, flags, directive_location(loop, walk));
    }
}

/* --- the walk over statements --- */

tree treat_stmt(gimple_stmt_iterator *gsi, bool *handled, struct walk_stmt_info *info);

void walk_body(gimple_seq body, keel_function_walk *walk)
{
    struct walk_stmt_info info = {};

    info.info = walk;
    walk_gimple_seq(body, treat_stmt, nullptr, &info);
}

tree treat_stmt(gimple_stmt_iterator *gsi, bool *handled, struct walk_stmt_info *info)
{
    gimple *stmt = gsi_stmt(*gsi);
    keel_function_walk *walk = static_cast<keel_function_walk *>(info->info);
    keel_function_walk inside = *walk; /* state in a parallel or target region */

    if (is_for(stmt)) {
        treat_loop(stmt, walk);
        return NULL_TREE;
    }
    if (gimple_code(stmt) == GIMPLE_OMP_PARALLEL) {
        inside.combined = gimple_omp_parallel_combined_p(stmt) ? stmt : nullptr;
    } else if (is_offloaded_region(stmt)) {
        inside.on_device = true;
    } else {
        return NULL_TREE;
    }
    walk_body(gimple_omp_body(stmt), &inside);
    *handled = true;
    return NULL_TREE;
}

const pass_data keel_pass_data = {
    GIMPLE_PASS, "keel_runtime", OPTGROUP_OMP, TV_NONE, PROP_gimple_any, 0, 0, 0, 0,
};

class keel_pass : public gimple_opt_pass {
public:
    explicit keel_pass(gcc::context *context) : gimple_opt_pass(keel_pass_data, context) {}

    bool gate(function *) final override
    {
        return flag_openmp;
    }

    unsigned int execute(function *fun) final override
    {
        gimple_seq body = gimple_body(fun->decl);
        keel_function_walk walk = {};
        keel_pairings pairings;

        /* GCC also sets it for functions that a target region of the same file calls. */
        walk.on_device = lookup_attribute("omp declare target", DECL_ATTRIBUTES(fun->decl));
        keel_pairs_find(body, &pairings);
        walk.pairings = &pairings;
        walk_body(body, &walk);
        return 0;
    }
};

void add_pass(const struct plugin_name_args *plugin, opt_pass *pass, pass_positioning_ops where,
              const char *reference)
{
    struct register_pass_info place = {};

    place.pass = pass;
    place.reference_pass_name = reference;
    place.ref_pass_instance_number = 1;
    place.pos_op = where;
    register_callback(plugin->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &place);
}

} // namespace

int plugin_init(struct plugin_name_args *plugin, struct plugin_gcc_version *version)
{
    /* Exact match on purpose: GCC has no stable binary interface for plugins. */
    if (!plugin_default_version_check(version, &gcc_version)) {
        error(
            "keel: %s is built for GCC %s (%s), but this is GCC %s (%s); build it again with this "
            "compiler, or leave %<-fplugin%> out",
            plugin->full_name, gcc_version.basever, gcc_version.datestamp, version->basever,
            version->datestamp);
        return 1;
    }
    keel_options_read(plugin);
    add_pass(plugin, new keel_pass(g), PASS_POS_INSERT_BEFORE, "omplower");
    add_pass(plugin, keel_calls_pass(g, plugin->base_name), PASS_POS_INSERT_AFTER, "ompexp");
    return 0;
}
