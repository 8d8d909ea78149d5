/* What a site measures for a schedule that lacks parameters, by whole loops of one thread: when it
 * is enough, and that nothing is added without the lock, which goes through the test. */
#include <stdbool.h>

#include "omp_ext/settings/policy.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/slow_lock.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/support/unit.h"

static int held;

void __real_keel_slow_lock(void);
void __real_keel_slow_unlock(void);
void __wrap_keel_slow_lock(void);
void __wrap_keel_slow_lock(void)
{
    __real_keel_slow_lock();
    held++;
}

void __wrap_keel_slow_unlock(void);
void __wrap_keel_slow_unlock(void)
{
    if (held != 1) {
        fail_msg("unlocked by who has not locked it");
    }
    held--;
    __real_keel_slow_unlock();
}

enum { ITERATIONS = 100 };

static const struct keel_call_site place = {.caller = &place};

static struct keel_cost cost_of(double iteration_ns)
{
    struct keel_cost cost = {0};

    keel_cost_add(&cost, ITERATIONS / 2, ITERATIONS / 2 * iteration_ns, 10);
    keel_cost_add(&cost, ITERATIONS / 2, ITERATIONS / 2 * iteration_ns, 10);
    return cost;
}

/* What the site's only measurement has seen, and its completed policy. */
static struct keel_measurement_view seen;
static struct keel_cost seen_cost;

static void look(const struct keel_measurement_view *view, void *context)
{
    seen = *view;
    seen_cost = view->cost != NULL ? *view->cost : (struct keel_cost){0};
}

static void visit(struct keel_measurements *measurements)
{
    seen = (struct keel_measurement_view){0};
    keel_slow_lock();
    keel_measurement_each(measurements, &place, look, NULL);
    keel_slow_unlock();
}

/* Its mean and deviation are not given. */
static const struct keel_policy *fac_policy(void)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_fac);

    return keel_policy_intern(&spec);
}

TEST(whole_loops_complete_a_policy)
{
    static struct keel_measurements measurements;
    const struct keel_policy *fac = fac_policy();
    struct keel_cost half = {0}, whole = cost_of(1000);

    assert_non_null(fac);
    const struct keel_policy *probe = keel_measurement_policy(&measurements, &place, fac, false);
    struct keel_measurement *measurement = probe->measurement;
    assert_true(probe != fac && measurement != NULL);
    assert_true(keel_measurement_is_wanted(measurement));
    keel_cost_add(&half, ITERATIONS / 2, ITERATIONS / 2 * 1000, 10);
    keel_measurement_add(measurement, &half, ITERATIONS, 2, 0);
    assert_int_equal(held, 0);
    visit(&measurements);
    assert_null(seen.completed); /* half of the loop */
    assert_int_equal(seen_cost.iterations, ITERATIONS / 2);
    keel_measurement_add(measurement, &whole, ITERATIONS, 2, 0);
    visit(&measurements);
    assert_non_null(seen.completed);
    assert_ptr_equal(keel_measurement_policy(&measurements, &place, fac, false), seen.completed);
    assert_int_equal(seen_cost.iterations, ITERATIONS + ITERATIONS / 2);
    for (int i = 0; i < 100 && keel_measurement_is_wanted(measurement); i++) {
        keel_measurement_add(measurement, &whole, ITERATIONS, 1, 0);
    }
    assert_false(keel_measurement_is_wanted(measurement));
    assert_int_equal(held, 0);
    assert_null(keel_measurement_policy(&measurements, &place, fac, false)->measurement);
    assert_ptr_equal(keel_measurement_policy(&measurements, &place, fac, true)->measurement,
                     measurement);
}

