/* The chunks of an instance of a loop, whoever decides about them: each thread gets exactly those
 * that its schedule has, and in the end nothing is left of the loop. */
#include "omp_ext/lending/loan.h"
#include "schedules/loop/registry.h"
#include "tests/omp_ext/loop/team.h"

/* --- chunks that are known beforehand --- */

/* The plan of each thread, and its claims. */
struct reference {
    struct keel_plan *plan[TEAM];
    struct keel_claims claims;
    struct keel_cursor cursor[TEAM];
};

/* As KEEL_WEIGHTS has them, but for their scale. */
static const double weights[TEAM] = {0.5, 1, 1.5};

static void begin_reference(struct reference *reference, const struct keel_policy *policy,
                            uint64_t units)
{
    *reference = (struct reference){0};
    for (uint32_t t = 0; t < TEAM; t++) {
        const struct keel_problem problem = {
            .spec = &policy->spec,
            .iterations = units,
            .threads = TEAM,
            .thread = t,
            .weights = weights,
        };
        reference->plan[t] = keel_plan_build(&problem, realloc, NULL);
        keel_cursor_begin(&reference->cursor[t], reference->plan[t]);
    }
}

static void end_reference(struct reference *reference)
{
    for (uint32_t t = 0; t < TEAM; t++) {
        free(reference->plan[t]);
    }
}

/* A loop of the program: iteration i has the value first + i * step, and the bound comes last. */
struct form {
    struct keel_space space;
    uint64_t first, step, bound, iterations;
};

/* The thread gets the next chunk of the reference, or nothing as there. */
static bool check_chunk(struct reference *reference, const struct form *form, uint64_t grain,
                        uint32_t thread)
{
    keel_bound start, end;
    uint64_t first, last;
    bool wanted = keel_claim(reference->plan[thread], &reference->claims,
                             &reference->cursor[thread], &first, &last);

    assert_int_equal(next_chunk(thread, &start, &end), wanted);
    if (wanted) {
        assert_int_equal(start, form->first + first * grain * form->step);
        assert_int_equal(end, last * grain >= form->iterations
                                  ? form->bound
                                  : form->first + last * grain * form->step);
    }
    return wanted;
}

static void check_loop(enum way way, const struct form *form, const struct keel_policy *policy)
{
    const struct keel_policy *run_by =
        way == ORDERED && policy->spec.schedule->claim == KEEL_CLAIM_WEIGHTED
            ? &keel_policy_factoring
            : policy;
    struct reference reference;
    bool left[TEAM] = {true, true, true};

    begin_reference(&reference, run_by, (form->iterations + policy->grain - 1) / policy->grain);
    open_by_all(way, form->space, policy);
    while (left[0] || left[1] || left[2]) {
        for (uint32_t t = 0; t < TEAM; t++) {
            left[t] = left[t] && check_chunk(&reference, form, policy->grain, t);
            assert_int_equal(loops[t].mode == KEEL_LOOP_LIBGOMP, !left[t]);
        }
    }
    for (uint32_t t = 0; t < TEAM; t++) {
        assert_null(loops[t].kept);
    }
    end_reference(&reference);
}

/* mode: by which a loop is run whose threads take chunks in any order: as quick as it may be. */
static const struct {
    const char *text;
    enum keel_loop_mode mode;
} planned[] = {
    {"static", KEEL_LOOP_OTHER},
    {"static,7", KEEL_LOOP_OTHER},
    {"ss", KEEL_LOOP_EQUAL},
    {"css,5", KEEL_LOOP_EQUAL},
    {"gss", KEEL_LOOP_STEPS},
    {"gss,3", KEEL_LOOP_STEPS},
    {"tss,20,2", KEEL_LOOP_STEPS},
    {"fac2", KEEL_LOOP_STEPS},
    {"mfsc", KEEL_LOOP_EQUAL},
    {"fac2:min=4", KEEL_LOOP_STEPS},
    {"wf2", KEEL_LOOP_WEIGHTED},
    {"fac:mu=100,sigma=50", KEEL_LOOP_STEPS},
    {"rnd", KEEL_LOOP_STEPS},
    {"css,10:grain=4", KEEL_LOOP_EQUAL},
    {"gss:grain=7", KEEL_LOOP_STEPS},
    {"wf2:grain=5", KEEL_LOOP_WEIGHTED},
    {"static:grain=6", KEEL_LOOP_OTHER},
};

