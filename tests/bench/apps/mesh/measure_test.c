/* bench/apps/mesh/measure.c: a mesh that is finished has no fault, each fault that is made is
 * found, and the work that is forecast is about what comes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "bench/apps/mesh/measure.h"

#define SIDE (1 << 20)

static struct mesh mesh;
static const struct mesh_goal goal = {
    .x = 0.3 * SIDE, .y = 1.4 * SIDE, .radius = SIDE / 16.0, .least = SIDE / 128.0, .slope = 0.3};

static void make(void)
{
    mesh_make(&mesh, (struct mesh_point){0, SIDE}, SIDE);
    for (int p = 1; p < 6; p++) {
        mesh_add(&mesh, (struct mesh_point){p * p * 32341, SIDE + p * 7919 % 31 * 32779});
    }
}

static int make_finished(void **state)
{
    (void)state;
    make();
    mesh_refine(&mesh, &goal, 100000);
    return 0;
}

static int free_mesh(void **state)
{
    (void)state;
    mesh_free(&mesh);
    return 0;
}

static struct mesh_faults faults_of(const struct mesh_goal *by)
{
    struct mesh_faults faults = {0};

    mesh_add_faults(&faults, &mesh, by);
    return faults;
}

static void assert_no_faults(void)
{
    struct mesh_faults faults = faults_of(&goal), none = {0};

    assert_memory_equal(&faults, &none, sizeof none);
}

/* A triangle with all three others beyond its sides. */
static int32_t inner_triangle(void)
{
    int32_t t = mesh.triangles - 1;

    while (mesh.triangle[t].corner[0] < 0 || mesh.triangle[t].beyond[0] == MESH_BORDER ||
           mesh.triangle[t].beyond[1] == MESH_BORDER || mesh.triangle[t].beyond[2] == MESH_BORDER) {
        assert_true(t-- > 0);
    }
    return t;
}

static int32_t border_triangle(int *side)
{
    for (int32_t t = 0; t < mesh.triangles; t++) {
        for (*side = 0; *side < 3; ++*side) {
            if (mesh.triangle[t].corner[0] >= 0 && mesh.triangle[t].beyond[*side] == MESH_BORDER) {
                return t;
            }
        }
    }
    fail();
    return -1;
}

static void a_finished_mesh_has_none(void **state)
{
    (void)state;
    assert_true(mesh.triangles - mesh.replaced > 300);
    assert_no_faults();
}

static void an_unfinished_mesh_is_delaunays_but_flat_and_large(void **state)
{
    (void)state;
    struct mesh_faults faults = faults_of(&goal);

    assert_true(faults.flat > 0 && faults.large > 0);
    assert_int_equal(faults.inverted + faults.unlinked + faults.not_delaunay, 0);
}

static void another_goal_makes_triangles_large(void **state)
{
    struct mesh_goal finer = goal;

    (void)state;
    finer.least /= 2;
    assert_true(faults_of(&finer).large > 50);
    assert_int_equal(faults_of(&finer).flat, 0);
}

/* A corner goes to the middle of the side opposite to it, and on. */
static void turned_triangles_are_found(void **state)
{
    int32_t t = inner_triangle();
    struct mesh_point a = mesh.point[mesh.triangle[t].corner[0]];
    struct mesh_point b = mesh.point[mesh.triangle[t].corner[1]];
    struct mesh_point c = mesh.point[mesh.triangle[t].corner[2]];

    (void)state;
    mesh.point[mesh.triangle[t].corner[0]] =
        (struct mesh_point){(b.x + c.x) - a.x, (b.y + c.y) - a.y};
    assert_true(faults_of(&goal).inverted > 0);
    mesh.point[mesh.triangle[t].corner[0]] = (struct mesh_point){b.x, b.y};
    assert_true(faults_of(&goal).inverted > 0);
}

