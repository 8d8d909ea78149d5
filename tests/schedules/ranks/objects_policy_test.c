/* Whom idle ranks ask for objects: what a person may write, what it means, and what is made of
 * mistakes. */
#include <stddef.h>
#include <string.h>

#include "schedules/ranks/objects_policy.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

static struct draws draws;

static struct keel_objects_policy assert_reads(const char *text, const char *problem)
{
    struct keel_objects_policy policy;
    char got[KEEL_PROBLEM_MAX];

    if (!keel_objects_policy_read(text, &policy, got)) {
        fail_msg("'%s' is unreadable: %s", text, got);
    }
    assert_string_equal(got, problem);
    return policy;
}

TEST(knows_all_by_name)
{
    static const struct {
        const char *name;
        enum keel_objects_kind kind;
        bool looks;
    } known[] = {{"steal", KEEL_OBJECTS_STEAL, false}, {"diffuse", KEEL_OBJECTS_DIFFUSE, true},
                 {"tree", KEEL_OBJECTS_TREE, false},   {"prema", KEEL_OBJECTS_PREMA, true},
                 {"shake", KEEL_OBJECTS_SHAKE, false}, {"off", KEEL_OBJECTS_OFF, false}};
    size_t listed = 0;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct keel_objects_policy policy = assert_reads(known[i].name, "");
        assert_int_equal(policy.kind, known[i].kind);
        assert_string_equal(keel_objects_policies[policy.kind].name, known[i].name);
        assert_true(keel_objects_policy_looks(&policy) == known[i].looks);
        assert_int_equal(policy.neighbours, 4);
        assert_int_equal(policy.threshold, 1);
        assert_false(policy.stated);
    }
    while (keel_objects_policies[listed].name != NULL) {
        listed++;
    }
    assert_int_equal(listed, sizeof known / sizeof known[0]);
}

TEST(reads_parameters)
{
    assert_int_equal(assert_reads("diffuse,7", "").neighbours, 7);
    assert_true(assert_reads("diffuse:neighbours=7", "").stated);
    struct keel_objects_policy policy = assert_reads("prema,16:threshold=3", "");
    assert_int_equal(policy.neighbours, 16);
    assert_int_equal(policy.threshold, 3);
    policy = assert_reads("prema:threshold=2,neighbours=1", "");
    assert_int_equal(policy.neighbours, 1);
    assert_int_equal(policy.threshold, 2);
    assert_int_equal(assert_reads("shake:seed=9", "").seed, 9);
}

TEST(stays_in_range_whatever_is_written)
{
    static const char *const words[] = {"prema", "diffuse", "neighbours", "threshold", ",", ":",
                                        "=",     "0",       "16",         "17",        "-", "9e9",
                                        "",      " ",       "\xff",       "seed",      "1"};
    int known = 0;

    for (int round = 0; round < 20000; round++) {
        struct keel_objects_policy policy;
        char text[200] = "", problem[KEEL_PROBLEM_MAX];
        if (draws_next(&draws) % 4 != 0) {
            strcat(text, "prema:");
        }
        for (uint64_t left = 1 + draws_next(&draws) % 9; left > 0; left--) {
            strcat(text, words[draws_next(&draws) % (sizeof words / sizeof words[0])]);
        }
        if (keel_objects_policy_read(text, &policy, problem)) {
            assert_in_range(policy.neighbours, 1, 16);
            assert_true(policy.threshold >= 1);
            known++;
        }
        assert_non_null(memchr(problem, '\0', sizeof problem));
    }
    assert_true(known > 1000);
}

BEFORE_TESTS
{
    draws = draws_begin();
}
