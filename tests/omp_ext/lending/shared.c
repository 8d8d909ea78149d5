/* Loops that borrow their iterations: each runs what it is lent, all threads come and go once, and
 * every other loop is left alone. */
#include <omp.h>

#include "tests/omp_ext/lending/lender.h"

static const int team_sizes[] = {1, 2, 3, 5, 8};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- what is lent --- */

static const struct terms terms_of_100[] = {
    {.iterations = 100},
    {.iterations = 100, .chunk = 7},
    {.iterations = 100, .chunk = 100},
    {.iterations = 100, .chunk = 3, .order = 7},
    {.iterations = 100, .chunk = 1, .order = 50},
    {.iterations = 100, .first = 30, .last = 61, .chunk = 4},
    {.iterations = 100, .first = 30, .last = 61, .chunk = 2, .order = 4},
    {.iterations = 100, .first = 99, .last = 100},
    {.iterations = 100, .first = 50, .last = 50, .chunk = 1},
    {.iterations = 100, .refuses = true},
    {.iterations = 100, .chunk = 9, .refuses_odd = true},
    {.iterations = 100, .chunk = 5, .gathers = true},
};

static void all_terms(void)
{
    for (size_t k = 0; k < COUNT(terms_of_100) * COUNT(team_sizes); k++) {
        struct terms terms = terms_of_100[k / COUNT(team_sizes)];
        struct marks marks;
        struct loan loan;

        terms.threads = (unsigned)team_sizes[k % COUNT(team_sizes)];
        snprintf(check_context, sizeof check_context, ", terms %zu, %u threads",
                 k / COUNT(team_sizes), terms.threads);
        loan_begin(&loan, terms);
        marks_begin(&marks, 100);
        CHECK(lend(&loan), "the offer is refused");
#pragma omp parallel for schedule(runtime) num_threads(terms.threads)
        for (int i = 0; i < 100; i++) {
            marks_hit(&marks, (uint64_t)i);
        }
        loan_over(&loan, "combined");
        loan_marks(&loan, &marks, "combined");
    }
    check_context[0] = '\0';
}

static void no_iterations(void)
{
    struct loan loan;

    loan_begin(&loan, (struct terms){.threads = 3});
    lend(&loan);
#pragma omp parallel for schedule(runtime) num_threads(3)
    for (int i = 0; i < 0; i++) {
        CHECK(0, "an empty loop has an iteration");
    }
    loan_over(&loan, "empty");
}

/* The chunk that ends the loop is its thread's last. */
static void lastprivate_variables(void)
{
    for (unsigned threads = 1; threads < 6; threads++) {
        struct loan loan;
        int last = -1, conditional = -1;

        loan_begin(&loan, (struct terms){.iterations = 100, .chunk = 8, .order = 5});
        lend(&loan);
#pragma omp parallel for schedule(runtime) num_threads(threads) lastprivate(last)
        for (int i = 0; i < 100; i++) {
            last = i;
        }
        loan_over(&loan, "lastprivate");
        CHECK(last == 99, "lastprivate is %d", last);
        loan_begin(&loan, (struct terms){.iterations = 100, .last = 70, .chunk = 8});
        lend(&loan);
#pragma omp parallel for schedule(runtime) num_threads(threads) lastprivate(conditional \
                                                                            : conditional)
        for (int i = 0; i < 100; i++) {
            conditional = i;
        }
        loan_over(&loan, "lastprivate(conditional)");
        CHECK(conditional == 69, "lastprivate(conditional) is %d", conditional);
    }
}

/* --- loop forms --- */

