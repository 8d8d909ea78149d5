/* Points whose coordinates are whole numbers: orientation and circles are decided exactly. */
#ifndef BENCH_APPS_MESH_GEOMETRY_H
#define BENCH_APPS_MESH_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#define GEOMETRY_MAX (1 << 27)

struct mesh_point {
    int32_t x, y; /* 0 .. GEOMETRY_MAX */
};

/* Twice the area of a, b, c: > 0 counter-clockwise, 0 on a line. Below 2^57. */
static inline int64_t geometry_orientation(struct mesh_point a, struct mesh_point b,
                                           struct mesh_point c)
{
    return (int64_t)(b.x - a.x) * (c.y - a.y) - (int64_t)(b.y - a.y) * (c.x - a.x);
}

/* Whether p lies inside the circle through a, b, c, which are counter-clockwise. Each product is
 * below 2^112. */
static inline bool geometry_in_circle(struct mesh_point a, struct mesh_point b, struct mesh_point c,
                                      struct mesh_point p)
{
    int64_t ax = a.x - p.x, ay = a.y - p.y, bx = b.x - p.x, by = b.y - p.y;
    int64_t cx = c.x - p.x, cy = c.y - p.y;
    __int128 of_a = (__int128)(ax * ax + ay * ay) * (bx * cy - by * cx);
    __int128 of_b = (__int128)(bx * bx + by * by) * (cx * ay - cy * ax);
    __int128 of_c = (__int128)(cx * cx + cy * cy) * (ax * by - ay * bx);

    return of_a + of_b + of_c > 0;
}

#endif
