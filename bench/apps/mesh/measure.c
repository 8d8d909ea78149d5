#include "bench/apps/mesh/measure.h"

#include <math.h>

#define LEAST_ANGLE 20.70 /* degrees; asin(1 / (2 sqrt 2)) is 20.705 */
#define ROUNDING 1e-6     /* of radii */

/* --- triangles --- */

struct corners {
    struct mesh_point at[3];
};

static struct corners corners_of(const struct mesh *mesh, int32_t triangle)
{
    struct corners corners;

    for (int i = 0; i < 3; i++) {
        corners.at[i] = mesh->point[mesh->triangle[triangle].corner[i]];
    }
    return corners;
}

static bool is_there(const struct mesh *mesh, int32_t triangle)
{
    return mesh->triangle[triangle].corner[0] >= 0;
}

static int64_t area_twice(const struct corners *of)
{
    return geometry_orientation(of->at[0], of->at[1], of->at[2]);
}

static double length(struct mesh_point a, struct mesh_point b)
{
    return hypot((double)a.x - b.x, (double)a.y - b.y);
}

/* The side opposite to corner i. */
static double side_length(const struct corners *of, int i)
{
    return length(of->at[(i + 1) % 3], of->at[(i + 2) % 3]);
}

static double radius(const struct corners *of)
{
    return side_length(of, 0) * side_length(of, 1) * side_length(of, 2) /
           (2 * (double)area_twice(of));
}

static double least_angle(const struct corners *of)
{
    double shortest = fmin(side_length(of, 0), fmin(side_length(of, 1), side_length(of, 2)));

    return asin(fmin(1, shortest / (2 * radius(of)))) * 180 / M_PI;
}

/* --- faults --- */

static bool is_on_border(const struct mesh *mesh, struct mesh_point a, struct mesh_point b)
{
    struct mesh_point low = mesh->low, high = {low.x + mesh->side, low.y + mesh->side};

    return (a.x == b.x && (a.x == low.x || a.x == high.x)) ||
           (a.y == b.y && (a.y == low.y || a.y == high.y));
}

/* The corner of the triangle beyond side i that is not on that side; -1: they do not fit. */
static int32_t corner_beyond(const struct mesh *mesh, int32_t triangle, int i)
{
    const struct mesh_triangle *own = &mesh->triangle[triangle];
    const struct mesh_triangle *other = &mesh->triangle[own->beyond[i]];

    for (int k = 0; k < 3; k++) {
        if (other->beyond[k] == triangle &&
            other->corner[(k + 1) % 3] == own->corner[(i + 2) % 3] &&
            other->corner[(k + 2) % 3] == own->corner[(i + 1) % 3]) {
            return other->corner[k];
        }
    }
    return -1;
}

static void add_side(struct mesh_faults *faults, const struct mesh *mesh, int32_t triangle, int i)
{
    struct corners of = corners_of(mesh, triangle);

    if (mesh->triangle[triangle].beyond[i] == MESH_BORDER) {
        struct mesh_point a = of.at[(i + 1) % 3], b = of.at[(i + 2) % 3], c = of.at[i];
        faults->unlinked += !is_on_border(mesh, a, b);
        faults->encroached +=
            (int64_t)(a.x - c.x) * (b.x - c.x) + (int64_t)(a.y - c.y) * (b.y - c.y) < 0;
        return;
    }
    int32_t corner = corner_beyond(mesh, triangle, i);
    faults->unlinked += corner < 0;
    faults->not_delaunay +=
        corner >= 0 && geometry_in_circle(of.at[0], of.at[1], of.at[2], mesh->point[corner]);
}

struct centre {
    double x, y;
};

static struct centre centre_of(const struct corners *of)
{
    return (struct centre){((double)of->at[0].x + of->at[1].x + of->at[2].x) / 3,
                           ((double)of->at[0].y + of->at[1].y + of->at[2].y) / 3};
}

static bool is_large(const struct corners *of, const struct mesh_goal *goal)
{
    struct centre centre = centre_of(of);

    return radius(of) > mesh_radius_at(goal, centre.x, centre.y) * (1 + ROUNDING);
}

void mesh_add_faults(struct mesh_faults *faults, const struct mesh *mesh,
                     const struct mesh_goal *goal)
{
    for (int32_t t = 0; t < mesh->triangles; t++) {
        if (!is_there(mesh, t)) {
            continue;
        }
        struct corners of = corners_of(mesh, t);
        if (area_twice(&of) <= 0) {
            faults->inverted++;
            continue;
        }
        faults->flat += least_angle(&of) < LEAST_ANGLE;
        faults->large += is_large(&of, goal);
        for (int i = 0; i < 3; i++) {
            add_side(faults, mesh, t, i);
        }
    }
}

/* --- work --- */

#define TARGET_AREA 0.6 /* of a triangle that Ruppert's algorithm leaves, over the radius squared */
#define LOOK 0.05       /* at a triangle, over making one */

/* Triangles that one is to become, by the goal at its centre. */
static double parts(const struct corners *of, const struct mesh_goal *goal)
{
    struct centre centre = centre_of(of);
    double least = mesh_radius_at(goal, centre.x, centre.y);

    return (double)area_twice(of) / (2 * TARGET_AREA * least * least);
}

double mesh_work(const struct mesh *mesh, const struct mesh_goal *goal)
{
    double work = 0;

    for (int32_t t = 0; t < mesh->triangles; t++) {
        if (is_there(mesh, t)) {
            struct corners of = corners_of(mesh, t);
            work += LOOK + fmax(0, parts(&of, goal) - 1);
        }
    }
    return work;
}
