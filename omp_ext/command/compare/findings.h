/* What a session has shown, in words. To standard output. */
#ifndef OMP_EXT_COMMAND_COMPARE_FINDINGS_H
#define OMP_EXT_COMMAND_COMPARE_FINDINGS_H

#include "omp_ext/command/compare/combination.h"
#include "omp_ext/command/compare/recommendation.h"
#include "omp_ext/command/compare/session.h"
#include "omp_ext/command/compare/statistics/standing.h"

/* Who is best, who is slower and by how much, who can't be told apart. */
void keel_findings_standings(const struct keel_session *session,
                             const struct keel_standings *standings);

/* Runs that failed, outputs that differ, what was not run to the end. */
void keel_findings_troubles(const struct keel_session *session);

/* What to put into a job script, or that there is nothing. */
void keel_findings_advice(const struct keel_session *session,
                          const struct keel_recommendation *recommendation,
                          const struct keel_combination *combination);

#endif