/* LOOP runs the lent iterations, and the marks say so. */
#define SHARED_LOOP(name, count, LOOP)                                                             \
    static void name(int threads)                                                                  \
    {                                                                                              \
        struct marks marks;                                                                        \
        struct loan loan;                                                                          \
                                                                                                   \
        loan_begin(&loan,                                                                          \
                   (struct terms){.iterations = count, .chunk = 3, .threads = (unsigned)threads}); \
        marks_begin(&marks, count);                                                                \
        lend(&loan);                                                                               \
        LOOP loan_over(&loan, #name);                                                              \
        loan_marks(&loan, &marks, #name);                                                          \
    }

#define PRAGMA(text) _Pragma(#text)
#define COMBINED PRAGMA(omp parallel for schedule(runtime) num_threads(threads))
#define IN_REGION(clauses) \
    PRAGMA(omp parallel num_threads(threads)) PRAGMA(omp for schedule(runtime) clauses)

SHARED_LOOP(
    negative_stride, 34,
    COMBINED for (long i = 100; i > 0; i -= 3) { marks_hit(&marks, (uint64_t)(100 - i) / 3); })
SHARED_LOOP(
    long_to_the_end, 21, IN_REGION() for (long i = INT64_MAX - 63; i < INT64_MAX; i += 3) {
        marks_hit(&marks, (uint64_t)(i - (INT64_MAX - 63)) / 3);
    })
SHARED_LOOP(
    wide, 50,
    IN_REGION(nowait) for (unsigned long long i = UINT64_MAX - 100; i < UINT64_MAX;
                           i += 2) { marks_hit(&marks, (i - (UINT64_MAX - 100)) / 2); })
SHARED_LOOP(
    wide_down, 25, COMBINED for (unsigned long long i = 200; i > 100; i -= 4) {
        marks_hit(&marks, (200 - i) / 4);
    })
SHARED_LOOP(
    pointers, 20, COMBINED for (char *p = loan.schedule; p < loan.schedule + 20; p++) {
        marks_hit(&marks, (uint64_t)(p - loan.schedule));
    })
SHARED_LOOP(monotonic, 40, PRAGMA(omp parallel for schedule(monotonic:runtime) num_threads(threads))
            for (int i = 0; i < 40; i++) {
    marks_hit(&marks, (uint64_t)i);
})

static void collapsed(int threads)
{
    struct marks marks;
    struct loan loan;

    loan_begin(&loan, (struct terms){.iterations = 77, .chunk = 4, .threads = (unsigned)threads});
    marks_begin(&marks, 77);
    lend(&loan);
#pragma omp parallel for collapse(2) schedule(runtime) num_threads(threads)
    for (int i = 0; i < 7; i++) {
        for (int j = 21; j > -1; j -= 2) {
            marks_hit(&marks, (uint64_t)(i * 11 + (21 - j) / 2));
        }
    }
    loan_over(&loan, "collapse(2)");
    loan_marks(&loan, &marks, "collapse(2)");
}

__attribute__((noinline)) static void orphan(struct marks *marks, int count)
{
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < count; i++) {
        marks_hit(marks, (uint64_t)i);
    }
}

static void orphaned(int threads)
{
    struct marks marks, next;
    struct loan loan;

    loan_begin(&loan, (struct terms){.iterations = 60, .threads = (unsigned)threads});
    marks_begin(&marks, 60);
    marks_begin(&next, 60);
    lend(&loan);
#pragma omp parallel num_threads(threads)
    {
        orphan(&marks, 60);
        orphan(&next, 60);
    }
    loan_over(&loan, "orphaned");
    loan_marks(&loan, &marks, "orphaned");
    marks_end(&next, "after a shared loop");
}

static void serial(void)
{
    struct marks outside, off;
    struct loan loan;

    loan_begin(&loan, (struct terms){.iterations = 60, .first = 5, .last = 9, .threads = 1});
    marks_begin(&outside, 60);
    lend(&loan);
    orphan(&outside, 60);
    loan_over(&loan, "outside of parallel");
    loan_marks(&loan, &outside, "outside of parallel");

    loan_begin(&loan, (struct terms){.iterations = 60, .first = 5, .last = 9, .threads = 1});
    marks_begin(&off, 60);
    lend(&loan);
#pragma omp parallel for schedule(runtime) if (off.count == 0)
    for (int i = 0; i < 60; i++) {
        marks_hit(&off, (uint64_t)i);
    }
    loan_over(&loan, "if(0)");
    loan_marks(&loan, &off, "if(0)");
}

static void every_form(void)
{
    for (size_t k = 0; k < COUNT(team_sizes); k++) {
        snprintf(check_context, sizeof check_context, ", %d threads", team_sizes[k]);
        negative_stride(team_sizes[k]);
        long_to_the_end(team_sizes[k]);
        wide(team_sizes[k]);
        wide_down(team_sizes[k]);
        pointers(team_sizes[k]);
        monotonic(team_sizes[k]);
        collapsed(team_sizes[k]);
        orphaned(team_sizes[k]);
    }
    check_context[0] = '\0';
    serial();
}

/* --- among other constructs --- */

static void reductions(void)
{
    struct loan loan;
    long sum = 0, tasks = 0;

    loan_begin(&loan, (struct terms){.iterations = 100, .first = 10, .last = 20, .chunk = 3});
    lend(&loan);
#pragma omp parallel for schedule(runtime) num_threads(3) reduction(+ : sum)
    for (int i = 0; i < 100; i++) {
        sum += i;
    }
    loan_over(&loan, "reduction");
    CHECK(sum == 145, "the sum is %ld", sum);
    loan_begin(&loan, (struct terms){.iterations = 100, .first = 10, .last = 20, .chunk = 3});
    lend(&loan);
#pragma omp parallel num_threads(3)
#pragma omp for schedule(runtime) reduction(task, + : tasks)
    for (int i = 0; i < 100; i++) {
#pragma omp task in_reduction(+ : tasks)
        tasks += i;
    }
    loan_over(&loan, "task reduction");
    CHECK(tasks == 145, "the sum of tasks is %ld", tasks);
}

/* Tasks of the body may run on any thread of the team while that is in the shared loop. */
static void tasks_in_the_body(void)
{
    struct marks marks, inner[10];
    struct loan loan;

    loan_begin(&loan, (struct terms){.iterations = 10, .threads = 4});
    marks_begin(&marks, 10);
    for (int i = 0; i < 10; i++) {
        marks_begin(&inner[i], 30);
    }
    lend(&loan);
#pragma omp parallel for schedule(runtime) num_threads(4)
    for (int i = 0; i < 10; i++) {
#pragma omp task
        {
#pragma omp parallel for schedule(runtime) num_threads(2)
            for (int j = 0; j < 30; j++) {
                marks_hit(&inner[i], (uint64_t)j);
            }
        }
#pragma omp taskwait
        marks_hit(&marks, (uint64_t)i);
    }
    loan_over(&loan, "around tasks");
    loan_marks(&loan, &marks, "around tasks");
    for (int i = 0; i < 10; i++) {
        marks_end(&inner[i], "in a task");
    }
}

/* Loops in the body are the program's own, unless they get an offer of their own. One at a time, as
 * another one would take it, too. */
static void nested(void)
{
    struct marks outer, own, lent;
    struct loan loan, within;

    loan_begin(&loan, (struct terms){.iterations = 10, .threads = 2});
    loan_begin(&within, (struct terms){.iterations = 40, .first = 3, .last = 9, .threads = 3});
    marks_begin(&outer, 10);
    marks_begin(&own, 400);
    marks_begin(&lent, 40);
    lend(&loan);
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 10; i++) {
#pragma omp critical
        {
#pragma omp parallel for schedule(runtime) num_threads(3)
            for (int j = 0; j < 40; j++) {
                marks_hit(&own, (uint64_t)(i * 40 + j));
            }
            if (i == 4) {
                CHECK(lend(&within), "the offer in the body is refused");
#pragma omp parallel for schedule(runtime) num_threads(3)
                for (int j = 0; j < 40; j++) {
                    marks_hit(&lent, (uint64_t)j);
                }
            }
        }
        marks_hit(&outer, (uint64_t)i);
    }
    loan_over(&loan, "around a region");
    loan_marks(&loan, &outer, "around a region");
    marks_end(&own, "in the body");
    loan_over(&within, "lent in the body");
    loan_marks(&within, &lent, "lent in the body");
}

