/* KEEL_MEMORY: brings what all sites have learned into the file, at the end of a process and
 * before, as a signal may end it. */
#ifndef OMP_EXT_SITE_SAVE_H
#define OMP_EXT_SITE_SAVE_H

/* Saves it, unless nothing was opened, or in a child that the process has forked. Call with
 * keel_slow_lock held. */
void keel_save_sites(void);

/* The same while the program runs, about once a second, so seldom that it takes at most 1 % of the
 * time. Only the initial thread does it, as others' stacks may be small. Call it without locks. */
void keel_save_sites_when_due(void);

#endif