static void wrong_links_are_found(void **state)
{
    int32_t t = inner_triangle(), right = mesh.triangle[t].beyond[1];
    int side;

    (void)state;
    mesh.triangle[t].beyond[1] = mesh.triangle[t].beyond[0];
    assert_true(faults_of(&goal).unlinked == 2); /* from both sides */
    mesh.triangle[t].beyond[1] = MESH_BORDER;
    assert_true(faults_of(&goal).unlinked == 2);
    mesh.triangle[t].beyond[1] = right;
    assert_no_faults();
    t = border_triangle(&side);
    mesh.triangle[t].beyond[side] = inner_triangle();
    assert_true(faults_of(&goal).unlinked == 1);
}

/* A side of two triangles becomes the other diagonal of their quadrilateral. */
static void flipped_sides_are_not_delaunays(void **state)
{
    static const struct mesh_point point[] = {{0, 0}, {10, 0}, {11, 12}, {0, 10}};
    struct mesh_triangle good[] = {{{0, 1, 3}, {1, MESH_BORDER, MESH_BORDER}},
                                   {{1, 2, 3}, {MESH_BORDER, 0, MESH_BORDER}}};
    struct mesh_triangle bad[] = {{{0, 1, 2}, {MESH_BORDER, 1, MESH_BORDER}},
                                  {{0, 2, 3}, {MESH_BORDER, MESH_BORDER, 0}}};
    struct mesh_point at[4];
    struct mesh_faults faults = {0};
    struct mesh two = {.side = 10, .points = 4, .point = at, .triangles = 2, .triangle = good};

    (void)state;
    memcpy(at, point, sizeof at);
    mesh_add_faults(&faults, &two, &goal);
    assert_int_equal(faults.not_delaunay, 0);
    assert_int_equal(faults.unlinked, 2); /* those at the corner that is outside of the square */
    two.triangle = bad;
    faults = (struct mesh_faults){0};
    mesh_add_faults(&faults, &two, &goal);
    assert_int_equal(faults.not_delaunay, 2);
}

static void encroached_borders_are_found(void **state)
{
    struct mesh_faults faults;

    (void)state;
    mesh_make(&mesh, (struct mesh_point){0, 0}, SIDE);
    mesh_add(&mesh, (struct mesh_point){SIDE / 2, SIDE / 64});
    faults = faults_of(&goal);
    assert_int_equal(faults.encroached, 1);
}

static void work_is_about_what_comes(void **state)
{
    (void)state;
    double all = mesh_work(&mesh, &goal);
    mesh_refine(&mesh, &goal, 100000);
    double came = mesh.triangles - mesh.replaced;
    assert_true(all > came / 3 && all < came * 3);
    assert_true(mesh_work(&mesh, &goal) < came / 4);
}

static void a_mesh_is_refined_again_for_a_new_goal(void **state)
{
    struct mesh_goal elsewhere = goal;

    (void)state;
    elsewhere.x = 0.8 * SIDE;
    elsewhere.y = 1.8 * SIDE;
    assert_int_equal(mesh_refine(&mesh, &elsewhere, 100000), 0);
    mesh_restart(&mesh);
    assert_true(mesh_refine(&mesh, &elsewhere, 100000) > 100);
    struct mesh_faults faults = faults_of(&elsewhere), none = {0};
    assert_memory_equal(&faults, &none, sizeof none);
}

static int make_unfinished(void **state)
{
    (void)state;
    make();
    return 0;
}

#define WITH(test, make) cmocka_unit_test_setup_teardown(test, make, free_mesh)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(a_finished_mesh_has_none, make_finished),
        WITH(an_unfinished_mesh_is_delaunays_but_flat_and_large, make_unfinished),
        WITH(another_goal_makes_triangles_large, make_finished),
        WITH(turned_triangles_are_found, make_finished),
        WITH(wrong_links_are_found, make_finished),
        cmocka_unit_test(flipped_sides_are_not_delaunays),
        cmocka_unit_test_teardown(encroached_borders_are_found, free_mesh),
        WITH(work_is_about_what_comes, make_unfinished),
        WITH(a_mesh_is_refined_again_for_a_new_goal, make_finished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