/* --- offers --- */

static void run_combined(struct marks *marks)
{
#pragma omp parallel for schedule(runtime) num_threads(3)
    for (int i = 0; i < 50; i++) {
        marks_hit(marks, (uint64_t)i);
    }
}

static void one_offer_at_a_time(void)
{
    const struct terms some = {.iterations = 50, .last = 20};
    struct marks first, second;
    struct loan loan, other;

    loan_begin(&loan, some);
    loan_begin(&other, some);
    CHECK(!withdraw(&loan), "there is something to withdraw");
    CHECK(lend(&loan), "the first offer is refused");
    CHECK(!lend(&other), "another offer is accepted");
    CHECK(!lend(&loan), "the same offer is accepted again");
    CHECK(!withdraw(&other), "an offer that was refused is withdrawn");
    CHECK(withdraw(&loan), "the offer is not withdrawn");
    CHECK(!withdraw(&loan), "the offer is withdrawn twice");
    marks_begin(&first, 50);
    run_combined(&first);
    marks_end(&first, "after an offer was withdrawn");
    CHECK(loan.joined == 0, "a withdrawn offer is taken");
    CHECK(lend(&other), "the next offer is refused");
    marks_begin(&first, 50);
    marks_begin(&second, 50);
    run_combined(&first);
    run_combined(&second);
    loan_over(&other, "the first of two");
    loan_marks(&other, &first, "the first of two");
    marks_end(&second, "the second of two");
}

