#include "bench/apps/mesh/mesh.h"

#include <math.h>
#include <string.h>

#include "bench/apps/mesh/geometry.h"
#include "bench/apps/memory.h"
#include "bench/support/random.h"

/* --- points --- */

/* Whether p lies inside the circle on the side from a to b: it encroaches upon it (Ruppert). */
static bool encroaches(struct mesh_point p, struct mesh_point a, struct mesh_point b)
{
    return (int64_t)(a.x - p.x) * (b.x - p.x) + (int64_t)(a.y - p.y) * (b.y - p.y) < 0;
}

static bool same_point(struct mesh_point a, struct mesh_point b)
{
    return a.x == b.x && a.y == b.y;
}

/* --- triangles --- */

/* A side of a triangle, from one point to another with the triangle to the left of it. */
struct side {
    int32_t triangle, opposite; /* of its corners */
};

static struct mesh_point corner(const struct mesh *mesh, int32_t triangle, int i)
{
    return mesh->point[mesh->triangle[triangle].corner[i % 3]];
}

static struct mesh_point side_from(const struct mesh *mesh, struct side side)
{
    return corner(mesh, side.triangle, side.opposite + 1);
}

static struct mesh_point side_to(const struct mesh *mesh, struct side side)
{
    return corner(mesh, side.triangle, side.opposite + 2);
}

static bool is_replaced(const struct mesh_triangle *triangle)
{
    return triangle->corner[0] < 0;
}

static int32_t add_point(struct mesh *mesh, struct mesh_point at)
{
    mesh->point =
        memory_grow(mesh->point, &mesh->point_room, mesh->points + 1, sizeof *mesh->point);
    mesh->point[mesh->points] = at;
    return mesh->points++;
}

static int32_t add_triangle(struct mesh *mesh, struct mesh_triangle triangle)
{
    mesh->triangle = memory_grow(mesh->triangle, &mesh->triangle_room, mesh->triangles + 1,
                                 sizeof *mesh->triangle);
    mesh->triangle[mesh->triangles] = triangle;
    return mesh->triangles++;
}

void mesh_make(struct mesh *mesh, struct mesh_point low, int32_t side)
{
    *mesh = (struct mesh){.low = low, .side = side};
    for (int i = 0; i < 4; i++) {
        bool right = i == 1 || i == 2, upper = i >= 2;
        add_point(mesh, (struct mesh_point){low.x + right * side, low.y + upper * side});
    }
    add_triangle(mesh, (struct mesh_triangle){{0, 1, 2}, {MESH_BORDER, 1, MESH_BORDER}});
    add_triangle(mesh, (struct mesh_triangle){{0, 2, 3}, {MESH_BORDER, MESH_BORDER, 0}});
}

void mesh_free(struct mesh *mesh)
{
    free(mesh->point);
    free(mesh->triangle);
    free(mesh->told);
    free(mesh->found_triangle);
    *mesh = (struct mesh){0};
}

/* --- inserting a point --- */

static bool is_found(const struct mesh *mesh, int32_t triangle)
{
    for (int f = 0; f < mesh->found; f++) {
        if (mesh->found_triangle[f] == triangle) {
            return true;
        }
    }
    return false;
}

static void add_found(struct mesh *mesh, int32_t triangle)
{
    mesh->found_triangle = memory_grow(mesh->found_triangle, &mesh->found_room, mesh->found + 1,
                                       sizeof *mesh->found_triangle);
    mesh->found_triangle[mesh->found++] = triangle;
}

/* Finds all triangles whose circles `at` lies in, beginning with one of them: they make room. */
static void find_room(struct mesh *mesh, int32_t first, struct mesh_point at)
{
    mesh->found = 0;
    add_found(mesh, first);
    for (int f = 0; f < mesh->found; f++) {
        for (int i = 0; i < 3; i++) {
            int32_t t = mesh->triangle[mesh->found_triangle[f]].beyond[i];
            if (t != MESH_BORDER && !is_found(mesh, t) &&
                geometry_in_circle(corner(mesh, t, 0), corner(mesh, t, 1), corner(mesh, t, 2),
                                   at)) {
                add_found(mesh, t);
            }
        }
    }
}

/* The triangle beyond one that is replaced has `now` across that side. */
static void set_beyond(struct mesh *mesh, int32_t triangle, int32_t before, int32_t now)
{
    for (int i = 0; triangle != MESH_BORDER && i < 3; i++) {
        if (mesh->triangle[triangle].beyond[i] == before) {
            mesh->triangle[triangle].beyond[i] = now;
            return;
        }
    }
}

