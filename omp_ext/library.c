/* What libkeel.so does when it is loaded: nothing but end what libkeel_early.so began, see early.h.
 */
#include "omp_ext/early.h"

__attribute__((constructor)) static void loaded(void)
{
    keel_early_restore();
}