static void sites(void)
{
    struct loan loans[4];
    struct marks marks;

    for (int k = 0; k < 4; k++) {
        loan_begin(&loans[k], (struct terms){.iterations = 50});
        marks_begin(&marks, 50);
        lend(&loans[k]);
        if (k < 2) {
            run_combined(&marks);
        } else {
            orphan(&marks, 50);
        }
        marks_end(&marks, "again");
    }
    CHECK(loans[0].site == loans[1].site, "a combined loop has two sites");
    CHECK(loans[2].site == loans[3].site, "an orphaned loop has two sites");
    CHECK(loans[0].site != loans[2].site, "two loops have one site");
}

/* The first thread offers while others are loops behind: a loop is lent as a whole or not at
 * all. */
static void only_some_see_it(void)
{
    enum { LOOPS = 40 };
    static struct loan loans[LOOPS];
    struct marks marks[LOOPS];
    unsigned taken = 0, partial = 0;

    for (int k = 0; k < LOOPS; k++) {
        loan_begin(&loans[k], (struct terms){.iterations = 60, .last = 23, .threads = 4});
        marks_begin(&marks[k], 60);
    }
#pragma omp parallel num_threads(4)
    for (int k = 0; k < LOOPS; k++) {
        if (omp_get_thread_num() == k % 3) {
            lend(&loans[k]);
        }
        orphan(&marks[k], 60);
    }
    for (int k = 0; k < LOOPS; k++) {
        withdraw(&loans[k]);
        taken += loans[k].joined > 0;
        CHECK(loans[k].joined == 0 || loans[k].joined == 4, "%u threads of 4 join",
              loans[k].joined);
        CHECK(loans[k].finished == loans[k].joined, "%u of %u finish", loans[k].finished,
              loans[k].joined);
        unsigned executed = 0;
        for (int i = 0; i < 60; i++) {
            CHECK(marks[k].times[i] <= 1, "iteration %d was executed %u times", i,
                  marks[k].times[i]);
            executed += marks[k].times[i];
        }
        CHECK(executed == 60 || executed == 23, "%u iterations were executed", executed);
        partial += executed == 23;
        free(marks[k].times);
    }
    CHECK(taken == partial, "%u offers were taken by %u loops", taken, partial);
}

/* The creator of the team offers before the region, and each loop takes its own. */
static void in_a_row(void)
{
    enum { LOOPS = 600 };
    static struct loan loans[LOOPS];
    struct marks marks[LOOPS];

    for (int k = 0; k < LOOPS; k++) {
        loan_begin(&loans[k],
                   (struct terms){.iterations = 12, .first = 3, .last = 9, .threads = 3});
        marks_begin(&marks[k], 12);
    }
#pragma omp parallel num_threads(3)
    for (int k = 0; k < LOOPS; k++) {
#pragma omp barrier
#pragma omp single
        CHECK(lend(&loans[k]), "offer %d is refused", k);
        orphan(&marks[k], 12);
    }
    for (int k = 0; k < LOOPS; k++) {
        loan_over(&loans[k], "in a row");
        loan_marks(&loans[k], &marks[k], "in a row");
    }
}