/* Joins the new triangles, which have their last corner in common, side by side. */
static void join(struct mesh *mesh, int32_t first)
{
    for (int32_t t = first; t < mesh->triangles; t++) {
        for (int32_t other = first; other < mesh->triangles; other++) {
            if (mesh->triangle[other].corner[0] == mesh->triangle[t].corner[1]) {
                mesh->triangle[t].beyond[0] = other;
                mesh->triangle[other].beyond[1] = t;
            }
        }
    }
}

/* Puts `at` into the room that was found: a new triangle for each side round it, but for one that
 * `at` lies on. */
static void fill_room(struct mesh *mesh, struct mesh_point at)
{
    int32_t point = add_point(mesh, at), first = mesh->triangles;

    for (int f = 0; f < mesh->found; f++) {
        int32_t t = mesh->found_triangle[f];
        for (int i = 0; i < 3; i++) {
            int32_t beyond = mesh->triangle[t].beyond[i];
            struct side side = {t, i};
            if ((beyond != MESH_BORDER && is_found(mesh, beyond)) ||
                geometry_orientation(side_from(mesh, side), side_to(mesh, side), at) == 0) {
                continue;
            }
            int32_t from = mesh->triangle[t].corner[(i + 1) % 3];
            int32_t to = mesh->triangle[t].corner[(i + 2) % 3];
            set_beyond(mesh, beyond, t, mesh->triangles);
            add_triangle(mesh, (struct mesh_triangle){{from, to, point},
                                                      {MESH_BORDER, MESH_BORDER, beyond}});
        }
    }
    join(mesh, first);
    for (int f = 0; f < mesh->found; f++) {
        mesh->triangle[mesh->found_triangle[f]].corner[0] = -1;
    }
    mesh->replaced += mesh->found;
}

/* A side that `at` lies beyond. */
static bool find_facing(const struct mesh *mesh, int32_t triangle, struct mesh_point at,
                        struct side *side)
{
    for (int i = 0; i < 3; i++) {
        *side = (struct side){triangle, i};
        if (geometry_orientation(side_from(mesh, *side), side_to(mesh, *side), at) < 0) {
            return true;
        }
    }
    return false;
}

/* Walks from a triangle to the one that `at` lies in, or to the side on the border that it lies
 * beyond. False: the latter. Ends, because the mesh is Delaunay's. */
static bool walk(const struct mesh *mesh, int32_t from, struct mesh_point at, struct side *end)
{
    while (find_facing(mesh, from, at, end)) {
        from = mesh->triangle[end->triangle].beyond[end->opposite];
        if (from == MESH_BORDER) {
            return false;
        }
    }
    return true;
}

static bool is_corner(const struct mesh *mesh, int32_t triangle, struct mesh_point at)
{
    return same_point(corner(mesh, triangle, 0), at) || same_point(corner(mesh, triangle, 1), at) ||
           same_point(corner(mesh, triangle, 2), at);
}

void mesh_add(struct mesh *mesh, struct mesh_point at)
{
    int32_t last = mesh->triangles - 1; /* the last one is never replaced */
    struct side end;

    if (walk(mesh, last, at, &end) && !is_corner(mesh, end.triangle, at)) {
        find_room(mesh, end.triangle, at);
        fill_room(mesh, at);
    }
}

/* --- refining --- */

/* Cuts a side on the border in halves. False: it is too short. */
static bool cut_in_halves(struct mesh *mesh, struct side side)
{
    struct mesh_point a = side_from(mesh, side), b = side_to(mesh, side);
    struct mesh_point middle = {(a.x + b.x) / 2, (a.y + b.y) / 2};

    if (same_point(middle, a) || same_point(middle, b)) {
        return false;
    }
    find_room(mesh, side.triangle, middle);
    fill_room(mesh, middle);
    mesh->told =
        memory_grow(mesh->told, &mesh->told_room, mesh->told_points + 1, sizeof *mesh->told);
    mesh->told[mesh->told_points++] = middle;
    return true;
}

/* A side of a triangle on the border that its third corner encroaches upon. In a Delaunay mesh no
 * other point does unless this one does. */
static bool find_encroached(const struct mesh *mesh, int32_t triangle, struct side *side)
{
    for (int i = 0; i < 3; i++) {
        *side = (struct side){triangle, i};
        if (mesh->triangle[triangle].beyond[i] == MESH_BORDER &&
            encroaches(corner(mesh, triangle, i), side_from(mesh, *side), side_to(mesh, *side))) {
            return true;
        }
    }
    return false;
}