#define PLANNED (sizeof planned / sizeof *planned)

IN_TEAM(chunks_are_those_of_the_plan)
{
    const struct form forms[] = {
        {keel_space_long(3, 103, 1), 3, 1, 103, 100},
        {keel_space_long(100, -51, -3), 100, (uint64_t)-3, (uint64_t)-51, 51},
        {keel_space_ull(true, UINT64_MAX - 500, UINT64_MAX, 7), UINT64_MAX - 500, 7, UINT64_MAX,
         72},
        {keel_space_ull(false, 90, 10, (keel_ull)-2), 90, (uint64_t)-2, 10, 40},
        {keel_space_long(5, 5, 1), 5, 1, 5, 0},
        {keel_space_long(5, 6, 1), 5, 1, 6, 1},
    };

    for (unsigned p = 0; p < PLANNED; p++) {
        for (unsigned f = 0; f < sizeof forms / sizeof *forms; f++) {
            for (enum way way = SEPARATE; way <= ORDERED; way++) {
                check_loop(way, &forms[f], policy_of(planned[p].text));
            }
        }
    }
}

IN_TEAM(loops_run_in_their_quickest_mode)
{
    for (unsigned p = 0; p < PLANNED; p++) {
        open_by_all(SEPARATE, keel_space_long(0, 100, 1), policy_of(planned[p].text));
        for (uint32_t t = 0; t < TEAM; t++) {
            assert_int_equal(loops[t].mode, planned[p].mode);
            run_as(t);
            keel_loop_close(&loops[t]);
        }
    }
}

/* In front of Keel's part stands what the program wants to share, as it expects. */
IN_TEAM(the_program_has_its_memory_in_the_construct)
{
    struct keel_start start = start_of(keel_space_long(0, 10, 1));
    void *memory = (void *)(uintptr_t)9;

    begin_instance();
    run_as(0);
    start.memory = &memory;
    assert_int_equal(keel_loop_open(&libgomp, &start, policy_of("ss")), KEEL_OPENED);
    assert_ptr_equal(memory, construct);
    assert_int_equal(wanted_size, 16 + sizeof(struct keel_instance));
    assert_ptr_equal(((struct keel_instance *)(void *)(construct + 16))->policy, policy_of("ss"));
    keel_loop_close(&loops[0]);
}

IN_TEAM(the_first_thread_decides)
{
    struct keel_start start = start_of(keel_space_long(0, 10, 1));
    long first, end;

    start.istart = &first;
    start.iend = &end;
    libgomp_chunks = 0;
    begin_instance();
    for (uint32_t t = 0; t < TEAM; t++) {
        run_as(t);
        assert_int_equal(
            keel_loop_open(&libgomp, &start, t == 0 ? &keel_policy_libgomp : policy_of("ss")),
            t < 2 ? KEEL_LIBGOMP_CHUNK : KEEL_LIBGOMP_NONE);
        assert_int_equal(loops[t].mode, KEEL_LOOP_LIBGOMP);
    }
    start.wide = true; /* there libgomp's start gives the first chunk */
    begin_instance();
    assert_int_equal(keel_loop_open(&libgomp, &start, &keel_policy_libgomp), KEEL_LIBGOMP_CHUNK);
    assert_int_equal(libgomp_chunks, TEAM);
}

/* Behind a loop there is no place for its state. */
IN_TEAM(a_loop_that_is_left_early_is_closed)
{
    open_by_all(SEPARATE, keel_space_long(0, 100, 1), policy_of("gss"));
    run_as(1);
    assert_true(run_chunk(1));
    assert_non_null(loops[1].kept);
    keel_loop_pass_to_libgomp();
    assert_int_equal(loops[1].mode, KEEL_LOOP_LIBGOMP);
    assert_null(loops[1].kept);
    for (uint32_t t = 0; t < TEAM; t += 2) {
        run_as(t);
        keel_loop_begin(&libgomp, &loops[t].space);
        assert_null(loops[t].kept);
    }
}

