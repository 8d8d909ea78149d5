/* KEEL_EXPLAIN: which loops took the time, what Keel has measured there, what it predicted, what it
 * chose, how that went, and what to do.
 *
 *   figures (recorder/live.h) -> by time (loops.h) -> a paragraph each, with what
 *   sites have learned (learned.h, choice.h) and advice (report/advice.h) -> messages */
#ifndef OMP_EXT_EXPLAIN_EXPLAIN_H
#define OMP_EXT_EXPLAIN_EXPLAIN_H

/* Tells that, if KEEL_EXPLAIN asks for it. Call at exit, without locks. */
void keel_explain(void);

#endif