/* A side on the border, of the triangles that make room for `at`, that `at` encroaches upon. */
static bool find_in_the_way(const struct mesh *mesh, struct mesh_point at, struct side *side)
{
    for (int f = 0; f < mesh->found; f++) {
        for (int i = 0; i < 3; i++) {
            *side = (struct side){mesh->found_triangle[f], i};
            if (mesh->triangle[side->triangle].beyond[i] == MESH_BORDER &&
                encroaches(at, side_from(mesh, *side), side_to(mesh, *side))) {
                return true;
            }
        }
    }
    return false;
}

/* The circle through a triangle's corners. */
struct circle {
    double x, y, square; /* of its radius */
    double shortest;     /* square of the triangle's shortest side */
};

static double least_of(double a, double b, double c)
{
    double least = a < b ? a : b;

    return least < c ? least : c;
}

static struct circle circle_of(const struct mesh *mesh, int32_t triangle)
{
    struct mesh_point a = corner(mesh, triangle, 0);
    struct mesh_point b = corner(mesh, triangle, 1), c = corner(mesh, triangle, 2);
    double bx = b.x - a.x, by = b.y - a.y, cx = c.x - a.x, cy = c.y - a.y;
    double ab = bx * bx + by * by, ac = cx * cx + cy * cy;
    double bc = (bx - cx) * (bx - cx) + (by - cy) * (by - cy);
    double twice = 2 * (bx * cy - by * cx);
    double x = (cy * ab - by * ac) / twice, y = (bx * ac - cx * ab) / twice;

    return (struct circle){a.x + x, a.y + y, x * x + y * y, least_of(ab, ac, bc)};
}

double mesh_radius_at(const struct mesh_goal *goal, double x, double y)
{
    double distance = sqrt((x - goal->x) * (x - goal->x) + (y - goal->y) * (y - goal->y));

    return goal->least + (distance > goal->radius ? goal->slope * (distance - goal->radius) : 0);
}

/* Too flat, or too large. */
static bool is_bad(const struct mesh *mesh, const struct mesh_goal *goal, int32_t triangle,
                   const struct circle *circle)
{
    double x = 0, y = 0;

    if (circle->square > 2 * circle->shortest) {
        return true;
    }
    for (int i = 0; i < 3; i++) {
        x += corner(mesh, triangle, i).x / 3.0;
        y += corner(mesh, triangle, i).y / 3.0;
    }
    double radius = mesh_radius_at(goal, x, y);
    return circle->square > radius * radius;
}

/* The nearest whole numbers, as far as they can be told. */
static struct mesh_point round_to_point(double x, double y)
{
    double far = 2.0 * GEOMETRY_MAX;

    x = x < -far ? -far : x > far ? far : x;
    y = y < -far ? -far : y > far ? far : y;
    return (struct mesh_point){(int32_t)floor(x + 0.5), (int32_t)floor(y + 0.5)};
}

/* Adds the middle of a bad triangle's circle, or cuts the border that is in its way. False: neither
 * can be done, since points are as near to each other as whole numbers. */
static bool improve(struct mesh *mesh, int32_t triangle, const struct circle *circle)
{
    struct mesh_point middle = round_to_point(circle->x, circle->y);
    struct side side;

    if (!walk(mesh, triangle, middle, &side)) {
        return cut_in_halves(mesh, side);
    }
    if (is_corner(mesh, side.triangle, middle)) {
        return false;
    }
    find_room(mesh, side.triangle, middle);
    if (find_in_the_way(mesh, middle, &side)) {
        return cut_in_halves(mesh, side);
    }
    fill_room(mesh, middle);
    return true;
}

/* One point more for a triangle's sake. False: it is as it should be. */
static bool add_for(struct mesh *mesh, const struct mesh_goal *goal, int32_t triangle)
{
    struct side side;

    if (find_encroached(mesh, triangle, &side)) {
        return cut_in_halves(mesh, side);
    }
    struct circle circle = circle_of(mesh, triangle);
    return is_bad(mesh, goal, triangle, &circle) && improve(mesh, triangle, &circle);
}

/* Takes out triangles that have been replaced; the others keep their order. */
static void close_ranks(struct mesh *mesh)
{
    int32_t *now = memory_new(mesh->triangles, sizeof *now), count = 0, next = 0;

    for (int32_t t = 0; t < mesh->triangles; t++) {
        now[t] = count;
        next += t < mesh->next && !is_replaced(&mesh->triangle[t]);
        count += !is_replaced(&mesh->triangle[t]);
    }
    for (int32_t t = 0; t < mesh->triangles; t++) {
        struct mesh_triangle triangle = mesh->triangle[t];
        if (is_replaced(&triangle)) {
            continue;
        }
        for (int i = 0; i < 3; i++) {
            triangle.beyond[i] = triangle.beyond[i] < 0 ? MESH_BORDER : now[triangle.beyond[i]];
        }
        mesh->triangle[now[t]] = triangle;
    }
    mesh->next = next;
    mesh->triangles = count;
    mesh->replaced = 0;
    free(now);
}

