/* Loops that are declared monotonic, and those whose explicit clause does not say otherwise, give
 * each thread increasing iterations, under every schedule; those that are not get the schedule that
 * was asked for, which may take from other blocks. An argument names an explicit loop that does:
 * "nonmonotonic" for that word in its clause, "plain" for it in KEEL_OVERRIDE. */
#include "tests/support/schedules.h"

#define ITERATIONS 2000

/* Blocks of very unequal times, so that threads that are done take from others. */
static void run(struct marks *marks, long i)
{
    for (volatile int k = 0; k < (i < ITERATIONS / 4 ? 2000 : 10); k++) {
    }
    marks_hit(marks, (uint64_t)i);
}

#define LOOP(mark, type, directive)                          \
    _Pragma(directive) for (type i = 0; i < ITERATIONS; i++) \
    {                                                        \
        run(&marks[mark], (long)i);                          \
    }

static const char *stepping = ""; /* the argument */

static void monotonic_loops(void)
{
    struct marks marks[9];

    check_any_order = false;
    for (unsigned i = 0; i < COUNT(marks); i++) {
        marks_begin(&marks[i], ITERATIONS);
    }
    LOOP(0, long, "omp parallel for schedule(monotonic : runtime)")
    LOOP(1, long, "omp parallel for schedule(monotonic : dynamic)")
#pragma omp parallel
    {
        LOOP(2, long, "omp for schedule(monotonic : runtime)")
        LOOP(3, unsigned long long, "omp for schedule(monotonic : runtime) nowait")
    }
    for (unsigned i = 0; i < 4; i++) {
        marks_end(&marks[i], "monotonic");
    }
    if (strcmp(stepping, "plain") == 0) {
        return;
    }
    LOOP(4, long, "omp parallel for schedule(dynamic)")
    LOOP(5, long, "omp parallel for schedule(guided)")
#pragma omp parallel
    {
        LOOP(6, long, "omp for schedule(auto)")
        LOOP(7, long, "omp for schedule(guided)")
        LOOP(8, unsigned long long, "omp for schedule(dynamic) nowait")
    }
    for (unsigned i = 4; i < COUNT(marks); i++) {
        marks_end(&marks[i], "explicit");
    }
}

/* How often a thread's iterations do not increase in a loop that promises nothing. */
#define STEPS_BACK(name, directive)                                  \
    static unsigned name(void)                                       \
    {                                                                \
        unsigned back = 0;                                           \
                                                                     \
        _Pragma("omp parallel reduction(+ : back)")                  \
        {                                                            \
            long previous = -1;                                      \
            _Pragma(directive) for (long i = 0; i < ITERATIONS; i++) \
            {                                                        \
                int turns = i < ITERATIONS / 4 ? 20000 : 10;         \
                for (volatile int k = 0; k < turns; k++) {           \
                }                                                    \
                back += i < previous;                                \
                previous = i;                                        \
            }                                                        \
        }                                                            \
        return back;                                                 \
    }

STEPS_BACK(steps_back, "omp for schedule(runtime)")
STEPS_BACK(nonmonotonic_steps_back, "omp for schedule(nonmonotonic : dynamic)")
STEPS_BACK(plain_steps_back, "omp for schedule(dynamic)")

static void expect_steps_back(unsigned (*of)(void))
{
    unsigned back = 0;

    set_schedule("steal,1");
    for (int k = 0; k < 1000 && back == 0; k++) {
        back = of();
    }
    CHECK(back > 0, "steal never took from a block before the thread's own");
}

/* Without this the test would not notice if monotonic loops had nothing to ask for. */
static void others_may_step_back(void)
{
    omp_set_num_threads(4);
    expect_steps_back(steps_back);
    if (stepping[0] != '\0') {
        expect_steps_back(stepping[0] == 'p' ? plain_steps_back : nonmonotonic_steps_back);
    }
    set_schedule("monotonic:steal,1");
    for (int k = 0; k < 20; k++) {
        CHECK(steps_back() == 0, "monotonic:steal takes from a block before the thread's own");
    }
}

int main(int count, char **arguments)
{
    stepping = count > 1 ? arguments[1] : "";
    each_schedule_and_team(monotonic_loops);
    others_may_step_back();
    return check_status();
}
