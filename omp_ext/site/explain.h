/* KEEL_EXPLAIN: what Keel has measured at each loop site, what it predicted, what it chose, and how
 * that went. */
#ifndef OMP_EXT_SITE_EXPLAIN_H
#define OMP_EXT_SITE_EXPLAIN_H

/* Prints that on standard error, some lines per site and team size, if KEEL_EXPLAIN asks for it.
 * Call at exit; takes keel_slow_lock. */
void keel_explain(void);

#endif
