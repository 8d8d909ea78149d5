/* Marks: how a loop that is chosen before `omplower` is found again after `ompexp`.
 *
 *   choice of a loop (keel_plugin.cc) -> mark in its chunk -> omplower, ompexp -> calls (calls.cc)
 *
 * A mark is a variable that nothing defines, as a term of the loop's chunk. GCC's expansion carries
 * it to the call of GOMP_loop_*_start, and as it is no constant, never combines the loop with its
 * parallel region. The calls' pass puts 0 in its place. */
#ifndef OMP_EXT_PLUGIN_MARKS_H
#define OMP_EXT_PLUGIN_MARKS_H

#include <gcc-plugin.h>

#include <tree.h>

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

#endif
