/* Where in the program a loop stands, and what its source says about it. */
#ifndef OMP_EXT_SITE_CALL_SITE_H
#define OMP_EXT_SITE_CALL_SITE_H

#include <stdbool.h>
#include <stdint.h>

struct keel_call_site {
    const void *caller;       /* return address of the call */
    void (*outlined)(void *); /* of a combined parallel loop; else NULL */
};

/* What the policy of a loop depends on. */
struct keel_construct {
    struct keel_call_site place;
    bool in_order;  /* declared monotonic: each thread's iterations have to increase */
    uint64_t grain; /* its clause has chunks of so many iterations, so none may be separated that
                       stand in one of them, see keel_space_grain(); 0 or 1: any may */
};

#endif
