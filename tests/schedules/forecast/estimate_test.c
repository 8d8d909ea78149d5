/* Estimates of how long the rest of a loop takes, by hand. */
#include <stddef.h>

#include "schedules/forecast/predict.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

/* Each worker gets 500 of 1000 iterations of 10 ns, in 4 chunks of 5 ns, and is as much longer as
 * chance has it; the second one is twice as fast. */
TEST(dealt_chunks_take_what_chance_adds)
{
    const struct keel_estimate_rest rest = {.iterations = 1000,
                                            .iteration_ns = 10,
                                            .deviation_ns = 2,
                                            .claim_ns = 5,
                                            .chunks = 7,
                                            .last_chunk = 100};

    for (unsigned run = 0; run < 10; run++) {
        struct keel_forecast_worker worker[2] = {{.speed = 1, .thread = 0},
                                                 {.speed = 2, .thread = 1, .clock_ns = 50}};
        double longer_ns = keel_estimate_dealt(&rest, worker, 2, run);
        double first_ns = worker[0].busy_ns - 20 - 5000, second_ns = 2 * (worker[1].busy_ns - 20);
        assert_true(longer_ns != 0);
        assert_true(is_within(first_ns + second_ns - 5000, longer_ns, 1e-6));
        assert_near(worker[0].clock_ns, worker[0].busy_ns);
        assert_near(worker[1].clock_ns, 50 + worker[1].busy_ns);
    }
}

/* 100 iterations of 10 ns, speeds 1 and 3: 250 ns, but for a thread that comes at 1000. */
TEST(shared_chunks_go_by_speed)
{
    const struct keel_estimate_rest rest = {
        .iterations = 100, .iteration_ns = 10, .chunks = 100, .last_chunk = 1};
    struct keel_forecast_worker worker[3] = {
        {.speed = 1}, {.speed = 3, .thread = 1}, {.speed = 1, .thread = 2, .clock_ns = 1000}};

    assert_true(keel_estimate_shared(&rest, worker, 3) >= 250);
    assert_near(worker[0].clock_ns, 250);
    assert_near(worker[1].busy_ns, 250);
    assert_true(worker[2].clock_ns == 1000 && worker[2].busy_ns == 0);
}
