/* KEEL_MEMORY at the end of a process: brings what all sites have learned into the file. */
#ifndef OMP_EXT_SITE_SAVE_H
#define OMP_EXT_SITE_SAVE_H

/* Saves it, unless nothing was opened, or in a child that the process has forked. Call with
 * keel_slow_lock held. */
void keel_save_sites(void);

#endif
