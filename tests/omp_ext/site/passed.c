/* Short regions that Keel passes on to libgomp as they are: which ones are, and what ends it.
 *
 *   passed CASE
 *
 * Built with the plugin. The function that a region has become knows who has called it: libgomp
 * where the region was passed on, libkeel.so where it runs under Keel. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <keel.h>
#include <omp.h>

#include "tests/support/checks.h"

enum { SHORT = 64, LONG = 100000, TRIES = 3000 };

/* What a region is asked to do. */
struct work {
    int length, threads;
    bool runtime; /* there is one more loop, whose schedule is schedule(runtime) */
    unsigned sleep_us;
};

static bool is_keels(const void *address)
{
    Dl_info info;

    return dladdr(address, &info) != 0 && strstr(info.dli_fname, "libkeel") != NULL;
}

/* Whether the region was passed on. Its loops run each iteration once in any case. */
static bool run(const struct work *work)
{
    struct marks bare = marks_of((uint64_t)work->length),
                 runtime = marks_of(work->runtime ? (uint64_t)work->length : 0);
    bool passed = false;
    int threads = 0;

#pragma omp parallel num_threads(work->threads)
    {
        if (omp_get_thread_num() == 0) {
            passed = !is_keels(__builtin_return_address(0));
            threads = omp_get_num_threads();
        }
        if (work->sleep_us > 0) {
            usleep(work->sleep_us);
        }
#pragma omp for
        for (int i = 0; i < work->length; i++) {
            marks_hit(&bare, (uint64_t)i);
        }
        if (work->runtime) {
#pragma omp for schedule(runtime)
            for (int i = 0; i < work->length; i++) {
                marks_hit(&runtime, (uint64_t)i);
            }
        }
    }
    CHECK(threads == work->threads, "a team of %d", threads);
    marks_end(&bare, "a bare loop");
    marks_end(&runtime, "a loop with schedule(runtime)");
    return passed;
}

/* Instances until one is passed on; TRIES: none was. */
static int until_passed(const struct work *work)
{
    int tries = 0;

    while (tries < TRIES && !run(work)) {
        tries++;
    }
    return tries;
}

static const struct work usual = {SHORT, 2, false, 0};

static void a_short_region(void)
{
    int tries = until_passed(&usual);

    CHECK(tries >= 8, "passed on after %d instances", tries);
    CHECK(tries < TRIES, "never passed on");
    dlclose(dlopen(NULL, RTLD_LAZY)); /* another library may be there now */
    CHECK(!run(&usual), "passed on after a library has gone");
    CHECK(until_passed(&usual) < TRIES, "not passed on any more");
}

static void no_region(const struct work *work)
{
    for (int i = 0; i < 200; i++) {
        CHECK(!run(work), "instance %d was passed on", i);
    }
}

/* Passed on as usual, the region has another loop: the next one is under Keel again. */
static void not_after(const struct work *other)
{
    CHECK(until_passed(&usual) < TRIES, "never passed on");
    if (!run(other)) { /* an instance that looks again comes between */
        CHECK(until_passed(&usual) < TRIES, "never passed on again");
        run(other);
    }
    CHECK(!run(&usual), "still passed on");
    CHECK(until_passed(&usual) < TRIES, "not passed on any more");
}

static void costs_are_given(void)
{
    static double costs[SHORT];

    CHECK(until_passed(&usual) < TRIES, "never passed on");
    keel_set_costs(costs, SHORT);
    no_region(&usual);
    keel_set_costs(NULL, 0);
    CHECK(until_passed(&usual) < TRIES, "never passed on again");
}

/* Regions within a region that is passed on. Four threads are slow on a busy machine. */
static void nested(void)
{
    int inner_passed = 0, both = 0;

    omp_set_max_active_levels(2);
    for (int i = 0; i < 10 * TRIES && both == 0; i++) {
        bool outer_passed = false;
#pragma omp parallel num_threads(2) reduction(+ : inner_passed)
        {
            if (omp_get_thread_num() == 0) {
                outer_passed = !is_keels(__builtin_return_address(0));
            }
            inner_passed += run(&usual);
        }
        both += outer_passed && inner_passed > 0;
    }
    CHECK(both > 0, "never passed on one in the other");
}

/* While a team is in a region, no loop comes to divide itself: the regions within it need Keel.
 * When the team has joined, they are passed on. */
static void within(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < 2; i++) {
            usleep(1);
        }
        for (int i = 0; i < 200; i++) {
            CHECK(!run(&usual), "instance %d was passed on", i);
        }
        CHECK(is_keels(__builtin_return_address(0)), "all is passed on");
    }
    CHECK(until_passed(&usual) < TRIES, "never passed on");
}

/* Regions of one thread in the body of a serial loop, which goes on behind one that was passed on
 * and has come to a loop for Keel. */
static void serial(void)
{
    const struct work bare = {SHORT, 1, false, 0}, asks = {SHORT, 1, true, 0};
    struct marks iterations = marks_of(SHORT);

    CHECK(until_passed(&bare) < TRIES, "never passed on");
#pragma omp for schedule(runtime)
    for (int i = 0; i < SHORT; i++) {
        run(i % 16 == 15 ? &asks : &bare);
        marks_hit(&iterations, (uint64_t)i);
    }
    marks_end(&iterations, "the serial loop");
}

static const struct {
    const char *name;
    void (*check)(void);
} cases[] = {
    {"short", a_short_region}, {"costs", costs_are_given}, {"nested", nested},
    {"within", within},        {"serial", serial},
};

static const struct {
    const char *name;
    struct work work;
} others[] = {
    {"runtime", {SHORT, 2, true, 0}},
    {"longer", {LONG, 2, false, 0}},
};

int main(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "";

    check_any_order = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(name, cases[i].name) == 0) {
            cases[i].check();
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strcmp(name, others[i].name) == 0) {
            not_after(&others[i].work);
        }
    }
    if (strcmp(name, "never") == 0) {
        no_region(&usual);
    } else if (strcmp(name, "sleeps") == 0) {
        no_region(&(struct work){SHORT, 2, false, 300});
    }
    return check_status();
}