void mesh_restart(struct mesh *mesh)
{
    mesh->next = 0;
}

int mesh_refine(struct mesh *mesh, const struct mesh_goal *goal, int most)
{
    int added = 0;

    while (mesh->next < mesh->triangles && added < most) {
        if (!is_replaced(&mesh->triangle[mesh->next]) && add_for(mesh, goal, mesh->next)) {
            added++;
        } else {
            mesh->next++;
        }
    }
    if (mesh->replaced > mesh->triangles / 2) {
        close_ranks(mesh);
    }
    return added;
}

/* --- results --- */

static uint64_t mix(uint64_t x)
{
    return random_bits(x + RANDOM_STEP);
}

static uint64_t point_hash(struct mesh_point point)
{
    return mix((uint64_t)point.x << 32 | (uint64_t)point.y);
}

/* The same for any first corner. */
static uint64_t triangle_hash(const struct mesh *mesh, int32_t triangle)
{
    uint64_t hash = 0;

    for (int i = 0; i < 3; i++) {
        hash += mix(point_hash(corner(mesh, triangle, i)) +
                    3 * point_hash(corner(mesh, triangle, i + 1)));
    }
    return mix(hash);
}

/* Of opposite signs for the two sides of one border. */
static uint64_t side_hash(const struct mesh *mesh, struct side side, int32_t within)
{
    struct mesh_point a = side_from(mesh, side), b = side_to(mesh, side);

    if ((a.x == b.x && a.x % within == 0) || (a.y == b.y && a.y % within == 0)) {
        return 0;
    }
    return mix(point_hash(a) + 3 * point_hash(b)) - mix(point_hash(b) + 3 * point_hash(a));
}

void mesh_add_to(struct mesh_summary *summary, const struct mesh *mesh, int32_t within)
{
    for (int32_t t = 0; t < mesh->triangles; t++) {
        if (is_replaced(&mesh->triangle[t])) {
            continue;
        }
        summary->triangles++;
        summary->area += (uint64_t)geometry_orientation(corner(mesh, t, 0), corner(mesh, t, 1),
                                                        corner(mesh, t, 2));
        summary->hash += triangle_hash(mesh, t);
        for (int i = 0; i < 3; i++) {
            if (mesh->triangle[t].beyond[i] == MESH_BORDER) {
                summary->open += side_hash(mesh, (struct side){t, i}, within);
            }
        }
    }
}

/* --- moving --- */

struct packed {
    struct mesh_point low;
    int32_t side, points, triangles, replaced, next;
};

static size_t point_bytes(const struct mesh *mesh)
{
    return (size_t)mesh->points * sizeof *mesh->point;
}

static size_t triangle_bytes(const struct mesh *mesh)
{
    return (size_t)mesh->triangles * sizeof *mesh->triangle;
}

size_t mesh_size(const struct mesh *mesh)
{
    return sizeof(struct packed) + point_bytes(mesh) + triangle_bytes(mesh);
}

void mesh_pack(const struct mesh *mesh, void *buffer)
{
    struct packed packed = {mesh->low,       mesh->side,     mesh->points,
                            mesh->triangles, mesh->replaced, mesh->next};
    char *to = buffer;

    memcpy(to, &packed, sizeof packed);
    memcpy(to + sizeof packed, mesh->point, point_bytes(mesh));
    memcpy(to + sizeof packed + point_bytes(mesh), mesh->triangle, triangle_bytes(mesh));
}

bool mesh_unpack(struct mesh *mesh, const void *buffer)
{
    const char *from = buffer;
    struct packed packed;

    memcpy(&packed, from, sizeof packed);
    *mesh = (struct mesh){.low = packed.low,
                          .side = packed.side,
                          .points = packed.points,
                          .point_room = packed.points,
                          .triangles = packed.triangles,
                          .triangle_room = packed.triangles,
                          .replaced = packed.replaced,
                          .next = packed.next};
    mesh->point = malloc(point_bytes(mesh));
    mesh->triangle = malloc(triangle_bytes(mesh));
    if (mesh->point == NULL || mesh->triangle == NULL) {
        mesh_free(mesh);
        return false;
    }
    memcpy(mesh->point, from + sizeof packed, point_bytes(mesh));
    memcpy(mesh->triangle, from + sizeof packed + point_bytes(mesh), triangle_bytes(mesh));
    return true;
}
