/* What has to happen before libgomp's constructor reads OMP_SCHEDULE.
 *
 * libgomp warns about schedules that it does not know. libkeel_early.so is linked with -z
 * initfirst, so that its constructor runs before all others; it shows libgomp a schedule that
 * libgomp knows, and libkeel.so's own constructor, which runs after libgomp's, puts the environment
 * back, so that child processes inherit what the person wrote. */
#ifndef OMP_EXT_SETTINGS_HIDDEN_OMP_SCHEDULE_H
#define OMP_EXT_SETTINGS_HIDDEN_OMP_SCHEDULE_H

/* The value of OMP_SCHEDULE that is hidden from libgomp at the moment; NULL: none. */
const char *keel_hidden_omp_schedule(void);

/* Puts the environment back. */
void keel_hidden_omp_schedule_restore(void);

#endif
