/* The costs of iterations that a program gives: who has them, how long, and what follows from them.
 * Regions are entered as libgomp's threads enter them. */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/entry/region.h"
#include "omp_ext/include/keel.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/support/unit.h"

static const double rising[] = {1, 2, 3, 4};
static const double falling[] = {9, 8, 7};

static bool has(const double *costs, size_t count)
{
    return keel_known_costs_equal(keel_thread.costs, costs, count);
}

static int take_back(void **state)
{
    (void)state;
    keel_set_costs(NULL, 0);
    assert_null(keel_thread.costs);
    return 0;
}

/* --- one thread --- */

TEST_WITH(costs_are_copied, NULL, take_back)
{
    double costs[] = {1, 2, 3, 4};

    assert_int_equal(keel_set_costs(costs, 4), KEEL_OK);
    costs[0] = 5;
    assert_true(has(rising, 4));
    assert_true(keel_known_costs_fit(keel_thread.costs, 4));
    assert_false(keel_known_costs_fit(keel_thread.costs, 3));
    assert_int_equal(keel_set_costs(falling, 3), KEEL_OK);
    assert_true(has(falling, 3));
}

TEST_WITH(costs_are_taken_back, NULL, take_back)
{
    keel_set_costs(rising, 4);
    assert_int_equal(keel_set_costs(NULL, 4), KEEL_OK);
    assert_null(keel_thread.costs);
    assert_int_equal(keel_known_costs_count(keel_thread.costs), 0);
    keel_set_costs(rising, 4);
    assert_int_equal(keel_known_costs_count(keel_thread.costs), 4);
    assert_int_equal(keel_set_costs(falling, 0), KEEL_OK);
    assert_null(keel_thread.costs);
    assert_false(keel_known_costs_fit(NULL, 0));
}

TEST_WITH(same_costs_stay_what_they_were, NULL, take_back)
{
    keel_set_costs(rising, 4);
    struct keel_known_costs *first = keel_thread.costs;
    double again[] = {1, 2, 3, 4};
    assert_int_equal(keel_set_costs(again, 4), KEEL_OK);
    assert_ptr_equal(keel_thread.costs, first);
}

static void expect_refused(double wrong, size_t place, const char *problem)
{
    double costs[] = {0, 0, 0};

    costs[place] = wrong;
    assert_int_equal(keel_set_costs(costs, 3), KEEL_UNREADABLE);
    assert_string_equal(keel_problem(), problem);
    assert_true(has(rising, 4));
}

TEST_WITH(wrong_costs_are_refused, NULL, take_back)
{
    keel_set_costs(rising, 4);
    expect_refused(
        -1, 0, "cost '-1' of iteration 0, counted from 0, is not a finite number of at least 0");
    expect_refused(-DBL_TRUE_MIN, 1,
                   "cost '-4.94066e-324' of iteration 1, counted from 0, is not a finite number of "
                   "at least 0");
    expect_refused(INFINITY, 2,
                   "cost 'inf' of iteration 2, counted from 0, is not a finite number of at least "
                   "0");
    expect_refused(NAN, 1,
                   "cost 'nan' of iteration 1, counted from 0, is not a finite number of at least "
                   "0");
    assert_int_equal(keel_set_costs((double[]){0, -0.0, DBL_MAX}, 3), KEEL_OK);
    assert_string_equal(keel_problem(), "");
}

/* More than the address space holds; nothing reads them, as there would be no room for a copy. */
TEST_WITH(no_memory_leaves_the_costs, NULL, take_back)
{
    assert_null(keel_known_costs_make(rising, SIZE_MAX / sizeof(double) - 1));
    assert_null(keel_known_costs_make(rising, SIZE_MAX / 2));
    assert_null(keel_known_costs_make(rising, SIZE_MAX));
}

/* --- packings --- */

