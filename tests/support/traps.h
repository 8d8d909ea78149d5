/* Every program and unit test that includes this traps the floating-point exceptions that programs
 * trap (as by gfortran's -ffpe-trap): Keel raises none of them in their threads. There one would
 * end the program, or be reported as the program's own (gfortran's STOP). C and C++. */
#ifndef TESTS_SUPPORT_TRAPS_H
#define TESTS_SUPPORT_TRAPS_H

#ifdef __SSE2__
#include <emmintrin.h>

#define TRAPPED (_MM_MASK_INVALID | _MM_MASK_DIV_ZERO | _MM_MASK_OVERFLOW | _MM_MASK_UNDERFLOW)

/* Before main(), too; threads have it from whoever starts them. */
__attribute__((constructor)) static void trap_exceptions(void)
{
    _MM_SET_EXCEPTION_STATE(0);
    _MM_SET_EXCEPTION_MASK(_MM_GET_EXCEPTION_MASK() & ~(unsigned)TRAPPED);
}

/* For what is no number, or not finite, and does not come from Keel itself. */
__attribute__((unused)) static void allow_exceptions(void)
{
    _MM_SET_EXCEPTION_MASK(_MM_MASK_MASK);
}
#else
__attribute__((unused)) static void trap_exceptions(void) {}

__attribute__((unused)) static void allow_exceptions(void) {}
#endif

#endif
