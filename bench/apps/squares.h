/* The plane that refine.c and pcdt.c mesh, cut into squares that are meshed by themselves, and the
 * serial program, which goes through phases:
 *
 *   cuts from neighbours -> each mesh refines itself -> cuts of borders for the meshes beyond ...
 *
 * One small disc is to be meshed much finer than the rest; in each round it lies elsewhere. A mesh
 * adds at most `batch` points in a phase. */
#ifndef BENCH_APPS_SQUARES_H
#define BENCH_APPS_SQUARES_H

#include "bench/apps/app.h"
#include "bench/apps/mesh/mesh.h"

/* A border was cut: mesh `to` is to know. Number: one of the phase and of `from`. */
struct squares_cut {
    int32_t to, from, number;
    struct mesh_point at;
};

struct squares {
    int across; /* squares in a row, and rows of squares: a power of 2 */
    int batch;
    uint64_t seed;
    uint64_t size; /* radii of circles in the disc, over the side of the plane */
    struct mesh_goal goal;
    struct mesh *mesh;       /* of each square; empty ones may be anywhere else */
    struct squares_cut *cut; /* to be applied in the next phase, sorted */
    int cuts;
};

/* Settings by the application's options --size, --seed, --across and --batch; ends the program
 * where one is wrong. */
void squares_read(struct squares *squares, const struct app *app, const char *across,
                  const char *batch);

/* The number of squares. */
static inline int squares_count(const struct squares *squares)
{
    return squares->across * squares->across;
}

/* The mesh of a square, with the given points that `seed` has for it. */
void squares_make(const struct squares *squares, int square, struct mesh *mesh);

/* Meshes and cuts go. */
void squares_free(struct squares *squares);

/* Sets the goal of a round, from 0. */
void squares_set_goal(struct squares *squares, uint64_t round);

/* The square beyond the border of `mesh`, which is `square`'s, that `at` lies on; -1: none. */
int squares_beyond(const struct squares *squares, int square, const struct mesh *mesh,
                   struct mesh_point at);

/* Moves what a mesh has to tell to cut[*count] and on. */
void squares_take_told(const struct squares *squares, int square, struct mesh *mesh,
                       struct squares_cut *cut, int *count);

/* The order of cuts: by `to`, `from`, number. For qsort(). */
int squares_compare_cuts(const void *a, const void *b);

/* Cuts that meshes here are to know in the next phase, in any order; malloc() gave them. */
void squares_set_cuts(struct squares *squares, struct squares_cut *cut, int count);

/* A phase of one square. */
void squares_refine(struct squares *squares, int square);

/* What squares square[0] .. square[count - 1] have to tell, to be freed, and how many triangles
 * they have not looked at. */
struct squares_cut *squares_take_all_told(struct squares *squares, const uint64_t *square,
                                          uint64_t count, int *cuts, int64_t *unfinished);

/* What the serial program comes to, in as many rounds, and `steps` phases at most: with the
 * settings of `like`. */
struct mesh_summary squares_run_alone(const struct squares *like, uint64_t rounds, uint64_t steps);

#endif
