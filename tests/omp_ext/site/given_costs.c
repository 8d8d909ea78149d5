/* Loops of known costs: binlpt and lpt under keel_set_costs(). With the argument `missing` or
 * `other`, loops whose costs are not known, or of another length; with `settled`, loops without
 * costs where the library settles all that can be settled; with `short`, many short ones. */

#define COUNTED_MEMORY
#include "tests/support/schedules.h"

enum { COUNT_I = 61, KINDS = 6 };

static const char *const schedules[] = {"binlpt", "binlpt,5", "binlpt:min=4", "lpt", "lpt:min=3"};

/* Gives the costs of `count` iterations, of one of several kinds. */
static void give_costs(size_t count, int kind)
{
    double *costs = malloc(count * sizeof *costs);

    for (size_t i = 0; i < count; i++) {
        double heavy_end = i + 1 == count ? (double)count : 1;
        const double cost[KINDS] = {
            0, 1, (double)i, (double)(count - i), heavy_end, (double)(i * 7919 % 101)};
        costs[i] = cost[kind];
    }
    int result = set_costs(costs, count);
    CHECK(result == KEEL_OK, "keel_set_costs() is %d", result);
    free(costs);
}

/* --- every iteration once --- */

static void combined(void)
{
    struct marks marks = marks_of(COUNT_I);
    int last = -1;

#pragma omp parallel for schedule(runtime) lastprivate(last)
    for (int i = 0; i < COUNT_I; i++) {
        marks_hit(&marks, (uint64_t)i);
        last = i;
    }
    marks_end(&marks, "combined");
    CHECK(last == COUNT_I - 1, "combined: lastprivate is %d", last);
}

/* Inner teams inherit the costs; the inner loops have other ones in their own region. */
static void nested(void)
{
    struct marks outer = marks_of(COUNT_I), same = marks_of(COUNT_I * COUNT_I),
                 other = marks_of(COUNT_I * 9);

#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < COUNT_I; i++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp for schedule(runtime)
            for (int j = 0; j < COUNT_I; j++) {
                marks_hit(&same, (uint64_t)(i * COUNT_I + j));
            }
            give_costs(9, 2);
#pragma omp for schedule(runtime) nowait
            for (int j = 0; j < 9; j++) {
                marks_hit(&other, (uint64_t)(i * 9 + j));
            }
        }
        marks_hit(&outer, (uint64_t)i);
    }
    marks_end(&outer, "outer");
    marks_end(&same, "inner");
    marks_end(&other, "inner of other costs");
}

/* While others are still in a loop, a thread gives the costs of the next one, which all have. */
static void changing(void)
{
    struct marks marks[8];

    for (int k = 0; k < 8; k++) {
        marks_begin(&marks[k], (uint64_t)(20 + k));
    }
#pragma omp parallel
    for (int k = 0; k < 8; k++) {
        give_costs((size_t)(20 + k), k % KINDS);
        MARKED_LOOP("omp for schedule(runtime) nowait", marks[k], int, 20 + k)
    }
    for (int k = 0; k < 8; k++) {
        marks_end(&marks[k], "changing costs");
    }
}

/* Whoever comes first decides. */
static void disagreeing(void)
{
    struct marks marks = marks_of(COUNT_I);

#pragma omp parallel
    {
        give_costs(COUNT_I, omp_get_thread_num() % KINDS);
        MARKED_LOOP("omp for schedule(runtime)", marks, int, COUNT_I)
    }
    marks_end(&marks, "different costs");
}

static void every_loop(void)
{
    for (unsigned s = 0; s < COUNT(schedules); s++) {
        set_schedule(schedules[s]);
        for (unsigned t = 0; t < COUNT(team_sizes); t++) {
            omp_set_num_threads(team_sizes[t]);
            for (int kind = 0; kind < KINDS; kind++) {
                snprintf(check_context, sizeof check_context, ", %s, %d threads, costs %d",
                         schedules[s], team_sizes[t], kind);
                give_costs(COUNT_I, kind);
                combined();
                disagreeing();
            }
            give_costs(COUNT_I, 5);
            nested();
            changing();
        }
    }
    check_context[0] = '\0';
}

/* --- the order --- */

extern bool GOMP_loop_maybe_nonmonotonic_runtime_start(long, long, long, long *, long *);
extern bool GOMP_loop_maybe_nonmonotonic_runtime_next(long *, long *);
extern void GOMP_loop_end(void);

/* Takes all that the thread gets and appends where the chunks begin. */
static void take_all(int count, char *text)
{
    long start, end;
    bool taken = GOMP_loop_maybe_nonmonotonic_runtime_start(0, count, 1, &start, &end);

    while (taken) {
        sprintf(text + strlen(text), "%ld ", start);
        taken = GOMP_loop_maybe_nonmonotonic_runtime_next(&start, &end);
    }
}

