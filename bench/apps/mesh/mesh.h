/* A Delaunay mesh of a square, refined by Ruppert's algorithm (J. Algorithms 18, 1995) and by
 * Bowyer and Watson's insertion (1981), as parallel constrained Delaunay meshing does it to a part
 * of the plane: borders are cut in halves, at places that the mesh beyond is to be told.
 *
 *   mesh_make() -> mesh_add() of given points, and where meshes beyond have cut -> mesh_refine()
 *               -> mesh.told ...
 *
 * Coordinates are whole numbers, so that orientation and circles are decided exactly. What becomes
 * of a mesh depends on its calls alone: nothing but + - * / and square roots is used. */
#ifndef BENCH_APPS_MESH_MESH_H
#define BENCH_APPS_MESH_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/apps/mesh/geometry.h"

/* Counter-clockwise; beyond[i] lies across the side that is opposite to corner[i], MESH_BORDER:
 * nothing does. corner[0] is -1 where a triangle has been replaced by others. */
struct mesh_triangle {
    int32_t corner[3], beyond[3];
};

#define MESH_BORDER (-1)

/* How fine: radii of circumcircles stay below least + slope * (distance to the disc), in units of
 * coordinates. Angles are 20.7 degrees at least. */
struct mesh_goal {
    double x, y, radius; /* the disc */
    double least, slope;
};

struct mesh {
    struct mesh_point low; /* its corner */
    int32_t side;
    int points, point_room;
    struct mesh_point *point;
    int triangles, triangle_room;
    struct mesh_triangle *triangle; /* in the order they were made */
    int replaced;                   /* of these */
    int next;                       /* those before it are as they should be, for good */
    int told_points, told_room;
    struct mesh_point *told; /* where mesh_refine() has cut borders; for the caller to empty */
    int found, found_room;   /* scratch of an insertion: the triangles that make room */
    int32_t *found_triangle;
};

/* A square in two triangles; side: a power of 2. */
void mesh_make(struct mesh *mesh, struct mesh_point low, int32_t side);

void mesh_free(struct mesh *mesh);

/* Makes `at`, in the square or on its border, a corner of triangles; nothing if it is one already.
 */
void mesh_add(struct mesh *mesh, struct mesh_point at);

/* There is a new goal: all triangles may not be as they should be. */
void mesh_restart(struct mesh *mesh);

/* What the goal has for radii there. */
double mesh_radius_at(const struct mesh_goal *goal, double x, double y);

/* Adds up to `most` points, until all triangles are as they should be. Returns how many. */
int mesh_refine(struct mesh *mesh, const struct mesh_goal *goal, int most);

/* Triangles that may not be as they should be. */
static inline int mesh_unfinished(const struct mesh *mesh)
{
    return mesh->triangles - mesh->next;
}

/* What a mesh, or several together, come to, whatever the order of points and triangles. */
struct mesh_summary {
    uint64_t triangles;
    uint64_t area; /* twice of it */
    uint64_t hash; /* of all triangles */
    uint64_t open; /* of sides on the border of `within`, with signs: 0 in sum where the borders of
                      neighbouring meshes have the same points */
};

/* Adds `mesh` to *summary. Sides on the border of the square [0, within]^2 are left out of `open`.
 */
void mesh_add_to(struct mesh_summary *summary, const struct mesh *mesh, int32_t within);

/* The mesh as bytes. */
size_t mesh_size(const struct mesh *mesh);
void mesh_pack(const struct mesh *mesh, void *buffer);

/* False: no memory, and *mesh is empty. */
bool mesh_unpack(struct mesh *mesh, const void *buffer);

#endif
