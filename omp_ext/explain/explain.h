/* KEEL_EXPLAIN: which loops took the time, what Keel has measured there, what it predicted, what it
 * chose, how that went, and what to do.
 *
 *   figures (live_report.h) -> learned.c: what sites have measured -> figures for every report
 *     -> places (report_places.h) by time -> explain.c: a paragraph each, with what sites know
 *     (learned.c, choice.c) and advice (report/report_advice.h) -> messages */
#ifndef OMP_EXT_EXPLAIN_EXPLAIN_H
#define OMP_EXT_EXPLAIN_EXPLAIN_H

/* Prints that, if KEEL_EXPLAIN asks for it. Call at exit, without locks. */
void keel_explain(void);

#endif
