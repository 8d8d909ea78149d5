/* What a session has shown, in words. To standard output but for messages. */
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

/* How long it will take, and what a smaller comparison would: messages, after the reference's first
 * runs. */
void keel_findings_plan(const struct keel_session *session);

/* That nothing can be said, without rounds. `why`: what ended it, "the budget is used up". */
void keel_findings_nothing(const struct keel_session *session, const char *why);

/* What to put into a job script, or that there is nothing. */
void keel_findings_advice(const struct keel_session *session,
                          const struct keel_standings *standings,
                          const struct keel_recommendation *recommendation,
                          const struct keel_pair_trial *tried,
                          const struct keel_combination *combination);

#endif
