/* The parts of the plugin.
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

/* --- replacements for GCC 11; GCC 12 and later have them --- */

#if BUILDING_GCC_MAJOR < 12

/* GCC 11 has no `order(reproducible:concurrent)` and the like: each order is unqualified. */
#define OMP_CLAUSE_ORDER_UNCONSTRAINED(clause) false

#define KEEL_HAS_SCOPE_AND_MASKED 0

static inline bool startswith(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

#else

#define KEEL_HAS_SCOPE_AND_MASKED 1

#endif

/* --- plugin_options.cc: the options -fplugin-arg-keel_plugin-... --- */

struct keel_plugin_options {
    unsigned explicit_mask; /* bit 1 << kind: loops with that clause are taken */
    bool nowait;            /* no loop relies on the shares of one before it */
    bool target;
    bool verbose;
};

/* Written by plugin_init alone, before any function is compiled. */
extern keel_plugin_options keel_options;

/* Reads the arguments. Warns of wrong ones; the compilation continues. */
void keel_options_read(const plugin_name_args *plugin);

/* --- pairs.cc: pairs of loops without a barrier between ---
 *
 * GCC gives two static loops of equal length the same shares. So a loop without a barrier at its
 * end may be followed by one that reads data of the same thread, and programs do that also without
 * a schedule clause. */

/* The code after a loop whose threads do not wait at its end, up to the next barrier. */
enum keel_follower {
    KEEL_FOLLOWED_BY_NOTHING,
    KEEL_FOLLOWED_BY_LOOP, /* that may use the same data */
    KEEL_FOLLOWED_BY_CODE, /* the same */
    KEEL_FOLLOWED_BY_CALL, /* of a function that may have loops */
    KEEL_FOLLOWED_BY_END   /* of the function: the loop is orphaned, and more may follow */
};

struct keel_pairing {
    keel_follower follower;
    location_t second; /* FOLLOWED_BY_LOOP: its location */
    bool follows;      /* such a loop runs before, without a barrier between */
    location_t first;  /* its location */
    /* A loop whose threads do not wait may have run before, in a caller or in a function that has
     * been called. */
    bool may_follow;
    bool cancellable; /* may_follow: a thread that cancels the region does not wait with others */
};

typedef hash_map<const gimple *, keel_pairing> keel_pairings;

/* Finds the pairings of the work-sharing loops in a function's body, which is not lowered yet. */
void keel_pairs_find(gimple_seq body, keel_pairings *pairings);

/* Whether GCC gives the loop static shares. */
bool keel_pairs_is_static(const gimple *loop);

/* --- names.cc: marks, by which a loop that is chosen before `omplower` is found after `ompexp`,
 * and the declarations that its code refers to ---
 *
 * A mark is an undefined variable, added to the loop's chunk. GCC's expansion carries it to the
 * call of GOMP_loop_*_start, and as it is not constant, never combines the loop with its parallel
 * region. The pass of calls.cc replaces it by 0. */

/* The code that runs if Keel does not take the loop. */
enum keel_fallback {
    KEEL_AS_EXPANDED,   /* GCC's expansion: libgomp runs the written kind */
    KEEL_STATIC_BLOCKS, /* static shares as GCC gives them, one block for each thread */
    KEEL_STATIC_CHUNKS  /* static chunks of the clause's size, in turn */
};

struct keel_mark {
    unsigned flags; /* KEEL_WORKSHARING_... */
    keel_fallback otherwise;
    location_t where; /* the directive */
    bool narrow;      /* 32 bits hold the number of iterations */
};

/* Returns a chunk with a new mark. written: the clause's own chunk, or NULL_TREE. */
tree keel_mark_chunk(const keel_mark &mark, tree written);

/* The mark of the variable, or nullptr. */
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

/* Its declaration: weak, so that its address is 0 without Keel, and `noplt`, so that code that is
 * not position-independent also tests it at run time. */
tree keel_function_decl(keel_function function);

/* Registers the declarations with GCC's garbage collector. plugin: the plugin's name. */
void keel_functions_keep(const char *plugin);

/* A new variable for the loop at `where`, see struct keel_worksharing_loop in
 * omp_ext/gomp/worksharing.h. */
tree keel_loop_variable(location_t where);

/* --- calls.cc: the pass that brings the calls of marked loops to Keel --- */

/* The pass runs after `ompexp`. plugin: the plugin's name, for GCC's garbage collector. */
opt_pass *keel_calls_pass(gcc::context *context, const char *plugin);

#endif
