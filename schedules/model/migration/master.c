/* Self-scheduling by a master. */
#include "schedules/model/migration/master.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/model/migration/event_heap.h"

/* Of amounts that may overflow. */
static double times(double a, double b)
{
    return a > 0 && b > 0 ? a * b : 0;
}

static double quotient(double tasks, double throughput)
{
    return tasks > 0 ? tasks / throughput : 0;
}

/* --- saturation --- */

/* What a task and its messages keep a master busy for. */
static double busy_time(const struct keel_migration_master *master)
{
    double bytes = finite_amount(master->task_bytes) + finite_amount(master->result_bytes);

    return finite_amount(master->service_s) + 2 * finite_amount(master->alpha_s) +
           times(finite_amount(master->beta_s), bytes);
}

struct keel_migration_saturation
keel_migration_master_saturate(const struct keel_migration_master *master, uint32_t workers,
                               const double *throughput)
{
    double busy_s = busy_time(master), away_s = busy_s + 2 * finite_amount(master->latency_s);
    double tasks = finite_amount(master->tasks), rate = 0;

    for (uint32_t w = 0; w < workers; w++) {
        rate += 1 / (1 / finite_amount(throughput[w]) + away_s);
    }
    struct keel_migration_saturation result = {
        .master_s = times(tasks, busy_s),
        .workers_s = quotient(tasks, rate),
        .workers = busy_s > 0 && rate > 0 ? workers / (rate * busy_s) : INFINITY,
    };
    result.time_s = fmax(result.master_s, result.workers_s);
    return result;
}

/* --- the simulation: a worker's event is its request's coming to the master --- */

struct run {
    const struct keel_migration_master *master;
    const double *throughput; /* P */
    double *finish_s;         /* P: when each has done its last task so far */
    struct keel_event_heap heap;
};

size_t keel_migration_master_scratch(uint32_t workers)
{
    return keel_event_heap_size(workers);
}

static double speed_of(const struct run *run, uint32_t worker)
{
    return finite_amount(run->throughput[worker]);
}

/* Those that have any throughput ask. */
static void begin_asking(struct run *run, uint32_t workers)
{
    for (uint32_t w = 0; w < workers; w++) {
        bool is_master = run->master->computes && w == 0;
        run->finish_s[w] = 0;
        if (speed_of(run, w) > 0) {
            keel_event_heap_set(&run->heap, w,
                                is_master ? 0 : finite_amount(run->master->latency_s));
        }
    }
}

/* Gives a task to the worker whose request is the next, by a master that is free at free_s. Returns
 * when it is free again. */
static double serve(struct run *run, double cost, double free_s)
{
    uint32_t w = keel_event_heap_take(&run->heap);
    bool is_master = run->master->computes && w == 0;
    double latency_s = is_master ? 0 : finite_amount(run->master->latency_s);

    free_s = fmax(free_s, run->heap.event[w].at_s) + (is_master ? 0 : busy_time(run->master));
    run->finish_s[w] = free_s + latency_s + finite_amount(cost) / speed_of(run, w);
    keel_event_heap_set(&run->heap, w, run->finish_s[w] + latency_s);
    return is_master ? run->finish_s[w] : free_s;
}

double keel_migration_master_simulate(const struct keel_migration_master *master, uint32_t workers,
                                      const double *throughput, const double *cost, uint32_t count,
                                      double *finish_s, void *scratch)
{
    struct run run = {.master = master, .throughput = throughput, .finish_s = finish_s};
    double free_s = 0, last_s = 0;

    keel_event_heap_begin(&run.heap, workers, scratch);
    begin_asking(&run, workers);
    for (uint32_t t = 0; t < count && run.heap.events > 0; t++) {
        free_s = serve(&run, cost[t], free_s);
    }
    for (uint32_t w = 0; w < workers; w++) {
        last_s = fmax(last_s, finish_s[w]);
    }
    return count > 0 && run.heap.events == 0 ? INFINITY : last_s;
}
