/* What a thread does between two looks at a value that another thread will change. */
#ifndef OMP_EXT_MACHINE_PAUSE_H
#define OMP_EXT_MACHINE_PAUSE_H

#include <stdatomic.h>

/* Marks a waiting loop for the processor: it leaves its units to the core's other threads, for some
 * tens of cycles at most. Not a call of the kernel. Any thread. */
static inline void keel_pause(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

#endif