/* Threads may use a completed policy as long as the process runs, so none is freed: no leaks. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:make_completed\n";
}

/* A chunk lasts as long as 32 claims, of 10 ns each: one iteration of 1000 ns, or 32 of 10 ns. */
TEST(costs_that_change_by_much_complete_it_again)
{
    static struct keel_measurements measurements;
    const struct keel_policy *probe =
        keel_measurement_policy(&measurements, &place, fac_policy(), false);

    for (int i = 0; i < 40; i++) {
        const struct keel_cost cost = cost_of(i < 3 ? 1000 : 10);
        keel_measurement_add(probe->measurement, &cost, ITERATIONS, 1, 0);
        if (i < 4) {
            visit(&measurements);
            assert_int_equal(seen.completed->spec.value[KEEL_MIN].count, 1);
        }
    }
    visit(&measurements);
    assert_in_range(seen.completed->spec.value[KEEL_MIN].count, 16, 32);
}

/* A schedule that lacks nothing but its smallest chunk is measured itself. */
TEST(what_is_measured_runs_by_halves_or_as_it_is)
{
    static struct keel_measurements measurements;
    const struct keel_spec gss = keel_spec_of(&keel_schedule_gss);

    assert_ptr_equal(
        keel_measurement_policy(&measurements, &place, fac_policy(), false)->spec.schedule,
        &keel_schedule_fac2);
    const struct keel_policy *probe =
        keel_measurement_policy(&measurements, &place, keel_policy_intern(&gss), false);
    assert_ptr_equal(probe->spec.schedule, &keel_schedule_gss);
    assert_ptr_equal(probe->ordered_policy, keel_policy_intern(&gss));
}

/* Where nothing can be kept for the site. */
TEST(what_can_not_be_measured_keeps_its_grain)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_fac);

    spec.value[KEEL_GRAIN].count = 4;
    spec.given |= KEEL_BIT(KEEL_GRAIN);
    const struct keel_policy *policy = keel_measurement_unknown_policy(keel_policy_intern(&spec));
    assert_ptr_equal(policy->spec.schedule, &keel_schedule_fac2);
    assert_int_equal(policy->grain, 4);
}

/* Of a schedule that chooses: others learn from loops of all lengths. */
TEST(a_record_is_of_loops_of_about_one_length)
{
    static struct keel_site_records choosing, learning;
    const struct keel_schedule *automatic = &keel_schedule_auto, *awf = &keel_schedule_awf;
    struct keel_record *hundred = keel_record_of_team(&choosing, 2, 100, automatic);

    assert_non_null(hundred->auto_state);
    assert_ptr_equal(keel_record_of_team(&choosing, 2, 199, automatic), hundred);
    assert_ptr_equal(keel_record_of_team(&choosing, 2, 51, automatic), hundred);
    assert_ptr_not_equal(keel_record_of_team(&choosing, 3, 100, automatic), hundred);
    struct keel_record *longer = keel_record_of_team(&choosing, 2, 200, automatic);
    assert_ptr_not_equal(longer, hundred);
    assert_ptr_equal(keel_record_of_team(&choosing, 2, 141, automatic), hundred);
    assert_ptr_equal(keel_record_of_team(&choosing, 2, 142, automatic), longer);
    assert_ptr_not_equal(keel_record_of_team(&choosing, 2, 50, automatic), hundred);
    struct keel_record *none = keel_record_of_team(&choosing, 2, 0, automatic);
    assert_ptr_equal(keel_record_of_team(&choosing, 2, 1, automatic), none);
    struct keel_record *all = keel_record_of_team(&learning, 2, 100, awf);
    assert_null(all->auto_state);
    assert_ptr_equal(keel_record_of_team(&learning, 2, 5, awf), all);
}

TEST(where_there_is_no_room_the_nearest_length_will_do)
{
    static struct keel_site_records records;
    struct keel_record *last = NULL;

    for (unsigned i = 0; i < KEEL_RECORDS_MAX; i++) {
        struct keel_record *made =
            keel_record_of_team(&records, 2, UINT64_C(1) << i, &keel_schedule_auto);
        assert_ptr_not_equal(made, last);
        last = made;
    }
    assert_ptr_equal(keel_record_of_team(&records, 2, UINT64_C(1) << 50, &keel_schedule_auto),
                     last);
    assert_null(keel_record_of_team(&records, 3, 1, &keel_schedule_auto));
}
