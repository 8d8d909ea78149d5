/* The model of over-decomposed objects: in any situation, and where something is singular. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "schedules/model/objects_bounds.h"
#include "tests/schedules/model/objects_cases.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

/* --- any situation --- */

static void check_terms(const struct keel_objects_terms *terms)
{
    const double *number = (const double *)terms;

    for (size_t i = 0; i < sizeof(*terms) / sizeof(double); i++) {
        assert_true(number[i] >= 0); /* and no NaN */
    }
    assert_true(is_near_unit(
        terms->total_s, terms->work_s + terms->thread_s + terms->application_s + terms->request_s +
                            terms->migration_s + terms->decision_s - terms->overlap_s));
}

static void check_sound(const struct keel_objects_forecast *forecast)
{
    const struct keel_objects_bound *bounds[] = {&forecast->lower, &forecast->upper};

    for (int i = 0; i < 2; i++) {
        check_terms(&bounds[i]->overloaded);
        check_terms(&bounds[i]->underloaded);
        assert_true(bounds[i]->total_s ==
                    fmax(bounds[i]->overloaded.total_s, bounds[i]->underloaded.total_s));
        assert_true(bounds[i]->rounds >= 0 && bounds[i]->locate_s >= 0);
    }
    assert_true(forecast->lower.total_s <= forecast->average_s * (1 + 1e-12));
    assert_true(forecast->average_s <= forecast->upper.total_s * (1 + 1e-12));
    assert_true(forecast->ideal_s >= 0 && forecast->unbalanced_s >= 0);
}

static double some(struct draws *draws, double most)
{
    return draws_below(draws, 3) == 0 ? 0 : most * (double)draws_below(draws, 100) / 100;
}

static struct keel_objects draw(struct draws *draws)
{
    return (struct keel_objects){
        .processors = 1 + (uint32_t)draws_below(draws, 20),
        .neighbourhood = (uint32_t)draws_below(draws, 8),
        .handshakes = (uint32_t)draws_below(draws, 4),
        .early = draws_below(draws, 2),
        .quantum_s = some(draws, 1),
        .context_s = some(draws, 0.01),
        .poll_s = some(draws, 0.01),
        .message_s = some(draws, 0.1),
        .byte_s = some(draws, 0.001),
        .request_bytes = some(draws, 10),
        .task_bytes = some(draws, 100),
        .task_messages = some(draws, 3),
        .task_message_bytes = some(draws, 100),
        .uninstall_s = some(draws, 0.1),
        .pack_s = some(draws, 0.1),
        .unpack_s = some(draws, 0.1),
        .install_s = some(draws, 0.1),
        .decision_s = some(draws, 0.1),
        .request_s = some(draws, 0.1),
        .overlap = some(draws, 1),
    };
}

static int by_weight(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

TEST(bounds_and_terms_of_any_situation)
{
    struct draws draws = draws_begin();

    for (int times = 0; times < 1000; times++) {
        double weight[100], work = 0;
        uint64_t tasks = 1 + draws_below(&draws, 100);
        struct keel_objects objects = draw(&draws);
        for (uint64_t i = 0; i < tasks; i++) {
            weight[i] = some(&draws, 5);
            work += weight[i];
        }
        qsort(weight, tasks, sizeof(double), by_weight);
        assert_true(keel_bimodal_split(weight, tasks, &objects.classes));
        struct keel_objects_forecast forecast = predict(&objects);
        check_sound(&forecast);
        assert_int_equal(forecast.overloaded + forecast.underloaded, objects.processors);
        assert_true(is_near_unit(forecast.ideal_s, work / objects.processors));
        objects.weight = weight;
        forecast = predict(&objects);
        check_sound(&forecast);
        assert_int_equal(forecast.overloaded + forecast.underloaded, objects.processors);
        assert_true(is_near_unit(forecast.ideal_s, work / objects.processors));
        assert_true(forecast.ideal_s <= forecast.lower.total_s * (1 + 1e-12));
        assert_true(forecast.lower.total_s >= weight[tasks - 1]);
        assert_true(forecast.lower.locate_s == 0 && forecast.upper.locate_s == 0);
    }
}

/* --- what is singular --- */

TEST(nothing_to_do_is_refused)
{
    struct keel_objects objects = plain(0, 3, 3);
    struct keel_objects_forecast forecast = {.overloaded = 7, .average_s = 7};

    assert_false(keel_objects_predict(&objects, &forecast, NULL));
    assert_true(forecast.overloaded == 0 && forecast.average_s == 0);
    objects = plain(3, 0, 0);
    assert_false(keel_objects_predict(&objects, &forecast, NULL));
}