/* Thread 1 begins when thread 0 has got all that it gets, and gone on. */
static void expect_order(const char *schedule, const double *costs, int count, const char *wanted)
{
    char text[200] = "";

    set_schedule(schedule);
    set_costs(costs, (size_t)count);
    for (int instance = 0; instance < 3; instance++) {
        text[0] = '\0';
#pragma omp parallel num_threads(2)
        {
            if (omp_get_thread_num() == 0) {
                take_all(count, text);
            }
#pragma omp barrier
            if (omp_get_thread_num() == 1) {
                strcat(text, "| ");
                take_all(count, text);
            }
            GOMP_loop_end();
        }
        CHECK(strcmp(text, wanted) == 0, "%s: %s, wanted %s", schedule, text, wanted);
    }
}

static void largest_first(void)
{
    static const double ten[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
    static const double one_large[] = {1, 1, 1, 100, 1, 1, 1, 5, 5, 5};
    static const double large_end[] = {5, 3, 1, 1, 4};

    expect_order("lpt", ten, 10, "5 7 4 8 2 0 6 9 | 1 3 ");
    expect_order("lpt:grain=2", ten, 10, "4 6 2 8 | 0 ");
    expect_order("binlpt,5", one_large, 10, "3 4 0 8 7 9 | ");
    expect_order("binlpt,4", large_end, 5, "0 2 3 4 | 1 ");
}

/* --- what is kept --- */

static void thousand_costs(void)
{
    long before = 0;

    omp_set_num_threads(2);
    for (int k = 0; k < 1200; k++) {
        before = k == 200 ? in_use() : before;
        set_schedule(schedules[k % 4]);
        give_costs(COUNT_I, 5);
        double costs[COUNT_I] = {[7] = k};
        set_costs(costs, COUNT_I);
        combined();
#pragma omp parallel
        {
            set_costs((double[]){k, 2, 3}, 3);
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < 3; i++) {
            }
        }
    }
    long grown = in_use() - before;
    CHECK(grown < 20000, "%ld bytes more after 1000 costs", grown);
}

/* Threads that wait actively leave a loop at the same moment, if there are loops enough. */
static void short_loops(void)
{
    long before = 0;
    long sum = 0;

    set_schedule("lpt");
    give_costs(4, 2);
    for (int k = 0; k < 100000; k++) {
        before = k == 1000 ? in_use() : before;
#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : sum)
        for (int i = 0; i < 4; i++) {
            sum += i;
        }
    }
    long grown = in_use() - before;
    CHECK(grown < 20000, "%ld bytes more after 99000 loops", grown);
    CHECK(sum == 600000, "they add up to %ld", sum);
}

static void alone(void)
{
    omp_set_num_threads(1);
    combined();
    give_costs(COUNT_I, 3);
    combined();
}

/* --- loops without costs --- */

/* Of a loop of 100 iterations in a team of two. */
static long largest_chunk(void)
{
    long chunk = 0;

#pragma omp parallel num_threads(2) reduction(max : chunk)
    {
        long start, end;
        bool taken = GOMP_loop_maybe_nonmonotonic_runtime_start(0, 100, 1, &start, &end);
        while (taken) {
            chunk = end - start > chunk ? end - start : chunk;
            taken = GOMP_loop_maybe_nonmonotonic_runtime_next(&start, &end);
        }
        GOMP_loop_end();
    }
    return chunk;
}

static void without_costs(bool other)
{
    set_schedule("lpt");
    if (other) {
        give_costs(99, 2);
    }
    for (int k = 0; k < 3; k++) {
        long chunk = largest_chunk();
        CHECK(chunk == 25, "the largest chunk has %ld iterations, under fac2 25", chunk);
    }
    set_schedule("binlpt");
    combined();
    largest_first(); /* costs that come at last are gone by */
}

/* They do as under fac2, which takes its place, and that is so until there are costs. */
static void settled_without_costs(void)
{
    double costs[100] = {0};
    int instances = 0;

    set_schedule("lpt");
    while (instances < 1000 && largest_chunk() != 50) {
        instances++;
    }
    CHECK(instances > 0 && instances < 1000, "static shares after %d instances", instances);
    set_costs(costs, 100);
    CHECK(largest_chunk() == 1, "static shares in spite of costs");
}

int main(int count, char **argument)
{
    mallopt(M_ARENA_MAX, 1);
    omp_set_max_active_levels(2);
    if (count > 1 && strcmp(argument[1], "short") == 0) {
        short_loops();
        return check_status();
    }
    if (count > 1 && strcmp(argument[1], "settled") == 0) {
        settled_without_costs();
        return check_status();
    }
    if (count > 1) {
        without_costs(strcmp(argument[1], "other") == 0);
        return check_status();
    }
    set_schedule("lpt");
    give_costs(COUNT_I, 2);
    fork_and(combined); /* before there was a team */
    every_loop();
    largest_first();
    thousand_costs();
    give_costs(COUNT_I, 2);
    fork_and(alone);
    return check_status();
}
