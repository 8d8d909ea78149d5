/* Loops that borrow their iterations: which loop and which threads take an offer, the schedule that
 * goes with it, loops that leave it alone, and loops that are cancelled. */
#include <omp.h>

#include "tests/omp_ext/lending/lender.h"

/* --- offers --- */

static void run_combined(struct marks *marks)
{
    MARKED_LOOP("omp parallel for schedule(runtime) num_threads(3)", *marks, int, 50)
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
    loan_done(&other, &first, "the first of two");
    marks_end(&second, "the second of two");
}

static void sites(void)
{
    struct loan loans[4];
    struct marks marks;

    for (int k = 0; k < 4; k++) {
        offer(&loans[k], (struct terms){.iterations = 50}, &marks);
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
        loan_done(&loans[k], &marks[k], "in a row");
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
        loan_done(&loans[k], &marks[k], "far ahead");
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
    loan_done(&loan, &marks, "held back");
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

/* Threads of odd numbers get nothing; chunks come in any order. */
static void refused_to_some(void)
{
    struct marks marks;
    struct loan loan;

    offer(
        &loan,
        (struct terms){.iterations = 50, .chunk = 3, .order = 7, .threads = 3, .refuses_odd = true},
        &marks);
    run_combined(&marks);
    loan_done(&loan, &marks, "refused to some");
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
        MARKED_LOOP("omp for schedule(static)", marks[2], int, 40)
        MARKED_LOOP("omp for schedule(guided)", marks[3], int, 40)
    }
    MARKED_LOOP("omp parallel for schedule(guided) num_threads(3)", marks[4], int, 40)
    for (int k = 0; k < 5; k++) {
        marks_end(&marks[k], "a loop that cannot be shared");
    }
    CHECK(loan.joined == 0, "%u threads of other loops have joined", loan.joined);
    MARKED_LOOP("omp parallel for schedule(runtime) num_threads(3)", next, int, 40)
    loan_done(&loan, &next, "the next that can");
}

/* KEEL_OVERRIDE=dynamic: as if the clause were schedule(runtime). */
static void overridden(void)
{
    struct marks marks;
    struct loan loan;

    for (int k = 0; k < 2; k++) {
        offer(&loan, (struct terms){.iterations = 40, .last = 11, .threads = 3}, &marks);
        if (k == 0) {
            MARKED_LOOP("omp parallel for schedule(dynamic, 3) num_threads(3)", marks, int, 40)
        } else {
#pragma omp parallel num_threads(3)
            MARKED_LOOP("omp for schedule(dynamic, 3)", marks, int, 40)
        }
        loan_done(&loan, &marks, "overridden");
    }
}

/* --- the loop's own schedule --- */

static void describe(const char *wanted)
{
    struct loan loan;
    struct marks marks;

    for (int k = 0; k < 3; k++) {
        offer(&loan, (struct terms){.iterations = 50}, &marks);
        if (k == 0) {
            run_combined(&marks);
        } else if (k == 1) {
#pragma omp parallel num_threads(2)
            orphan(&marks, 50);
        } else {
            MARKED_LOOP("omp parallel for schedule(monotonic : runtime) num_threads(2)", marks, int,
                        50)
        }
        loan_over(&loan, "described");
        marks_end(&marks, "described");
        bool blocks = k == 2 && strcmp(wanted, "steal") == 0;
        CHECK(strcmp(loan.schedule, blocks ? "fac2" : wanted) == 0,
              "loop %d: the schedule is '%s', wanted %s", k, loan.schedule, wanted);
        CHECK(loan.in_order == (k == 2), "loop %d: in order: %d", k, loan.in_order);
    }
}

static void asked_for(void)
{
    struct loan loan;
    struct marks marks;

    set_schedule("steal");
    describe("steal");
    set_schedule("monotonic:steal");
    offer(&loan, (struct terms){.iterations = 50}, &marks);
    run_combined(&marks);
    loan_over(&loan, "monotonic:steal");
    marks_end(&marks, "monotonic:steal");
    CHECK(loan.in_order && strcmp(loan.schedule, "fac2") == 0, "monotonic:steal runs as %s",
          loan.schedule);
    set_schedule("libgomp");
    describe("");
    find_set_schedule()(NULL);
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
    const struct keel_lending *(*meet)(uint32_t, uint32_t *) =
        (const struct keel_lending *(*)(uint32_t, uint32_t *))find_function("keel_lending_meet");
    uint32_t newest = 0;

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
    if (strcmp(what, "overridden") == 0) {
        overridden();
        return check_status();
    }
    if (strcmp(what, "schedule") == 0) {
        describe(count > 2 ? arguments[2] : "");
        return check_status();
    }
    if (strcmp(what, "asked") == 0) {
        asked_for();
        return check_status();
    }
    versions();
    one_offer_at_a_time();
    sites();
    only_some_see_it();
    in_a_row();
    far_ahead();
    held_back();
    two_teams();
    refused_to_some();
    loops_that_cannot();
    return check_status();
}
