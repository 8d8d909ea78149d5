/* Pairs of loops that no barrier stands between.
 *
 * body of a function -> [graph of its regions] -> what follows each nowait loop -> choice of loops
 *
 * GCC gives two static loops of equal length the same shares. So a loop without a barrier at its
 * end may be followed by one that reads what the same thread wrote, and programs do that also where
 * no schedule is written. */
#ifndef OMP_EXT_PLUGIN_PAIRS_H
#define OMP_EXT_PLUGIN_PAIRS_H

#include <gcc-plugin.h>

#include <tree.h>
#include <gimple.h>
#include <hash-map.h>

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
};

typedef hash_map<const gimple *, keel_pairing> keel_pairings;

/* Finds what there is to know of the work-sharing loops in a function's body, not lowered yet. */
void keel_pairs_find(gimple_seq body, keel_pairings *pairings);

/* Whether GCC gives the loop static shares as it stands. */
bool keel_pairs_is_static(const gimple *loop);

#endif
