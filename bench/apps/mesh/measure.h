/* What can be told of a mesh: what is wrong with it, and how much there is to do. Faults are found
 * without what mesh.c decides by, but for the exact geometry. */
#ifndef BENCH_APPS_MESH_MEASURE_H
#define BENCH_APPS_MESH_MEASURE_H

#include "bench/apps/mesh/mesh.h"

/* How many. */
struct mesh_faults {
    uint64_t inverted;     /* triangles that are not counter-clockwise */
    uint64_t unlinked;     /* sides whose triangle beyond is another one, or not on a border */
    uint64_t not_delaunay; /* sides whose triangle beyond has a corner in the circle */
    uint64_t flat;         /* triangles with an angle below 20.7 degrees */
    uint64_t large;        /* triangles whose circle is larger than the goal */
    uint64_t encroached;   /* sides on a border in whose circle the triangle's corner lies */
};

#define MESH_FAULTS (sizeof(struct mesh_faults) / sizeof(uint64_t))

/* Adds those of a mesh. The last three are faults of a mesh that is finished. */
void mesh_add_faults(struct mesh_faults *faults, const struct mesh *mesh,
                     const struct mesh_goal *goal);

/* About how many triangles there will be more, once the mesh is as the goal says, by their areas;
 * and a little for each that has to be looked at. */
double mesh_work(const struct mesh *mesh, const struct mesh_goal *goal);

#endif
