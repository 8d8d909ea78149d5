/* bench/apps/mesh/mesh.c: meshes are Delaunay's, fine enough, as fine on both sides of a border,
 * and go on as they would have after they were moved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "bench/apps/mesh/mesh.h"

#define SIDE (1 << 20)

/* Left and right, with the disc near the border between the two. */
static struct mesh mesh[2];
static const struct mesh_goal goal = {
    .x = 0.97 * SIDE, .y = 0.4 * SIDE, .radius = SIDE / 16.0, .least = SIDE / 256.0, .slope = 0.3};

static void make_two(void)
{
    for (int m = 0; m < 2; m++) {
        mesh_make(&mesh[m], (struct mesh_point){m * SIDE, 0}, SIDE);
        for (int p = 1; p < 6; p++) { /* anywhere, but not in a pattern */
            mesh_add(&mesh[m],
                     (struct mesh_point){m * SIDE + p * p * 32341, p * 7919 % 31 * 32779});
        }
    }
}

static void free_two(void)
{
    for (int m = 0; m < 2; m++) {
        mesh_free(&mesh[m]);
    }
}

static bool is_live(const struct mesh *m, int t)
{
    return m->triangle[t].corner[0] >= 0;
}

static int live(const struct mesh *m)
{
    int count = 0;

    for (int t = 0; t < m->triangles; t++) {
        count += is_live(m, t);
    }
    assert_int_equal(count, m->triangles - m->replaced);
    return count;
}

/* One phase of both; returns the points that were added or told. */
static int refine_two(int most)
{
    int added = 0;

    for (int m = 0; m < 2; m++) {
        added += mesh_refine(&mesh[m], &goal, most);
    }
    for (int m = 0; m < 2; m++) {
        for (int p = 0; p < mesh[m].told_points; p++) {
            if (mesh[m].told[p].x == SIDE) {
                mesh_add(&mesh[1 - m], mesh[m].told[p]);
            }
        }
        added += mesh[m].told_points;
        mesh[m].told_points = 0;
    }
    return added;
}

static void refine_two_to_the_end(int most)
{
    while (refine_two(most) > 0) {
    }
}

static struct mesh_point at(const struct mesh *m, int t, int corner)
{
    return m->point[m->triangle[t].corner[corner % 3]];
}

static double square(struct mesh_point a, struct mesh_point b)
{
    return pow(a.x - b.x, 2) + pow(a.y - b.y, 2);
}

/* Of the circle through the corners. */
static double radius_of(const struct mesh *m, int t)
{
    struct mesh_point a = at(m, t, 0), b = at(m, t, 1), c = at(m, t, 2);
    double area = fabs((b.x - a.x) * (double)(c.y - a.y) - (b.y - a.y) * (double)(c.x - a.x)) / 2;

    return sqrt(square(a, b) * square(b, c) * square(c, a)) / (4 * area);
}

static double shortest_of(const struct mesh *m, int t)
{
    return sqrt(fmin(square(at(m, t, 0), at(m, t, 1)),
                     fmin(square(at(m, t, 1), at(m, t, 2)), square(at(m, t, 2), at(m, t, 0)))));
}

/* By long double, which has room enough at this size. */
static bool inside_circle(const struct mesh *m, int t, struct mesh_point p)
{
    long double sum = 0;

    for (int i = 0; i < 3; i++) {
        long double ax = at(m, t, i).x - p.x, ay = at(m, t, i).y - p.y;
        long double bx = at(m, t, i + 1).x - p.x, by = at(m, t, i + 1).y - p.y;
        long double cx = at(m, t, i + 2).x - p.x, cy = at(m, t, i + 2).y - p.y;
        sum += (ax * ax + ay * ay) * (bx * cy - by * cx);
    }
    return sum > 1e3;
}

static void every_side_has_the_triangle_beyond(void **state)
{
    (void)state;
    make_two();
    refine_two_to_the_end(1000);
    for (int t = 0; t < mesh[0].triangles; t++) {
        for (int i = 0; i < 3 && is_live(&mesh[0], t); i++) {
            int beyond = mesh[0].triangle[t].beyond[i], back = 0;
            struct mesh_point a = at(&mesh[0], t, i + 1), b = at(&mesh[0], t, i + 2);
            if (beyond == MESH_BORDER) {
                assert_true((a.x == b.x && a.x % SIDE == 0) || (a.y == b.y && a.y % SIDE == 0));
                continue;
            }
            while (mesh[0].triangle[beyond].beyond[back] != t) {
                assert_in_range(++back, 0, 2);
            }
            struct mesh_point c = at(&mesh[0], beyond, back + 1);
            assert_true(c.x == b.x && c.y == b.y);
        }
    }
    free_two();
}

