/* A team of the program's OpenMP. */
#define _GNU_SOURCE
#include "mpi_backend/objects/objects.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "mpi_backend/job/peers.h"

/* What GCC compiles `#pragma omp parallel for schedule(runtime)` to. */
struct gomp {
    void (*start)(void (*body)(void *), void *data, unsigned threads, long first, long last,
                  long step, unsigned flags);
    bool (*next)(long *first, long *last);
    void (*end)(void);
    int (*threads)(void);
    int (*in_parallel)(void);
};

/* Looked up in each phase: libraries may be loaded late. */
static bool find(struct gomp *gomp)
{
    *(void **)&gomp->start = dlsym(RTLD_DEFAULT, "GOMP_parallel_loop_maybe_nonmonotonic_runtime");
    *(void **)&gomp->next = dlsym(RTLD_DEFAULT, "GOMP_loop_maybe_nonmonotonic_runtime_next");
    *(void **)&gomp->end = dlsym(RTLD_DEFAULT, "GOMP_loop_end_nowait");
    *(void **)&gomp->threads = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    *(void **)&gomp->in_parallel = dlsym(RTLD_DEFAULT, "omp_in_parallel");
    return gomp->start != NULL && gomp->next != NULL && gomp->end != NULL &&
           gomp->threads != NULL && gomp->in_parallel != NULL;
}

uint32_t keel_mpi_team_size(void)
{
    struct gomp gomp;
    int level, threads;

    if (!keel_mpi_check(NULL, MPI_Query_thread(&level), "MPI_Query_thread") ||
        level < MPI_THREAD_FUNNELED || !find(&gomp) || gomp.in_parallel()) {
        return 1;
    }
    threads = gomp.threads();
    return threads > 1 ? (uint32_t)threads : 1;
}

struct team {
    const struct keel_mpi_team_work *work;
    struct gomp gomp;
};

static void body(void *data)
{
    const struct team *team = data;
    long first, last;

    team->work->begin(team->work->context);
    while (team->gomp.next(&first, &last)) {
        for (long i = first; i < last; i++) {
            team->work->item(team->work->context);
        }
    }
    team->work->done(team->work->context);
    team->gomp.end();
}

void keel_mpi_team_run(const struct keel_mpi_team_work *work, uint64_t items)
{
    struct team team = {.work = work};

    if (find(&team.gomp)) {
        team.gomp.start(body, &team, 0, 0, (long)items, 1, 0);
    }
}
