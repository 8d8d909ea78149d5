/* How long teams take that run packings of loops whose costs are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schedules/claim/packing.h"
#include "schedules/claim/plan.h"
#include "schedules/loop/spec.h"
#include "tests/schedules/claim/packing_cases.h"
#include "tests/support/draws.h"

/* --- as teams run them --- */

/* Runs the packing in a team whose threads take `costs` for iterations, each that of a chunk in one
 * go, times their slowness. When the last one is done. */
static double run(const struct keel_spec *spec, const struct keel_packing *packing,
                  const double *costs, uint64_t count, uint64_t threads, const double *slowness)
{
    struct keel_team *team = aligned_alloc(64, (keel_team_size(threads) + 63) / 64 * 64);
    struct keel_team_worker *worker = calloc(threads, sizeof *worker);
    double *clock = calloc(threads, sizeof *clock), end = 0;
    uint64_t executed = 0;

    keel_team_begin(team, spec, count, threads, packing->first, packing->list);
    for (uint64_t i = 0; i < threads; i++) {
        keel_team_worker_begin(&worker[i], team, i, (struct keel_pace){0});
    }
    for (uint64_t running = threads; running > 0;) {
        struct keel_listed_chunk chunk;
        uint64_t thread = 0;
        for (uint64_t i = 1; i < threads; i++) {
            thread = clock[i] < clock[thread] ? i : thread;
        }
        if (!keel_team_worker_next(&worker[thread], &chunk.first, &chunk.last)) {
            end = fmax(end, clock[thread]);
            clock[thread] = INFINITY;
            running--;
            continue;
        }
        double time = load_of(&chunk, costs, slowness != NULL ? slowness[thread] : 1);
        executed += chunk.last - chunk.first;
        clock[thread] += time;
        keel_team_worker_done(&worker[thread], time, 0);
    }
    assert_int_equal(executed, count);
    free(clock);
    free(worker);
    free(team);
    return end;
}

static double makespan(const struct keel_spec *spec, const double *costs, uint64_t count,
                       uint64_t threads)
{
    struct keel_packing *packing = build(spec, costs, count, threads);
    double end = run(spec, packing, costs, count, threads, NULL);

    free(packing);
    return end;
}

/* Thread 1, with the chunks 7-8 8-9 0-3 4-7, never comes: thread 0 takes them from the end, and
 * then the iteration that ends the loop. */
static void idle_threads_take_the_smallest(void **state)
{
    static const double costs[] = {1, 1, 1, 100, 1, 1, 1, 5, 5, 5};
    static const uint64_t wanted[] = {3, 4, 0, 8, 7, 9};
    struct keel_spec spec = binlpt_of(5, 1);
    struct keel_packing *packing = build(&spec, costs, 10, 2);
    struct keel_team *team = aligned_alloc(64, (keel_team_size(2) + 63) / 64 * 64);
    struct keel_team_worker worker;
    uint64_t first, last;

    (void)state;
    keel_team_begin(team, &spec, 10, 2, packing->first, packing->list);
    keel_team_worker_begin(&worker, team, 0, (struct keel_pace){0});
    for (size_t i = 0; i < 6; i++) {
        assert_true(keel_team_worker_next(&worker, &first, &last));
        assert_int_equal(first, wanted[i]);
        keel_team_worker_done(&worker, 1, 0);
    }
    assert_false(keel_team_worker_next(&worker, &first, &last));
    free(team);
    free(packing);
}

/* Thread 0 never comes, and thread 1 takes the heavy end of the loop from its own block; then it is
 * over for that thread, and thread 0 has its own to do. */
static void who_ends_the_loop_gets_no_more(void **state)
{
    static const double costs[] = {5, 3, 1, 1, 4};
    struct keel_spec spec = binlpt_of(4, 1);
    struct keel_packing *packing = build(&spec, costs, 5, 2);
    struct keel_team *team = aligned_alloc(64, (keel_team_size(2) + 63) / 64 * 64);
    struct keel_team_worker worker;
    uint64_t first, last;

    (void)state;
    keel_team_begin(team, &spec, 5, 2, packing->first, packing->list);
    keel_team_worker_begin(&worker, team, 1, (struct keel_pace){0});
    assert_true(keel_team_worker_next(&worker, &first, &last));
    assert_int_equal(first, 1);
    keel_team_worker_done(&worker, 1, 0);
    assert_true(keel_team_worker_next(&worker, &first, &last));
    assert_int_equal(first, 4);
    keel_team_worker_done(&worker, 1, 0);
    assert_false(keel_team_worker_next(&worker, &first, &last));
    keel_team_worker_begin(&worker, team, 0, (struct keel_pace){0});
    assert_true(keel_team_worker_next(&worker, &first, &last));
    assert_int_equal(first, 0);
    free(team);
    free(packing);
}

/* Graham's own example of the worst case: 5 4, 5 4 and 3 3 3 would end at 9; here 5 3 3, 5 3 and
 * 4 4 end at 11. What ends the loop costs nothing. */