/* One thread runs far ahead of the others, through as many shared loops as it may. */
static void far_ahead(void)
{
    static struct loan loans[KEEL_LENDING_BEHIND_MAX];
    static struct marks marks[KEEL_LENDING_BEHIND_MAX];
    int ahead = 0;

    for (int k = 0; k < KEEL_LENDING_BEHIND_MAX; k++) {
        loan_begin(&loans[k],
                   (struct terms){.iterations = 12, .first = 3, .last = 9, .threads = 2});
        marks_begin(&marks[k], 12);
    }
#pragma omp parallel num_threads(2)
    for (int k = 0; k < KEEL_LENDING_BEHIND_MAX; k++) {
        if (omp_get_thread_num() == 0) {
            CHECK(lend(&loans[k]), "offer %d is refused", k);
        } else {
            while (__atomic_load_n(&ahead, __ATOMIC_ACQUIRE) == 0) {
                sched_yield();
            }
        }
        orphan(&marks[k], 12);
        if (omp_get_thread_num() == 0 && k == KEEL_LENDING_BEHIND_MAX - 1) {
            __atomic_store_n(&ahead, 1, __ATOMIC_RELEASE);
        }
    }
    for (int k = 0; k < KEEL_LENDING_BEHIND_MAX; k++) {
        loan_over(&loans[k], "far ahead");
        loan_marks(&loans[k], &marks[k], "far ahead");
    }
}

/* Many other teams borrow before the last thread comes to its loop. */
static void held_back(void)
{
    struct marks marks;
    struct loan loan, other;
    int ahead = 0;

    loan_begin(&loan, (struct terms){.iterations = 12, .first = 3, .last = 9, .threads = 2});
    marks_begin(&marks, 12);
#pragma omp parallel num_threads(2)
    {
        while (omp_get_thread_num() == 1 && __atomic_load_n(&ahead, __ATOMIC_ACQUIRE) == 0) {
            sched_yield();
        }
        if (omp_get_thread_num() == 0) {
            lend(&loan);
        }
        orphan(&marks, 12);
        for (int k = 0; k < 2 * KEEL_LENDING_BEHIND_MAX && omp_get_thread_num() == 0; k++) {
            loan_begin(&other, (struct terms){.iterations = 4, .threads = 1});
            lend(&other);
#pragma omp parallel for schedule(runtime) num_threads(1)
            for (int i = 0; i < 4; i++) {
            }
            loan_over(&other, "another team");
        }
        __atomic_store_n(&ahead, 1, __ATOMIC_RELEASE);
    }
    loan_over(&loan, "held back");
    loan_marks(&loan, &marks, "held back");
}

static void *run_team(void *context)
{
    run_combined((struct marks *)context);
    return NULL;
}

static void *run_orphan(void *context)
{
#pragma omp parallel num_threads(2)
    orphan((struct marks *)context, 50);
    return NULL;
}

/* Two teams that come at the same time: one of them takes it. */
static void two_teams(void)
{
    for (int round = 0; round < 100; round++) {
        struct marks marks[2];
        struct loan loan;
        pthread_t other;
        unsigned executed[2] = {0, 0};

        loan_begin(&loan, (struct terms){.iterations = 50, .last = 20});
        marks_begin(&marks[0], 50);
        marks_begin(&marks[1], 50);
        lend(&loan);
        pthread_create(&other, NULL, round % 2 == 0 ? run_team : run_orphan, &marks[0]);
        run_orphan(&marks[1]);
        pthread_join(other, NULL);
        for (int i = 0; i < 100; i++) {
            CHECK(marks[i / 50].times[i % 50] <= 1, "iteration %d was executed twice", i % 50);
            executed[i / 50] += marks[i / 50].times[i % 50];
        }
        CHECK(executed[0] + executed[1] == 70, "%u and %u iterations were executed", executed[0],
              executed[1]);
        loan_over(&loan, "two teams");
        free(marks[0].times);
        free(marks[1].times);
    }
}

