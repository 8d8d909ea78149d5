/* Simulated programs beside loads that come and go (the experiments, PAPERS.md S15): balancing
 * never costs much, and saves a lot. With an argument, prints a table instead. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/schedules/balance/phases.h"
#include "tests/support/draws.h"

/* 400 s on one worker each: 10 us for a point of SOR, two sweeps an iteration; a matrix is
 * multiplied five columns at a time. Rows of the product take one of A along. */
static const struct phases_program program[] = {
    {"MM 500", 500, 100, 8000, 400.0 / 500 / 100, false},
    {"SOR 1000", 1000, 80, 8000, 400.0 / 1000 / 80, true},
    {"SOR 2000", 2000, 20, 16000, 400.0 / 2000 / 20, true},
};
#define PROGRAMS (sizeof program / sizeof program[0])

static const struct phases_load undisturbed = {0};

static struct phases_machine machine_of(uint32_t workers, double bytes_per_s)
{
    return (struct phases_machine){.workers = workers,
                                   .byte_s = 1 / bytes_per_s,
                                   .message_s = 0.002,
                                   .interact_s = 0.002,
                                   .quantum_s = 0.1};
}

/* A case, and what comes of it. */
struct outcome {
    struct phases_result none, balanced;
    double longer;   /* part of the time without balancing */
    double relative; /* efficiency by the undisturbed one's without balancing */
};

static struct outcome try_case(const struct phases_program *which, const struct phases_load *load,
                               const struct phases_machine *machine, bool told)
{
    struct outcome outcome = {
        .none = phases_run(which, load, machine, false, false, false),
        .balanced = phases_run(which, load, machine, true, told, false),
    };

    outcome.longer = outcome.balanced.elapsed_s / outcome.none.elapsed_s - 1;
    outcome.relative = outcome.balanced.efficiency /
                       phases_run(which, &undisturbed, machine, false, false, false).efficiency;
    return outcome;
}

/* The published cases: periods of 60 s and 20 s, which begin with the load or without. */
static struct phases_load published_load(double period_s, bool on)
{
    return (struct phases_load){period_s, period_s / 2, on ? 0 : -period_s / 2};
}

static void for_published(void (*call)(const struct phases_program *, const struct phases_load *,
                                       const struct phases_machine *))
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        for (double bytes_per_s = 1e6; bytes_per_s < 2e8; bytes_per_s *= 10) {
            for (uint32_t workers = 2; workers <= 16; workers *= 2) {
                for (int kind = 0; kind < 4; kind++) {
                    struct phases_load load = published_load(kind < 2 ? 60 : 20, kind % 2 == 0);
                    struct phases_machine machine = machine_of(workers, bytes_per_s);
                    call(&program[i], &load, &machine);
                }
            }
        }
    }
}

/* At 1 MB/s a movement takes up to three phases, and has to be made up for within the job: a load
 * that goes away after a few phases makes a movement for it a loss, whoever decides. Of two workers
 * that have 20 phases of 10 s, each is seen in the part of a phase only that it computes in. */
static void assert_not_longer(const struct phases_program *which, const struct phases_load *load,
                              const struct phases_machine *machine)
{
    for (int told = 0; told < 2; told++) {
        struct outcome outcome = try_case(which, load, machine, told);
        double bar = machine->byte_s > 0.9e-6 ? 0.12 : machine->workers == 2 ? 0.08 : 0.05;
        if (outcome.longer > bar) {
            print_message("%s, %u workers, %g B/s, %g s: %+.1f %%\n", which->name, machine->workers,
                          1 / machine->byte_s, load->period_s, 100 * outcome.longer);
        }
        assert_true(outcome.longer <= bar);
    }
}

static void balancing_never_costs_more_than_the_bar(void **state)
{
    (void)state;
    for_published(assert_not_longer);
}

/* 1 MB/s is not fast enough: a movement takes longer than a sweep. */
static void four_workers_keep_their_efficiency(void **state)
{
    (void)state;
    for (double bytes_per_s = 1e7; bytes_per_s < 2e8; bytes_per_s *= 10) {
        for (int on = 0; on < 2; on++) {
            struct phases_load load = published_load(60, on);
            struct phases_machine machine = machine_of(4, bytes_per_s);
            struct outcome outcome = try_case(&program[1], &load, &machine, true);
            assert_true(outcome.relative >= 0.93);
            assert_true(outcome.balanced.efficiency > 0.777);
        }
    }
}

