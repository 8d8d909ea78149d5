/* A curve that passes all squares of a plane, so that squares near to each other on it are near to
 * each other in the plane (Hilbert 1891). */
#ifndef BENCH_PAPERS_DIR_FG95_CURVE_H
#define BENCH_PAPERS_DIR_FG95_CURVE_H

#include <stdint.h>

/* How many squares of 2^order x 2^order, order <= 16, the curve has passed when it comes to the one
 * at (x, y), each 0 .. 2^order - 1. */
static inline uint32_t curve_to(unsigned order, uint32_t x, uint32_t y)
{
    uint32_t passed = 0;

    for (uint32_t side = (1u << order) / 2; side > 0; side /= 2) {
        uint32_t right = (x & side) > 0, upper = (y & side) > 0;
        passed += side * side * ((3 * right) ^ upper);
        if (!upper) { /* this quarter is turned */
            uint32_t turned = right ? ~x : x;
            x = right ? ~y : y;
            y = turned;
        }
    }
    return passed;
}

#endif
