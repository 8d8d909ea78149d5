/* Whom idle ranks ask for objects: what a person may write, what it means, and what is made of
 * mistakes. */
#include <stddef.h>
#include <string.h>

#include "schedules/ranks/policies.h"
#include "tests/support/unit.h"

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

TEST(mends_parameters)
{
    assert_int_equal(
        assert_reads("diffuse,17", "neighbours '17' is not a whole number from 1 to 16; using 4")
            .neighbours,
        4);
    assert_int_equal(
        assert_reads("prema:threshold=0",
                     "threshold '0' is not a whole number from 1 to 18446744073709551615; using 1")
            .threshold,
        1);
    assert_int_equal(
        assert_reads("shake:seed=-1",
                     "seed '-1' is not a whole number from 0 to 18446744073709551615; using 1")
            .seed,
        1);
    assert_reads("steal:threshold=2", "steal has no parameters; 'threshold' is ignored");
}
