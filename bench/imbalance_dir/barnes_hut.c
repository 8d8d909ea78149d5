/* Forces among the bodies of a star cluster by Barnes and Hut's tree (Nature 324, 1986): bodies in
 * the crowded middle meet more cells than those outside. Bodies are in the order of the tree, so
 * that neighbours cost alike. The cluster is that of Franklin and Govindan's program.
 *
 * An iteration returns how many bodies and cells were looked at, and a part of the force. */
#include "bench/imbalance_dir/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "bench/papers_dir/fg95/cluster.h"
#include "bench/support/memory.h"

#define BODIES 1500 /* at scale 1 */
#define OPENING 0.2 /* a cell seen under a smaller size / distance counts as one body */

static struct particle *body;
static struct tree tree;

size_t barnes_hut_prepare(double scale)
{
    size_t bodies = kernel_scaled(BODIES, scale, 16);
    struct particle *drawn = memory_new(bodies, sizeof *drawn);

    body = memory_new(bodies, sizeof *body);
    cluster_make(drawn, (int)bodies, 4);
    tree_open(&tree, (int)bodies);
    for (size_t b = 0; b < bodies; b++) {
        memcpy(tree.at[b], drawn[b].at, sizeof tree.at[b]);
    }
    tree_build(&tree);
    for (size_t b = 0; b < bodies; b++) {
        body[b] = drawn[tree.order[b]];
    }
    free(drawn);
    return bodies;
}

double barnes_hut_run(size_t i)
{
    int64_t looked_at = tree_pull(&tree, OPENING, &body[i]);

    return (double)looked_at + body[i].pull[0];
}