/* Loops that are observed ask libgomp's own `next`, of their own kind, until it has nothing. */
IN_TEAM(observed_loops_of_libgomp_stay_its)
{
    static const char *const names[] = {"runtime", "ordered", "wide", "wide ordered"};
    keel_bound start, end;

    for (unsigned kind = 0; kind < 4; kind++) {
        run_as(0);
        libgomp_chunks = 0;
        loops[0].libgomp = &libgomp;
        keel_loop_instrument(&loops[0], kind >= 2, kind % 2 == 1);
        for (int chunk = 0; chunk < 2; chunk++) {
            assert_true(next_chunk(0, &start, &end));
            assert_true(start == 4 && end == 5);
            assert_string_equal(libgomp_next, names[kind]);
            assert_int_equal(loops[0].mode, KEEL_LOOP_INSTRUMENTED);
        }
        assert_false(next_chunk(0, &start, &end));
        assert_int_equal(loops[0].mode, KEEL_LOOP_LIBGOMP);
    }
}

/* Without a construct of libgomp's, each thread knows its share. */
IN_TEAM(a_static_loop_needs_no_libgomp)
{
    const uint64_t bounds[TEAM + 1] = {0, 2, 3, 4};
    struct keel_start start = start_of(keel_space_long(10, 2, -2));
    long first, end;

    start.istart = &first;
    start.iend = &end;
    for (uint32_t t = 0; t < TEAM; t++) {
        keel_bound none;
        run_as(t);
        assert_int_equal(keel_loop_open_static(&libgomp, &start), KEEL_STATIC_SHARE_CHUNK);
        assert_int_equal(first, 10 - 2 * (long)bounds[t]);
        assert_int_equal(end, 10 - 2 * (long)bounds[t + 1]);
        assert_false(next_chunk(t, &none, &none));
        assert_true(keel_loop_ends_by_barrier());
        assert_false(keel_loop_ends_by_barrier());
    }
    start.space = keel_space_long(0, 2, 1);
    assert_int_equal(keel_loop_open_static(&libgomp, &start), KEEL_STATIC_SHARE_NONE);
    assert_true(keel_loop_ends_by_barrier());
    assert_int_equal(keel_loop_open_static(&libgomp, &start), KEEL_STATIC_SHARE_NONE);
    keel_loop_begin(&libgomp, &start.space); /* the loop before was cancelled */
    assert_false(keel_loop_ends_by_barrier());
}

/* Others push a plan out of the cache, which whoever runs by it still has. */
IN_TEAM(plans_stay_while_they_are_used)
{
    struct keel_plan_key key = {policy_of("gss"), 1000, TEAM, 0};
    struct keel_kept_plan *first = keel_plan_cache_acquire(&key),
                          *second = keel_plan_cache_acquire(&key);
    uint64_t bound[5];

    assert_ptr_equal(first, second);
    memcpy(bound, first->plan->bound, sizeof bound);
    keel_plan_cache_release(second);
    for (key.iterations = 1; key.iterations < 1000; key.iterations++) {
        struct keel_kept_plan *other = keel_plan_cache_acquire(&key);
        assert_int_equal(other->plan->iterations, key.iterations);
        keel_plan_cache_release(other);
    }
    assert_int_equal(first->plan->iterations, 1000);
    assert_memory_equal(first->plan->bound, bound, sizeof bound);
    keel_plan_cache_release(first);
}

/* --- adversarial schedules --- */

static unsigned sleeps, all_sleeps, brief_sleeps;

void __wrap_keel_delay_sleep(uint64_t ns);
void __wrap_keel_delay_sleep(uint64_t ns)
{
    now_ns[turn] += ns;
    sleeps++;
}

void __wrap_keel_delay_sleep_briefly(uint64_t draw);
void __wrap_keel_delay_sleep_briefly(uint64_t draw)
{
    (void)draw;
    brief_sleeps++;
}

#define VAIN_SLEEPS 4000 /* at most 8 times 500 at a place while the others do not leave the loop */

