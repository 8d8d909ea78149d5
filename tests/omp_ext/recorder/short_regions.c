/* Many instances of regions that are so short that not all of them are recorded.
 *
 *   short_regions
 */
#include <omp.h>

enum { team = 2, rounds = 20000, inner = 10000 };

static int visits[team];

static void often(void)
{
#pragma omp parallel num_threads(team)
    visits[omp_get_thread_num()]++;
}

static void with_loop(void)
{
#pragma omp parallel for num_threads(1) schedule(dynamic, 10)
    for (int i = 0; i < 10; i++) {
        visits[0]++;
    }
}

int main(void)
{
    for (int round = 0; round < rounds; round++) {
        often();
        if (round < inner) {
            with_loop();
        }
    }
    return 0;
}