static void undisturbed_programs_lose_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROGRAMS; i++) {
        struct phases_machine machine = machine_of(8, 1e7);
        struct outcome outcome = try_case(&program[i], &undisturbed, &machine, false);
        assert_true(outcome.longer <= 0.005);
        assert_int_equal(outcome.balanced.movements, 0);
    }
}

/* A load that stays: all that is lost is until it is noticed, and what moving takes. */
static void constant_loads_are_levelled(void **state)
{
    struct phases_load load = {1e9, 1e9, 0};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (uint32_t workers = 2; workers <= 16; workers *= 2) {
            struct phases_machine machine = machine_of(workers, 1e8);
            assert_true(try_case(&program[i], &load, &machine, true).relative >= 0.95);
        }
    }
}

static void pipelined_interactions_cost_little(void **state)
{
    struct phases_program quick = {"quick", 1000, 4000, 8000, 400.0 / 1000 / 4000, true};
    struct phases_machine machine = machine_of(4, 1e7);

    (void)state;
    machine.interact_s = 0.02; /* a phase takes 0.025 s: figures are told at a hook, used at one */
    assert_true(try_case(&quick, &undisturbed, &machine, false).longer <= 0.03);
}

static double draw_log(struct draws *draws, double least, double most)
{
    return least * pow(most / least, (double)draws_below(draws, 1 << 20) / (1 << 20));
}

/* Nothing that looks back can promise 3 % for all loads: who moves once, for good reasons, and then
 * waits for two phases of a twentieth of the run with a third of it lost, has lost as much. Of
 * 100000 cases 0.4 % were beyond, and the worst one was 13 %. */
static void any_load_costs_little(void **state)
{
    struct draws draws = draws_begin();
    int beyond = 0;
    double sum = 0;

    (void)state;
    for (int times = 0; times < 1000; times++) {
        const struct phases_program *which = &program[draws_below(&draws, PROGRAMS)];
        double period_s = draw_log(&draws, 5, 200), duty = draw_log(&draws, 0.1, 0.9);
        struct phases_load load = {period_s, period_s * duty,
                                   -period_s * (double)draws_below(&draws, 1000) / 1000};
        struct phases_machine machine =
            machine_of(2 + (uint32_t)draws_below(&draws, 15), draw_log(&draws, 1e6, 1e8));
        struct outcome outcome = try_case(which, &load, &machine, draws_below(&draws, 2) > 0);
        beyond += outcome.longer > 0.03;
        sum += outcome.longer;
        assert_true(outcome.longer <= 0.25);
    }
    assert_true(beyond <= 25);
    assert_true(sum / 1000 <= -0.05);
}

static void print_case(const struct phases_program *which, const struct phases_load *load,
                       const struct phases_machine *machine)
{
    struct outcome outcome = try_case(which, load, machine, true);

    printf("%-9s %2u workers %4.0f MB/s %3.0f s from %-3s | none %6.1f s balanced %6.1f s "
           "%+6.1f %% | efficiency %.3f, %.3f of undisturbed | %2u movements, %4.1f s\n",
           which->name, machine->workers, 1e-6 / machine->byte_s, load->period_s,
           load->start_s < 0 ? "off" : "on", outcome.none.elapsed_s, outcome.balanced.elapsed_s,
           100 * outcome.longer, outcome.balanced.efficiency, outcome.relative,
           outcome.balanced.movements, outcome.balanced.moving_s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balancing_never_costs_more_than_the_bar),
        cmocka_unit_test(four_workers_keep_their_efficiency),
        cmocka_unit_test(undisturbed_programs_lose_nothing),
        cmocka_unit_test(constant_loads_are_levelled),
        cmocka_unit_test(pipelined_interactions_cost_little),
        cmocka_unit_test(any_load_costs_little),
    };

    (void)argv;
    if (argc > 1) {
        for_published(print_case);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