static void largest_first_meets_its_worst_case(void **state)
{
    static const double costs[] = {3, 5, 3, 4, 5, 4, 3, 0};
    struct keel_spec spec = lpt_of(1);

    (void)state;
    assert_true(makespan(&spec, costs, 8, 3) == 11);
}

/* Iterations that P threads could end at `whole` sharp: each cuts it into pieces. */
static uint64_t cut(double *costs, uint64_t threads, uint64_t whole)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < threads; i++) {
        for (uint64_t left = whole; left > 0;) {
            uint64_t piece = 1 + draws_below(&draws, left);
            costs[count++] = (double)piece;
            left -= piece;
        }
    }
    for (uint64_t i = count; i > 1; i--) {
        uint64_t other = draws_below(&draws, i);
        double moved = costs[other];
        costs[other] = costs[i - 1];
        costs[i - 1] = moved;
    }
    return count;
}

/* Where what ends the loop costs nothing: 4/3 - 1/(3P) of the best (Graham 1969). */
static void largest_first_keeps_its_bound(void **state)
{
    (void)state;
    for (int round = 0; round < 3000; round++) {
        double costs[9 * 60 + 1];
        uint64_t threads = 1 + draws_below(&draws, 9), whole = 1 + draws_below(&draws, 60);
        uint64_t count = cut(costs, threads, whole);
        costs[count++] = 0;
        struct keel_spec spec = lpt_of(1);
        double bound = 4 / 3. - 1 / (3. * (double)threads);
        assert_true(makespan(&spec, costs, count, threads) <= bound * (double)whole + 1e-9);
    }
}

/* Until the end E begins, at s, nobody idles: P s <= W - E - B, where B <= (P - 1) E lies behind.
 * Then the others run what they are at, at most the largest L, and B; what ends last, at most L
 * again, begins when the others are busy: in all W/P + L + (1 - 1/(P - 1)) L. */
static void a_heavy_end_has_a_bound(void **state)
{
    (void)state;
    for (int round = 0; round < 3000; round++) {
        uint64_t count = 1 + draws_below(&draws, 60), threads = 2 + draws_below(&draws, 8);
        double *costs = draw_costs(count, 2 + draws_below(&draws, 5)), largest = 0;
        struct keel_spec spec = lpt_of(1);
        costs[count - 1] *= 1 + (double)draws_below(&draws, 20);
        for (uint64_t i = 0; i < count; i++) {
            largest = fmax(largest, costs[i]);
        }
        double others = (double)(threads - 1);
        double bound = load_of(&(struct keel_listed_chunk){0, count}, costs, 1) / (others + 1) +
                       (2 - 1 / others) * largest;
        assert_true(makespan(&spec, costs, count, threads) <= bound * (1 + 1e-9));
        free(costs);
    }
}

/* Nobody idles while there is a chunk to begin, nor takes one over too late: W/P + (1 - 1/P) of the
 * largest (Graham 1969). */
static void packed_blocks_keep_their_bound(void **state)
{
    (void)state;
    for (int round = 0; round < 2000; round++) {
        uint64_t count = 1 + draws_below(&draws, 400), threads = 1 + draws_below(&draws, 9);
        struct keel_spec spec = binlpt_of(draws_below(&draws, 40), 1);
        double *costs = draw_costs(count, 2 + draws_below(&draws, 5));
        costs[count - 1] *= 1 + (double)draws_below(&draws, 100);
        struct keel_packing *packing = build(&spec, costs, count, threads);
        double team = (double)threads, largest = costs[count - 1];
        for (uint64_t i = 0; i < packing->list->count; i++) {
            largest = fmax(largest, load_of(&packing->list->chunk[i], costs, 1));
        }
        double whole = load_of(&(struct keel_listed_chunk){0, count}, costs, 1);
        double bound = whole / team + (1 - 1 / team) * largest;
        assert_true(run(&spec, packing, costs, count, threads, NULL) <= bound * (1 + 1e-9));
        free(packing);
        free(costs);
    }
}

/* A thread that is ten times slower than its costs say loses what it has not begun. With chunks of
 * at most 1/32 of the work, and total speed 1 + 0.1, it ends what it has begun at the latest at
 * W/1.1 + 10 W/32; alone with its half it would need 5 W. */
static void slow_threads_are_helped(void **state)
{
    static const double slowness[] = {1, 10};
    struct keel_spec spec = binlpt_of(0, 1);
    double *costs = draw_costs(10000, 2);
    struct keel_packing *packing = build(&spec, costs, 10000, 2);
    double whole = load_of(&(struct keel_listed_chunk){0, 10000}, costs, 1);

    (void)state;
    assert_true(run(&spec, packing, costs, 10000, 2, slowness) < whole * (1 / 1.1 + 10 / 31.));
    free(packing);
    free(costs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_first_meets_its_worst_case),
        cmocka_unit_test(largest_first_keeps_its_bound),
        cmocka_unit_test(a_heavy_end_has_a_bound),
        cmocka_unit_test(packed_blocks_keep_their_bound),
        cmocka_unit_test(slow_threads_are_helped),
        cmocka_unit_test(idle_threads_take_the_smallest),
        cmocka_unit_test(who_ends_the_loop_gets_no_more),
    };

    draws = draws_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
