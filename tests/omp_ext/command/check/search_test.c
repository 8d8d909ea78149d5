/* Narrowing down finds sets of which nothing can be left out, and stops when it is told to. */
#include <stddef.h>
#include <stdlib.h>

#include "omp_ext/command/check/check_command.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define MEMBERS_MAX 200

static struct draws draws;

/* Differs where all culprits are in. */
struct case_of {
    size_t culprit[4], culprits;
    unsigned asked, limit; /* questions; when to stop */
};

static bool is_in(size_t wanted, const size_t *member, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (member[i] == wanted) {
            return true;
        }
    }
    return false;
}

static bool all_are_in(const size_t *member, size_t count, void *context)
{
    struct case_of *tried = context;

    tried->asked++;
    for (size_t i = 0; i < tried->culprits; i++) {
        if (!is_in(tried->culprit[i], member, count)) {
            return false;
        }
    }
    return true;
}

static bool enough(void *context)
{
    const struct case_of *tried = context;

    return tried->asked >= tried->limit;
}

static size_t fill(size_t *member, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        member[i] = i;
    }
    return count;
}

static struct case_of draw_case(size_t count)
{
    struct case_of drawn = {.culprits = 1 + draws_below(&draws, 4), .limit = ~0u};

    for (size_t i = 0; i < drawn.culprits; i++) {
        drawn.culprit[i] = draws_below(&draws, count); /* the same one twice is one */
    }
    return drawn;
}

TEST(finds_what_is_needed)
{
    size_t member[MEMBERS_MAX];

    for (int i = 0; i < 2000; i++) {
        size_t count = fill(member, 1 + draws_below(&draws, MEMBERS_MAX));
        struct case_of drawn = draw_case(count);
        assert_true(keel_delta_debug(member, &count, all_are_in, enough, &drawn));
        assert_true(all_are_in(member, count, &drawn));
        for (size_t j = 0; j < count; j++) {
            assert_true(is_in(member[j], drawn.culprit, drawn.culprits));
            assert_true(j == 0 || member[j - 1] < member[j]);
        }
    }
}

TEST(one_of_many_takes_few_questions)
{
    size_t member[128];
    size_t count = fill(member, 128);
    struct case_of last = {.culprit = {127}, .culprits = 1, .limit = ~0u};

    assert_true(keel_delta_debug(member, &count, all_are_in, NULL, &last));
    assert_int_equal(count, 1);
    assert_true(last.asked <= 14);
}

TEST(stops)
{
    size_t member[128];
    size_t count = fill(member, 128);
    struct case_of two = {.culprit = {3, 99}, .culprits = 2, .limit = 5};

    assert_false(keel_delta_debug(member, &count, all_are_in, enough, &two));
    assert_int_equal(two.asked, 5);
    assert_true(is_in(3, member, count) && is_in(99, member, count));
}

BEFORE_TESTS
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    draws = draws_begin();
}
