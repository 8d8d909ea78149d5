/* What the plugin is made of.
 *
 *   body of a function -> pairs of loops (pairs.cc), options -> choice of loops
 *   (keel_plugin.cc) -> marks (names.cc) -> omplower, ompexp -> their calls (calls.cc) */
#ifndef OMP_EXT_PLUGIN_PLUGIN_H
#define OMP_EXT_PLUGIN_PLUGIN_H

#include <gcc-plugin.h>
#include <bversion.h>

#include <tree.h>
#include <tree-pass.h>
#include <basic-block.h>
#include <gimple.h>
#include <hash-map.h>
#include <hash-set.h>

/* --- what GCC 11 does not have of what the plugin uses; GCC 12 and later have all --- */

#if BUILDING_GCC_MAJOR < 12

/* `order(reproducible:concurrent)` and its kin are of GCC 12: each order is an unqualified one. */
#define OMP_CLAUSE_ORDER_UNCONSTRAINED(clause) false

#define KEEL_HAS_SCOPE_AND_MASKED 0

static inline bool startswith(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

#else

#define KEEL_HAS_SCOPE_AND_MASKED 1

#endif

/* --- plugin_options.cc: what stands behind -fplugin-arg-keel_plugin- --- */

struct keel_plugin_options {
    unsigned explicit_mask; /* bit 1 << kind: loops with that clause are taken, too */
    bool nowait;            /* the author says that no loop relies on the shares of one before it */
    bool target;
    bool verbose;
};

/* Written by plugin_init alone, before any function is compiled. */
extern keel_plugin_options keel_options;

/* Reads the arguments. What is wrong draws a warning, and the compilation goes on. */
void keel_options_read(const plugin_name_args *plugin);

/* --- pairs.cc: pairs of loops that no barrier stands between ---
 *
 * GCC gives two static loops of equal length the same shares. So a loop without a barrier at its
 * end may be followed by one that reads what the same thread wrote, and programs do that also where
 * no schedule is written. */

/* What stands behind a loop whose threads do not wait at its end, up to the next barrier. */
enum keel_follower {
    KEEL_FOLLOWED_BY_NOTHING,
    KEEL_FOLLOWED_BY_LOOP, /* that may use the same data */
    KEEL_FOLLOWED_BY_CODE, /* the same */
    KEEL_FOLLOWED_BY_CALL, /* of a function that may have loops */
    KEEL_FOLLOWED_BY_END   /* of the function: the loop is orphaned, and more may follow */
};

struct keel_pairing {
    keel_follower follower;
    location_t second; /* FOLLOWED_BY_LOOP: where that is */
    bool follows;      /* such a loop runs before, with no barrier between, */
    location_t first;  /* and stands there */
    /* A loop whose threads do not wait may have run before, in a caller or in a function that has
     * been called. */
    bool may_follow;
    bool cancellable; /* may_follow: a thread that cancels the region does not wait with others */
};

typedef hash_map<const gimple *, keel_pairing> keel_pairings;

/* Finds what there is to know of the work-sharing loops in a function's body, not lowered yet. */
void keel_pairs_find(gimple_seq body, keel_pairings *pairings);

/* Whether GCC gives the loop static shares as it stands. */
bool keel_pairs_is_static(const gimple *loop);

/* --- names.cc: how a loop that is chosen before `omplower` is found again after `ompexp`, and what
 * its code refers to ---
 *
 * A mark is a variable that nothing defines, as a term of the loop's chunk. GCC's expansion carries
 * it to the call of GOMP_loop_*_start, and as it is no constant, never combines the loop with its
 * parallel region. The calls' pass puts 0 in its place. */

/* What runs where Keel does not take the loop. */
enum keel_fallback {
    KEEL_AS_EXPANDED,   /* what GCC has expanded: the kind that was written is libgomp's */
    KEEL_STATIC_BLOCKS, /* static shares as GCC gives them, one block for each thread */
    KEEL_STATIC_CHUNKS  /* static chunks of the clause's size, in turn */
};

struct keel_mark {
    unsigned flags; /* KEEL_WORKSHARING_... */
    keel_fallback otherwise;
    location_t where; /* the directive */
    bool narrow;      /* 32 bits hold the number of iterations */
};

/* A chunk that bears a new mark. written: the clause's own; NULL_TREE: none. */
tree keel_mark_chunk(const keel_mark &mark, tree written);

/* The mark whose variable this is; nullptr: none. */
const keel_mark *keel_mark_of(const_tree variable);

/* Whether any loop of this translation unit has been marked. */
bool keel_marks_exist();

/* Keel's functions for loops, see omp_ext/gomp/worksharing.h. */
enum keel_function {
    KEEL_START,
    KEEL_ULL_START,
    KEEL_NEXT,
    KEEL_ULL_NEXT,
    KEEL_END,
    KEEL_END_CANCEL,
    KEEL_END_NOWAIT,
    KEEL_FUNCTIONS
};

/* Its declaration: weak, so that it has no address where Keel is missing, and `noplt`, so that code
 * which is not position-independent asks at run time, too. */
tree keel_function_decl(keel_function function);

/* Tells GCC's collector of the declarations. plugin: the plugin's name. */
void keel_functions_keep(const char *plugin);

/* A new variable for the loop at `where`, see struct keel_worksharing_loop in
 * omp_ext/gomp/worksharing.h. */
tree keel_loop_variable(location_t where);

/* --- calls.cc: the pass that brings the calls of marked loops to Keel --- */

/* It stands behind `ompexp`. plugin: its name, for what GCC's collector has to know. */
opt_pass *keel_calls_pass(gcc::context *context, const char *plugin);

#endif
