/* A comparison as JSON.
 *
 * One object: "keel_compare": 1, "program": [words], "rounds", "seed", "level" (how often any
 * statement may be wrong), "matters", "budget_s", "settled", "schedules": [...], "loops": [...],
 * "advice". A schedule has "name", "environment", "output" ("same", "differs" or "not compared"),
 * "failure" (null: none), "times_s" by round (null: not run), and what stands in the table:
 * "median_s", "quartiles_s", "ratio" and "ratio_to_best" with "median", "low" and "high" (null:
 * not told), "regret", "verdict". A loop has "place", "function", "share" and "schedules" alike. */
#ifndef OMP_EXT_COMMAND_COMPARE_FILES_JSON_H
#define OMP_EXT_COMMAND_COMPARE_FILES_JSON_H

#include <stdbool.h>

#include "omp_ext/command/compare/combination.h"
#include "omp_ext/command/compare/recommendation.h"
#include "omp_ext/command/compare/session.h"
#include "omp_ext/command/compare/statistics/standing.h"

/* False: a message has said why not. */
bool keel_compare_json_write(const char *path, const struct keel_session *session,
                             const struct keel_standings *standings,
                             const struct keel_recommendation *recommendation,
                             const struct keel_pair_trial *tried,
                             const struct keel_combination *combination);

#endif
