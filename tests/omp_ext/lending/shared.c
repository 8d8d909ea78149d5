/* Loops that borrow their iterations, in every form and among other constructs: each runs what it
 * is lent, all threads come and go once, and every other loop is left alone. */
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
        loan_done(&loan, &marks, "combined");
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
    loan_done(&loan, &marks, "orphaned");
    marks_end(&next, "after a shared loop");
}

static void serial(void)
{
    struct marks outside, off;
    struct loan loan;

    offer(&loan, (struct terms){.iterations = 60, .first = 5, .last = 9, .threads = 1}, &outside);
    orphan(&outside, 60);
    loan_done(&loan, &outside, "outside of parallel");

    offer(&loan, (struct terms){.iterations = 60, .first = 5, .last = 9, .threads = 1}, &off);
#pragma omp parallel for schedule(runtime) if (off.count == 0)
    for (int i = 0; i < 60; i++) {
        marks_hit(&off, (uint64_t)i);
    }
    loan_done(&loan, &off, "if(0)");
}

static void every_form(void)
{
    for (size_t k = 0; k < COUNT(team_sizes); k++) {
        snprintf(check_context, sizeof check_context, ", %d threads", team_sizes[k]);
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
    loan_done(&loan, &marks, "around tasks");
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
    loan_done(&loan, &outer, "around a region");
    marks_end(&own, "in the body");
    loan_done(&within, &lent, "lent in the body");
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
        loan_done(&loan, &marks, "overridden");
    }
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";

    check_any_order = true;
    omp_set_dynamic(0);
    omp_set_max_active_levels(3);
    if (strcmp(what, "overridden") == 0) {
        overridden();
        return check_status();
    }
    all_terms();
    no_iterations();
    lastprivate_variables();
    every_form();
    reductions();
    tasks_in_the_body();
    nested();
    loops_that_cannot();
    return check_status();
}
