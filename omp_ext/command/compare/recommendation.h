/* Which candidate a job script should have. Pure, from what a session has shown. */
#ifndef OMP_EXT_COMMAND_COMPARE_RECOMMENDATION_H
#define OMP_EXT_COMMAND_COMPARE_RECOMMENDATION_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/command/compare/session.h"
#include "omp_ext/command/compare/statistics/standing.h"

enum keel_recommendation_kind {
    KEEL_RECOMMENDATION_NONE,    /* nothing is known */
    KEEL_RECOMMENDATION_NOTHING, /* nothing that matters is to be gained over the reference,
                                    which is `candidate` */
    KEEL_RECOMMENDATION_SURE,    /* `candidate` is told apart from `beside` */
    KEEL_RECOMMENDATION_UNSURE   /* it is faster so far */
};

struct keel_recommendation {
    enum keel_recommendation_kind kind;
    size_t candidate;
    size_t beside;           /* the best that does without Keel's schedules: libgomp's, or the
                                reference */
    struct keel_ratio ratio; /* of `candidate` to `beside`, or to the reference if they are one */
};

/* What the candidate's ratio is to. */
static inline size_t keel_recommendation_other(const struct keel_recommendation *recommendation)
{
    return recommendation->candidate == recommendation->beside ? 0 : recommendation->beside;
}

/* Candidates that have failed or whose output differs are none to choose. */
struct keel_recommendation keel_recommendation_of(const struct keel_session *session,
                                                  const struct keel_standings *standings);

/* Without Keel's schedules: one of libgomp's, or the reference if there is none. */
bool keel_recommendation_is_plain(const struct keel_session *session, size_t candidate);

#endif
