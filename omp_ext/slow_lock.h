/* The one lock of libkeel.so, for what happens once per policy, loop site or process; never per
 * chunk or repeated loop. Survives fork. */
#ifndef OMP_EXT_SLOW_LOCK_H
#define OMP_EXT_SLOW_LOCK_H

void keel_slow_lock(void);
void keel_slow_unlock(void);

#endif
