/* A loop that is called from regions and from outside of them. */
#ifndef TESTS_OMP_EXT_LENDING_ORPHAN_H
#define TESTS_OMP_EXT_LENDING_ORPHAN_H

#include "tests/support/check.h"

__attribute__((noinline)) static void orphan(struct marks *marks, int count)
{
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < count; i++) {
        marks_hit(marks, (uint64_t)i);
    }
}

#endif
