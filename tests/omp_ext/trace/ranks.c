/* A rank of a job with loops of its own, and events of the MPI layer: a move, a wait, a call, a
 * decision, counters, and, with an argument, a clock with that offset in ns. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "omp_ext/trace/trace_ranks.h"

#define INSTANCES 10
#define ITERATIONS 200

static volatile double sink;

static void run(void)
{
    for (int k = 0; k < INSTANCES; k++) {
#pragma omp parallel for schedule(runtime)
        for (long i = 0; i < ITERATIONS; i++) {
            sink = (double)i;
        }
    }
}

static void tell(const struct keel_trace_ranks *trace, int rank)
{
    const struct keel_trace_number numbers[] = {{"gain", 0.25}, {"ratio \"x\"", NAN}};
    uint64_t began = trace->now();

    usleep(1000);
    uint64_t middle = trace->now();
    trace->wait("solve.c:12", began, middle);
    trace->move(&(struct keel_trace_move){.what = "rows",
                                          .name = "grid",
                                          .from = (rank + 1) % 4,
                                          .to = rank,
                                          .first = 100,
                                          .last = 200,
                                          .bytes = 800,
                                          .began = middle,
                                          .ended = trace->now()});
    trace->decision(&(struct keel_trace_decision){.name = "rows move",
                                                  .about = "rows",
                                                  .object = "grid",
                                                  .reason = "rank 0 is\tslow: \xe9",
                                                  .count = 2,
                                                  .number = numbers});
    trace->counter("rate", 1234.5);
    trace->counter("share", 100);
    began = trace->call_begins();
    trace->call_ends("MPI_Send", __builtin_return_address(0), began);
}

int main(int argc, char **argv)
{
    const char *text = getenv("OMPI_COMM_WORLD_RANK");
    int rank = text != NULL ? atoi(text) : 0;
    const struct keel_trace_ranks *(*meet)(uint32_t, uint32_t *) =
        (const struct keel_trace_ranks *(*)(uint32_t, uint32_t *))dlsym(RTLD_DEFAULT,
                                                                        "keel_trace_meet");
    uint32_t newest = 0;

    if (meet == NULL || meet(KEEL_TRACE_VERSION + 1, &newest) != NULL ||
        newest != KEEL_TRACE_VERSION) {
        return 1;
    }
    const struct keel_trace_ranks *trace = meet(KEEL_TRACE_VERSION, &newest);
    if (argc > 1) {
        trace->place(rank, 4, rank * atoll(argv[1]));
    }
    run();
    if (trace->wanted()) {
        tell(trace, rank);
    } else {
        printf("nothing is traced\n");
    }
    run();
    return 0;
}