TEST_WITH(packings_are_kept, NULL, take_back)
{
    struct keel_spec binlpt = keel_spec_of(&keel_schedule_binlpt);
    struct keel_spec lpt = keel_spec_of(&keel_schedule_lpt), lpt_by_2 = lpt;

    lpt_by_2.value[KEEL_MIN].count = 2;
    lpt_by_2.given = KEEL_BIT(KEEL_MIN);
    keel_set_costs(rising, 4);
    const struct keel_packing *packing = keel_known_costs_packing(keel_thread.costs, &binlpt, 1, 2);
    assert_non_null(packing->first);
    assert_int_equal(packing->first[2], packing->list->count);
    assert_ptr_equal(keel_known_costs_packing(keel_thread.costs, &binlpt, 1, 2), packing);
    assert_ptr_not_equal(keel_known_costs_packing(keel_thread.costs, &binlpt, 1, 3), packing);
    const struct keel_packing *list = keel_known_costs_packing(keel_thread.costs, &lpt, 1, 2);
    assert_ptr_not_equal(list, packing);
    assert_ptr_equal(keel_known_costs_packing(keel_thread.costs, &lpt, 1, 2), list);
    assert_ptr_not_equal(keel_known_costs_packing(keel_thread.costs, &lpt, 1, 7), list);
    assert_int_equal(list->list->count, 4);
    assert_int_equal(list->list->chunk[0].first, 2);
    assert_int_equal(list->list->chunk[1].first, 3);
    assert_int_equal(keel_known_costs_packing(keel_thread.costs, &lpt_by_2, 1, 2)->list->count, 2);
}

/* Three units: a costly one, the costliest, and an iteration by itself. Sums stay finite. */
TEST_WITH(packings_are_of_units, NULL, take_back)
{
    static const double costs[] = {DBL_MAX, 0, 0, DBL_MAX, DBL_MAX, DBL_MAX, 1};
    struct keel_spec lpt = keel_spec_of(&keel_schedule_lpt);

    keel_set_costs(costs, 7);
    const struct keel_packing *single = keel_known_costs_packing(keel_thread.costs, &lpt, 1, 2);
    const struct keel_packing *threes = keel_known_costs_packing(keel_thread.costs, &lpt, 3, 2);
    assert_int_equal(single->list->count, 7);
    assert_int_equal(threes->list->count, 3);
    assert_int_equal(threes->list->chunk[0].first, 1);
    assert_int_equal(threes->list->chunk[0].last, 2);
    assert_ptr_equal(keel_known_costs_packing(keel_thread.costs, &lpt, 3, 2), threes);
    assert_ptr_equal(keel_known_costs_packing(keel_thread.costs, &lpt, 1, 2), single);
    assert_int_equal(keel_known_costs_packing(keel_thread.costs, &lpt, UINT64_MAX, 2)->list->count,
                     1);
}

TEST_WITH(packings_are_few, NULL, take_back)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_binlpt);

    keel_set_costs(rising, 4);
    for (uint64_t threads = 1; threads <= KEEL_PACKINGS_MAX; threads++) {
        assert_non_null(keel_known_costs_packing(keel_thread.costs, &spec, 1, threads));
    }
    assert_null(keel_known_costs_packing(keel_thread.costs, &spec, 1, KEEL_PACKINGS_MAX + 1));
    assert_non_null(keel_known_costs_packing(keel_thread.costs, &spec, 1, 1));
    assert_non_null(keel_known_costs_packing(keel_thread.costs, &spec, 1, KEEL_PACKINGS_MAX));
}

/* --- several threads --- */

enum { THREADS = 8, ROUNDS = 300 };

struct crew {
    struct keel_known_costs *costs;
    pthread_barrier_t barrier;
    const struct keel_packing *packing[THREADS];
    atomic_uint next;
};

static void *pack(void *argument)
{
    struct crew *crew = argument;
    unsigned thread = atomic_fetch_add(&crew->next, 1);
    struct keel_spec spec = keel_spec_of(&keel_schedule_binlpt);
    struct keel_known_costs *costs = keel_known_costs_acquire(crew->costs);

    pthread_barrier_wait(&crew->barrier);
    crew->packing[thread] = keel_known_costs_packing(costs, &spec, 1, THREADS);
    if (crew->packing[thread] != NULL && crew->packing[thread]->list->count != 4) {
        crew->packing[thread] = NULL;
    }
    keel_known_costs_release(costs);
    return NULL;
}