static void no_point_lies_in_the_circle_of_a_triangle(void **state)
{
    (void)state;
    make_two();
    refine_two_to_the_end(1000);
    assert_true(mesh[0].points > 300);
    for (int t = 0; t < mesh[0].triangles; t++) {
        for (int p = 0; p < mesh[0].points && is_live(&mesh[0], t); p++) {
            assert_false(inside_circle(&mesh[0], t, mesh[0].point[p]));
        }
    }
    free_two();
}

static bool is_acute(struct mesh_point at, struct mesh_point a, struct mesh_point b)
{
    return square(at, a) + square(at, b) >= square(a, b);
}

static void borders_are_not_encroached_upon(void **state)
{
    (void)state;
    make_two();
    refine_two_to_the_end(20);
    for (int t = 0; t < mesh[0].triangles; t++) {
        for (int i = 0; i < 3 && is_live(&mesh[0], t); i++) {
            if (mesh[0].triangle[t].beyond[i] == MESH_BORDER) {
                assert_true(
                    is_acute(at(&mesh[0], t, i), at(&mesh[0], t, i + 1), at(&mesh[0], t, i + 2)));
            }
        }
    }
    free_two();
}

static void points_in_pairs_make_no_flat_triangles(void **state)
{
    struct mesh one;
    struct mesh_goal coarse = {.least = SIDE};

    (void)state;
    mesh_make(&one, (struct mesh_point){0, 0}, SIDE);
    for (int p = 1; p < 8; p++) {
        mesh_add(&one, (struct mesh_point){p * 130000, p * 70001 % 31 * 32779});
        mesh_add(&one, (struct mesh_point){p * 130000 + 700, p * 70001 % 31 * 32779 + 400});
    }
    mesh_refine(&one, &coarse, 100000);
    assert_true(one.points > 100);
    for (int t = 0; t < one.triangles; t++) {
        assert_true(!is_live(&one, t) ||
                    radius_of(&one, t) < sqrt(2) * shortest_of(&one, t) * (1 + 1e-9));
    }
    mesh_free(&one);
}

static void triangles_are_small_and_not_flat(void **state)
{
    (void)state;
    make_two();
    refine_two_to_the_end(1);
    for (int m = 0; m < 2; m++) {
        for (int t = 0; t < mesh[m].triangles; t++) {
            double x = 0, y = 0;
            if (!is_live(&mesh[m], t)) {
                continue;
            }
            for (int i = 0; i < 3; i++) {
                x += at(&mesh[m], t, i).x / 3.0;
                y += at(&mesh[m], t, i).y / 3.0;
            }
            double far = fmax(0, hypot(x - goal.x, y - goal.y) - goal.radius);
            double radius = radius_of(&mesh[m], t);
            assert_true(radius < (goal.least + goal.slope * far) * (1 + 1e-9));
            assert_true(radius < sqrt(2) * shortest_of(&mesh[m], t) * (1 + 1e-9));
        }
    }
    free_two();
}

static struct mesh_summary summary_of_two(void)
{
    struct mesh_summary summary = {0};

    mesh_add_to(&summary, &mesh[0], 2 * SIDE);
    assert_true(summary.open != 0);
    mesh_add_to(&summary, &mesh[1], 2 * SIDE);
    return summary;
}

/* The squares' upper sides are not on the border of the square of 2 SIDE: those are told apart. */
static uint64_t open_above(void)
{
    struct mesh above[2];
    struct mesh_summary summary = {0};

    for (int m = 0; m < 2; m++) {
        mesh_make(&above[m], (struct mesh_point){m * SIDE, SIDE}, SIDE);
        for (int p = 0; p < mesh[m].points; p++) {
            if (mesh[m].point[p].y == SIDE) {
                mesh_add(&above[m], mesh[m].point[p]);
            }
        }
        mesh_add_to(&summary, &above[m], 2 * SIDE);
        mesh_free(&above[m]);
    }
    return summary.open;
}

static void meshes_fill_their_squares_and_meet_at_borders(void **state)
{
    (void)state;
    for (int most = 7; most < 2000; most *= 5) {
        make_two();
        refine_two_to_the_end(most);
        struct mesh_summary summary = summary_of_two();
        assert_true(summary.area == 4ull * SIDE * SIDE);
        assert_true(summary.triangles == (uint64_t)(live(&mesh[0]) + live(&mesh[1])));
        assert_true(summary.open + open_above() == 0);
        mesh_add(&mesh[0], (struct mesh_point){SIDE, 12345});
        assert_true(summary_of_two().open + open_above() != 0);
        free_two();
    }
}