/* --- loops that leave it alone --- */

static void loops_that_cannot(void)
{
    struct loan loan;
    struct marks marks[5], next;
    int before = 0;

    loan_begin(&loan, (struct terms){.iterations = 40, .last = 11});
    for (int k = 0; k < 5; k++) {
        marks_begin(&marks[k], 40);
    }
    marks_begin(&next, 40);
    lend(&loan);
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(runtime) ordered
        for (int i = 0; i < 40; i++) {
#pragma omp ordered
            {
                CHECK(before == i, "iteration %d is number %d", i, before);
                before++;
            }
            marks_hit(&marks[0], (uint64_t)i);
        }
#pragma omp for schedule(runtime) ordered(1)
        for (int i = 0; i < 40; i++) {
#pragma omp ordered depend(sink : i - 1)
            marks_hit(&marks[1], (uint64_t)i);
#pragma omp ordered depend(source)
        }
#pragma omp for schedule(static)
        for (int i = 0; i < 40; i++) {
            marks_hit(&marks[2], (uint64_t)i);
        }
#pragma omp for schedule(guided)
        for (int i = 0; i < 40; i++) {
            marks_hit(&marks[3], (uint64_t)i);
        }
    }
#pragma omp parallel for schedule(guided) num_threads(3)
    for (int i = 0; i < 40; i++) {
        marks_hit(&marks[4], (uint64_t)i);
    }
    for (int k = 0; k < 5; k++) {
        marks_end(&marks[k], "a loop that cannot be shared");
    }
    CHECK(loan.joined == 0, "%u threads of other loops have joined", loan.joined);
#pragma omp parallel for schedule(runtime) num_threads(3)
    for (int i = 0; i < 40; i++) {
        marks_hit(&next, (uint64_t)i);
    }
    loan_over(&loan, "the next that can");
    loan_marks(&loan, &next, "the next that can");
}

/* KEEL_OVERRIDE=dynamic: as if the clause were schedule(runtime). */
static void overridden(void)
{
    struct marks marks;
    struct loan loan;

    for (int k = 0; k < 2; k++) {
        loan_begin(&loan, (struct terms){.iterations = 40, .last = 11, .threads = 3});
        marks_begin(&marks, 40);
        lend(&loan);
        if (k == 0) {
#pragma omp parallel for schedule(dynamic, 3) num_threads(3)
            for (int i = 0; i < 40; i++) {
                marks_hit(&marks, (uint64_t)i);
            }
        } else {
#pragma omp parallel num_threads(3)
#pragma omp for schedule(dynamic, 3)
            for (int i = 0; i < 40; i++) {
                marks_hit(&marks, (uint64_t)i);
            }
        }
        loan_over(&loan, "overridden");
        loan_marks(&loan, &marks, "overridden");
    }
}

/* --- the loop's own schedule --- */

static void describe(const char *wanted)
{
    struct loan loan;
    struct marks marks;

    for (int k = 0; k < 3; k++) {
        loan_begin(&loan, (struct terms){.iterations = 50});
        marks_begin(&marks, 50);
        lend(&loan);
        if (k == 0) {
            run_combined(&marks);
        } else if (k == 1) {
#pragma omp parallel num_threads(2)
            orphan(&marks, 50);
        } else {
#pragma omp parallel for schedule(monotonic : runtime) num_threads(2)
            for (int i = 0; i < 50; i++) {
                marks_hit(&marks, (uint64_t)i);
            }
        }
        loan_over(&loan, "described");
        marks_end(&marks, "described");
        bool blocks = k == 2 && strcmp(wanted, "steal") == 0;
        CHECK(strcmp(loan.schedule, blocks ? "fac2" : wanted) == 0,
              "loop %d: the schedule is '%s', wanted %s", k, loan.schedule, wanted);
        CHECK(loan.in_order == (k == 2), "loop %d: in order: %d", k, loan.in_order);
    }
}