/* An instance of that number at its place. What is delayed depends on the place's name. */
static void check_instance(enum way way, unsigned number)
{
    const struct keel_policy policy = {.grain = 1};

    open_by_all(way, keel_space_long(0, 40, 1), &policy);
    run_all(40, TEAM);
    for (uint32_t t = 0; t < TEAM; t++) {
        assert_int_equal(loops[t].number, number);
    }
    if (loops[0].waits_for_partner && run.chunks[0] > 0 && run.chunks[1] == 1) {
        assert_true(loops[0].waited_ns >= 5e6); /* for its partner, who never waits */
        assert_true(loops[1].waited_ns == 0);
    }
}

/* Instances at a place have numbers from 1, which all threads agree on; threads come late, and wait
 * for others, but not for ever. Here none ever meets another one. */
IN_TEAM(checked_loops_are_numbered_and_delayed)
{
    const struct keel_policy policy = {.grain = 1};

    for (place = 1; place <= 4; place++) {
        sleeps = 0;
        for (unsigned number = 1; number <= 200; number++) {
            check_instance(number % 2 == 0 ? SEPARATE : COMBINED, number);
        }
        assert_true(sleeps <= VAIN_SLEEPS);
        all_sleeps += sleeps;
    }
    place = 1;
    assert_true(all_sleeps > 0 && brief_sleeps > 0);
    open_by_all(ORDERED, keel_space_long(0, 40, 1), &policy);
    run_all(40, TEAM);
}

/* --- loans --- */

static unsigned joins, leaves, unfinished;
static uint64_t lent;

static void *join(void *context, const struct keel_lending_thread *thread)
{
    assert_ptr_equal(context, &lent);
    assert_int_equal(thread->threads, TEAM);
    assert_int_equal(thread->thread, turn);
    assert_int_equal(thread->iterations, 40);
    assert_int_equal(thread->grain, 4);
    joins++;
    return turn == 1 ? NULL : &lent;
}

static bool lend(void *handle, uint64_t *first, uint64_t *last)
{
    assert_ptr_equal(handle, &lent);
    *first = lent;
    *last = lent += 10;
    return lent <= 40;
}

static void leave(void *handle, bool finished)
{
    assert_ptr_equal(handle, &lent);
    leaves++;
    unfinished += !finished;
}

static const struct keel_lender lender = {.join = join, .next = lend, .leave = leave};

/* All threads of the next loop come to it, whatever its form. */
static void lend_to(enum way way, struct keel_space space)
{
    const struct keel_policy *own = policy_of("gss:grain=4");
    const struct keel_lent_loop loop = {.own = own, .construct = start_of(space).construct};

    joins = leaves = unfinished = 0;
    lent = 0;
    assert_true(keel_loan_make(&lender, &lent));
    open_by_all(way, space, way == COMBINED ? keel_loan_take(&loop, space.iterations) : own);
    assert_false(keel_loan_is_pending());
}

IN_TEAM(the_next_loop_takes_the_loan)
{
    for (enum way way = SEPARATE; way <= COMBINED; way++) {
        lend_to(way, keel_space_long(0, 40, 1));
        run_all(40, TEAM);
        assert_int_equal(run.iterations[1], 0);
        assert_true(joins == TEAM && leaves == 2 && unfinished == 0);
    }
}

IN_TEAM(lent_iterations_have_the_values_of_the_loop)
{
    keel_bound start, end;

    for (enum way way = SEPARATE; way <= COMBINED; way++) {
        lend_to(way, keel_space_ull(false, 200, 42, (keel_ull)-4)); /* 40 iterations */
        for (uint64_t first = 200; first > 42; first -= 40) {
            assert_true(next_chunk(2, &start, &end));
            assert_int_equal(start, first);
            assert_int_equal(end, first == 80 ? 42 : first - 40);
        }
        assert_false(next_chunk(2, &start, &end));
        assert_true(leaves == 1 && unfinished == 0);
        run_as(0);
        keel_loop_instrument(&loops[0], true, false); /* observed or not, */
        keel_loop_close(&loops[0]);                   /* it is cancelled */
        assert_int_equal(unfinished, loops[0].lender_handle != NULL && joins == TEAM);
        run_as(1);
        keel_loop_close(&loops[1]);
    }
}

BEFORE_TESTS
{
    setenv("KEEL_CHECK", "seed=7", 1);
    setenv("KEEL_WEIGHTS", "0.002,0.004,0.006", 1);
}