/* A square whose four inner points come in one of 24 orders, which has one Delaunay mesh. */
static uint64_t hash_of_order(int order, int last_x)
{
    struct mesh_point given[4] = {{100, 200}, {300, 90}, {250, 400}, {last_x, 310}};
    struct mesh_summary summary = {0};
    struct mesh one;

    mesh_make(&one, (struct mesh_point){0, 0}, 512);
    for (int left = 4; left > 0; left--) {
        int next = order % left;
        mesh_add(&one, given[next]);
        given[next] = given[left - 1];
        order /= left;
    }
    mesh_add_to(&summary, &one, 512);
    mesh_free(&one);
    assert_true(summary.triangles == 10);
    return summary.hash;
}

static void the_hash_tells_meshes_apart_and_not_their_order(void **state)
{
    (void)state;
    for (int order = 0; order < 24; order++) {
        assert_true(hash_of_order(order, 420) == hash_of_order(0, 420));
        assert_true(hash_of_order(order, 421) != hash_of_order(0, 420));
    }
}

static void adding_twice_is_adding_once(void **state)
{
    struct mesh one;

    (void)state;
    mesh_make(&one, (struct mesh_point){0, 0}, SIDE);
    mesh_add(&one, (struct mesh_point){SIDE / 2, SIDE});
    mesh_add(&one, (struct mesh_point){SIDE / 2, SIDE});
    mesh_add(&one, (struct mesh_point){SIDE, SIDE});
    assert_int_equal(one.points, 5);
    assert_int_equal(mesh_unfinished(&one), 5); /* of these, two have been replaced */
    mesh_free(&one);
}

static void move(struct mesh *m)
{
    void *buffer = malloc(mesh_size(m));
    int unfinished = mesh_unfinished(m), replaced = m->replaced;

    mesh_pack(m, buffer);
    mesh_free(m);
    assert_true(mesh_unpack(m, buffer));
    assert_int_equal(mesh_unfinished(m), unfinished);
    assert_int_equal(m->replaced, replaced);
    free(buffer);
}

static void moving_changes_nothing(void **state)
{
    (void)state;
    make_two();
    refine_two_to_the_end(20);
    struct mesh_summary stayed = summary_of_two();
    free_two();

    make_two();
    do {
        move(&mesh[0]);
        move(&mesh[1]);
    } while (refine_two(20) > 0);
    struct mesh_summary moved = summary_of_two();
    assert_memory_equal(&moved, &stayed, sizeof moved);
    free_two();
}

static void phases_are_as_short_as_they_are_told_to_be(void **state)
{
    int phases = 0;

    (void)state;
    make_two();
    while (mesh_unfinished(&mesh[0]) > 0) {
        assert_in_range(mesh_refine(&mesh[0], &goal, 10), 0, 10);
        assert_true(mesh[0].replaced <= mesh[0].triangles / 2); /* memory */
        phases++;
    }
    assert_true(phases > 30);
    assert_int_equal(mesh_refine(&mesh[0], &goal, 10), 0);
    free_two();
}

/* As fine as whole numbers: nothing better can be done, but it ends, with all of the square. */
static void refine_small(int side, struct mesh_point given)
{
    struct mesh small;
    struct mesh_summary summary = {0};
    struct mesh_goal fine = {.x = 4, .y = 4, .radius = 100, .least = 0.01};

    mesh_make(&small, (struct mesh_point){0, 0}, side);
    mesh_add(&small, given);
    mesh_refine(&small, &fine, 10000);
    mesh_add_to(&summary, &small, side);
    assert_int_equal(mesh_unfinished(&small), 0);
    assert_true(small.points <= (side + 1) * (side + 1));
    assert_true(summary.area == 2 * (uint64_t)side * (uint64_t)side);
    assert_true(summary.open == 0);
    mesh_free(&small);
}

static void squares_of_a_few_points_end(void **state)
{
    (void)state;
    for (int side = 1; side <= 16; side *= 2) {
        for (int given = 0; given < (side + 1) * (side + 1); given++) {
            refine_small(side, (struct mesh_point){given % (side + 1), given / (side + 1)});
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_side_has_the_triangle_beyond),
        cmocka_unit_test(no_point_lies_in_the_circle_of_a_triangle),
        cmocka_unit_test(borders_are_not_encroached_upon),
        cmocka_unit_test(points_in_pairs_make_no_flat_triangles),
        cmocka_unit_test(triangles_are_small_and_not_flat),
        cmocka_unit_test(meshes_fill_their_squares_and_meet_at_borders),
        cmocka_unit_test(the_hash_tells_meshes_apart_and_not_their_order),
        cmocka_unit_test(adding_twice_is_adding_once),
        cmocka_unit_test(moving_changes_nothing),
        cmocka_unit_test(phases_are_as_short_as_they_are_told_to_be),
        cmocka_unit_test(squares_of_a_few_points_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