static void join(pthread_t *thread, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        pthread_join(thread[i], NULL);
    }
}

TEST_WITH(threads_share_one_packing, NULL, take_back)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct crew crew = {.costs = keel_known_costs_make(rising, 4)};
        pthread_t thread[THREADS];
        pthread_barrier_init(&crew.barrier, NULL, THREADS);
        for (unsigned i = 0; i < THREADS; i++) {
            pthread_create(&thread[i], NULL, pack, &crew);
        }
        join(thread, THREADS);
        for (unsigned i = 0; i < THREADS; i++) {
            assert_non_null(crew.packing[i]);
            assert_ptr_equal(crew.packing[i], crew.packing[0]);
        }
        pthread_barrier_destroy(&crew.barrier);
        keel_known_costs_release(crew.costs);
    }
}

/* The last of them frees the costs, whoever it is. */
static void *hold_and_let_go(void *argument)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_lpt);

    keel_known_costs_packing(argument, &spec, 1, 1);
    keel_known_costs_release(argument);
    return NULL;
}

TEST_WITH(last_holder_frees_them, NULL, take_back)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct keel_known_costs *costs = keel_known_costs_make(rising, 4);
        pthread_t thread[3];
        for (unsigned i = 0; i < 3; i++) {
            pthread_create(&thread[i], NULL, hold_and_let_go, keel_known_costs_acquire(costs));
        }
        keel_known_costs_release(costs);
        join(thread, 3);
    }
}

/* Leaves its costs to the end of the thread. */
static void *ask_and_end(void *unused)
{
    (void)unused;
    keel_set_costs(falling, 3);
    return NULL;
}

TEST_WITH(threads_that_end_let_go, NULL, take_back)
{
    keel_set_costs(rising, 4);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, ask_and_end, NULL);
        join(&thread, 1);
    }
    assert_true(has(rising, 4));
}

/* --- regions --- */

static void expect_rising(void *data)
{
    assert_true(has(rising, 4));
    ++*(int *)data;
}

static void run(void (*body)(void *), void *data)
{
    struct keel_region region = keel_region_of(NULL, body, data, NULL);

    keel_region_run(&region);
}

static void ask_within(void *data)
{
    expect_rising(data);
    keel_set_costs(falling, 3);
    assert_true(has(falling, 3));
    int inner = 0;
    keel_set_costs(rising, 4);
    run(expect_rising, &inner);
    assert_int_equal(inner, 1);
    keel_set_costs(falling, 3);
}

static void take_back_within(void *data)
{
    expect_rising(data);
    keel_set_costs(NULL, 0);
    assert_null(keel_thread.costs);
}

TEST_WITH(regions_inherit_and_give_back, NULL, take_back)
{
    int calls = 0;

    keel_set_costs(rising, 4);
    run(expect_rising, &calls);
    run(ask_within, &calls);
    assert_true(has(rising, 4));
    run(take_back_within, &calls);
    assert_true(has(rising, 4));
    assert_int_equal(calls, 3);
}

struct worker {
    struct keel_region region;
    bool inherited, empty_after;
};

static void note_inherited(void *data)
{
    struct worker *worker = data;

    worker->inherited = has(rising, 4);
    keel_set_costs(falling, 3);
}

static void *work(void *argument)
{
    struct worker *worker = argument;

    keel_region_run(&worker->region);
    worker->empty_after = keel_thread.costs == NULL;
    return NULL;
}

TEST_WITH(workers_inherit_from_their_creator, NULL, take_back)
{
    struct worker worker = {.inherited = false};
    pthread_t thread;

    keel_set_costs(rising, 4);
    worker.region = keel_region_of(NULL, note_inherited, &worker, NULL);
    pthread_create(&thread, NULL, work, &worker);
    join(&thread, 1);
    assert_true(worker.inherited);
    assert_true(worker.empty_after);
    assert_true(has(rising, 4));
}
