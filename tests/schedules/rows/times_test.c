/* What rows take in most phases. */
#include <math.h>
#include <stddef.h>

#include "schedules/rows/row_weights.h"
#include "tests/support/unit.h"

#define assert_close(got, wanted) assert_true(fabs((got) - (wanted)) <= 1e-12)

enum { PARTS = 10 };

static double time_s[KEEL_ROW_PARTS], error_s[KEEL_ROW_PARTS];

static void note(struct keel_row_times *times, double even_s, unsigned interrupted, double more_s)
{
    double phase_s[PARTS];

    for (unsigned i = 0; i < PARTS; i++) {
        phase_s[i] = even_s + (i == interrupted ? more_s : 0);
    }
    keel_row_times_note(times, phase_s, PARTS);
}

TEST(parts_cover_all_rows)
{
    for (uint64_t rows = 1; rows < 3000; rows++) {
        uint64_t each = keel_row_part_rows(rows), parts = keel_row_parts(rows);
        assert_in_range(parts, 1, KEEL_ROW_PARTS);
        assert_true((parts - 1) * each < rows && rows <= parts * each);
    }
}

/* Costs twice as much from two phases ago on; the same by chance, for a phase or of other lengths.
 * */
TEST(a_change_of_cost_counts_after_two_phases)
{
    struct keel_row_times times = {0};

    for (unsigned phase = 0; phase < 7; phase++) {
        note(&times, 1e-4, 5, phase == 2 ? 4e-3 : 0);
    }
    note(&times, 1e-4, 5, 1e-4);
    keel_row_times_common(&times, PARTS, time_s, error_s);
    assert_close(time_s[5], 1e-4);
    note(&times, 1e-4, 5, 1e-4);
    keel_row_times_common(&times, PARTS, time_s, error_s);
    assert_close(time_s[5], 2e-4);
    assert_close(time_s[4], 1e-4);
    assert_close(error_s[5], 0.05 * 2e-4 / sqrt(2)); /* as far as two agree */
    assert_true(error_s[4] > 0 && error_s[4] <= 0.02 * 1e-4);
}

TEST(a_long_phase_is_enough)
{
    struct keel_row_times times = {0};

    note(&times, 0.1, 4, 0.01); /* beside quanta */
    assert_true(keel_row_times_are_known(&times, PARTS));
    keel_row_times_common(&times, PARTS, time_s, error_s);
    for (unsigned i = 0; i < PARTS; i++) {
        assert_close(time_s[i], 0.1);
    }
}
