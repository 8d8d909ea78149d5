/* What a session has measured, as tables to standard output. */
#ifndef OMP_EXT_COMMAND_COMPARE_TABLES_H
#define OMP_EXT_COMMAND_COMPARE_TABLES_H

#include "omp_ext/command/compare/session.h"
#include "omp_ext/command/compare/statistics/standing.h"

/* The whole program under each candidate. `beside`: the candidate that ratios are printed to beside
 * the reference; 0: none. */
void keel_tables_program(const struct keel_session *session, const struct keel_standings *standings,
                         size_t beside);

/* Loops that take a part of the time that matters: which schedule is best there, and what it would
 * bring over `candidate`; and the regret of each candidate over these loops. */
void keel_tables_loops(const struct keel_session *session, const struct keel_standings *standings,
                       size_t candidate);

#endif