static int set_schedule(const char *schedule)
{
    void *symbol = dlsym(RTLD_DEFAULT, "keel_set_schedule");
    int (*function)(const char *);

    memcpy(&function, &symbol, sizeof function);
    return function(schedule);
}

static void asked_for(void)
{
    struct loan loan;
    struct marks marks;

    set_schedule("steal");
    describe("steal");
    set_schedule("monotonic:steal");
    loan_begin(&loan, (struct terms){.iterations = 50});
    marks_begin(&marks, 50);
    lend(&loan);
    run_combined(&marks);
    loan_over(&loan, "monotonic:steal");
    marks_end(&marks, "monotonic:steal");
    CHECK(loan.in_order && strcmp(loan.schedule, "fac2") == 0, "monotonic:steal runs as %s",
          loan.schedule);
    set_schedule("libgomp");
    describe("");
    set_schedule(NULL);
    describe("");
}

/* --- cancellation: OMP_CANCELLATION=true --- */

static void expect_abandoned(struct loan *loan, const char *loop)
{
    CHECK(!withdraw(loan), "%s: the offer still stands", loop);
    CHECK(loan->joined == loan->terms.threads, "%s: %u of %u threads came", loop, loan->joined,
          loan->terms.threads);
    CHECK(loan->finished == 0, "%s: %u threads finished", loop, loan->finished);
    CHECK(loan->abandoned == loan->joined, "%s: %u of %u threads left", loop, loan->abandoned,
          loan->joined);
}

/* Iteration 0 cancels once everybody has come, and the others wait for that in their first chunks.
 * Behind the loop comes another one, or the region's end. */
static void cancelled(void)
{
    enum { MANY = 1000 };

    for (unsigned k = 0; k < 10; k++) {
        unsigned threads = 1 + k / 2;
        struct loan loan;
        struct marks after;

        loan_begin(&loan, (struct terms){.iterations = MANY, .threads = threads, .gathers = true});
        marks_begin(&after, 30);
        lend(&loan);
#pragma omp parallel num_threads(threads)
        {
#pragma omp for schedule(runtime)
            for (int i = 0; i < MANY; i++) {
                if (i == 0) {
#pragma omp cancel for
                }
                for (int turn = 0; turn < 1000; turn++) {
                    usleep(1000);
#pragma omp cancellation point for
                }
            }
            if (k % 2 == 0) {
                orphan(&after, 30);
                CHECK(loan.abandoned > 0, "a thread is through the next loop without leaving");
            }
        }
        expect_abandoned(&loan, "cancelled loop");
        if (k % 2 == 0) {
            marks_end(&after, "after a cancelled loop");
        }
    }
}

/* A version that libkeel.so does not know is refused, and it says which one it knows. */
static void versions(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "keel_lending_meet");
    const struct keel_lending *(*meet)(uint32_t, uint32_t *);
    uint32_t newest = 0;

    memcpy(&meet, &symbol, sizeof meet);
    CHECK(meet(KEEL_LENDING_VERSION + 1, &newest) == NULL, "it serves a version of the future");
    CHECK(newest == KEEL_LENDING_VERSION, "version %u", newest);
    CHECK(meet(KEEL_LENDING_VERSION, &newest) != NULL, "it does not serve its own version");
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";

    check_any_order = true;
    omp_set_dynamic(0);
    omp_set_max_active_levels(3);
    if (strcmp(what, "cancelled") == 0) {
        cancelled();
        return check_status();
    }
    if (strcmp(what, "schedule") == 0) {
        describe(count > 2 ? arguments[2] : "");
        return check_status();
    }
    if (strcmp(what, "overridden") == 0) {
        overridden();
        return check_status();
    }
    if (strcmp(what, "asked") == 0) {
        asked_for();
        return check_status();
    }
    versions();
    all_terms();
    no_iterations();
    lastprivate_variables();
    every_form();
    reductions();
    tasks_in_the_body();
    nested();
    one_offer_at_a_time();
    sites();
    only_some_see_it();
    in_a_row();
    far_ahead();
    held_back();
    two_teams();
    loops_that_cannot();
    return check_status();
}
