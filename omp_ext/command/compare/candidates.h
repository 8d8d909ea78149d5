/* What is compared: schedules of libgomp and of Keel for threads, ways for ranks to share loops,
 * and ways to balance rows. Several lists give each combination. */
#ifndef OMP_EXT_COMMAND_COMPARE_CANDIDATES_H
#define OMP_EXT_COMMAND_COMPARE_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>

#define KEEL_CANDIDATES_MAX 64

/* Settings that are NULL stay what the environment says. */
struct keel_candidate {
    char *name;           /* "libgomp static", "fac2", "fac2 + tree" */
    const char *omp;      /* OMP_SCHEDULE */
    const char *schedule; /* KEEL_SCHEDULE */
    const char *sharing;  /* KEEL_MPI_SCHEDULE */
    const char *balance;  /* KEEL_MPI_BALANCE */
    bool libgomp;         /* its loops are libgomp's */
};

/* Lists with blanks between their entries; NULL: none. */
struct keel_candidate_lists {
    const char *libgomp;  /* for OMP_SCHEDULE, Keel passing all loops through */
    const char *schedule; /* for KEEL_SCHEDULE */
    const char *sharing;  /* for KEEL_MPI_SCHEDULE */
    const char *balance;  /* for KEEL_MPI_BALANCE */
};

struct keel_candidates {
    size_t count; /* the first one is the reference */
    struct keel_candidate *of;
};

/* Makes what the lists say, what comes twice but once. False: a message has said what is wrong. */
bool keel_candidates_make(struct keel_candidates *candidates,
                          const struct keel_candidate_lists *lists);

/* A schedule that rules can name: no rules in itself, of Keel. */
bool keel_candidate_is_plain(const struct keel_candidate *candidate);

void keel_candidates_free(struct keel_candidates *candidates);

#endif
