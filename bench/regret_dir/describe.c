/* The platform of a scene, for sim_platform (bench/sim/smpirun.sh), and what it is like.
 *
 *   describe SEED      a line: ranks, latency, bandwidth, speed of each machine; a line of words */
#include <stdio.h>
#include <stdlib.h>

#include "bench/regret_dir/scene.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: describe SEED\n");
        return 2;
    }
    struct scene scene = scene_draw(strtoull(argv[1], NULL, 10));
    double least = scene.speed[0], most = scene.speed[0];
    printf("%d %.9fs %.0fBps", scene.ranks, scene.latency_s, scene.bytes_per_s);
    for (int rank = 0; rank < scene.ranks; rank++) {
        printf(" %.0f", scene.speed[rank]);
        least = scene.speed[rank] < least ? scene.speed[rank] : least;
        most = scene.speed[rank] > most ? scene.speed[rank] : most;
    }
    printf("\n%s pace %.2g, %d ranks, speeds 1:%.1f, %d regions%s, %d particles of %d bytes, "
           "%d steps of %.0f ms, %.0f us, %.0f MB/s%s\n",
           scene_motions[scene.motion], scene.pace, scene.ranks, most / least, scene.regions,
           scene.adjacent ? "" : " anywhere", scene.particles, scene.bytes, scene.steps,
           scene.step_s * 1e3, scene.latency_s * 2e6, scene.bytes_per_s / 1e6,
           scene.loaded >= 0 ? ", a load" : "");
    return 0;
}
