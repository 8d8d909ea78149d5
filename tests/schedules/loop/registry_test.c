/* The registry: which names there are, and how they are found. */
#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "schedules/claim/plan.h"
#include "schedules/loop/registry.h"
#include "tests/support/unit.h"

/* Every name that Keel promises, with the schedule behind it. Among them gss, tss and wf2, which a
 * well-known library lacks. */
static const struct {
    const char *name;
    const struct keel_schedule *schedule;
} names[] = {
    {"static", &keel_schedule_static},
    {"ss", &keel_schedule_ss},
    {"css", &keel_schedule_css},
    {"dynamic", &keel_schedule_css},
    {"gss", &keel_schedule_gss},
    {"guided", &keel_schedule_gss},
    {"tss", &keel_schedule_tss},
    {"trapezoidal", &keel_schedule_tss},
    {"trapezoid", &keel_schedule_tss},
    {"tfss", &keel_schedule_tfss},
    {"fac2", &keel_schedule_fac2},
    {"mfac2", &keel_schedule_fac2},
    {"fac", &keel_schedule_fac},
    {"mfac", &keel_schedule_fac},
    {"wf2", &keel_schedule_wf2},
    {"fsc", &keel_schedule_fsc},
    {"awf", &keel_schedule_awf},
    {"wf", &keel_schedule_awf},
    {"awf-b", &keel_schedule_awf_b},
    {"awf-c", &keel_schedule_awf_c},
    {"awf-d", &keel_schedule_awf_d},
    {"awf-e", &keel_schedule_awf_e},
    {"af", &keel_schedule_af},
    {"maf", &keel_schedule_maf},
    {"aid", &keel_schedule_aid},
    {"rate", &keel_schedule_rate},
    {"afs", &keel_schedule_afs},
    {"affinity", &keel_schedule_afs},
    {"lds", &keel_schedule_lds},
    {"steal", &keel_schedule_steal},
    {"static_steal", &keel_schedule_steal},
    {"ich", &keel_schedule_ich},
    {"auto", &keel_schedule_auto},
    {"binlpt", &keel_schedule_binlpt},
    {"lpt", &keel_schedule_lpt},
    {"mfsc", &keel_schedule_mfsc},
    {"tap", &keel_schedule_tap},
    {"taper", &keel_schedule_tap},
    {"bold", &keel_schedule_bold},
    {"fiss", &keel_schedule_fiss},
    {"viss", &keel_schedule_viss},
    {"pls", &keel_schedule_pls},
    {"rnd", &keel_schedule_rnd},
};

#define NAMES (sizeof names / sizeof names[0])

TEST(every_name_is_found_in_any_case)
{
    for (size_t i = 0; i < NAMES; i++) {
        char upper[32];
        size_t length = strlen(names[i].name);
        for (size_t j = 0; j <= length; j++) {
            upper[j] = (char)toupper((unsigned char)names[i].name[j]);
        }
        assert_ptr_equal(keel_registry_find(names[i].name, length), names[i].schedule);
        assert_ptr_equal(keel_registry_find(upper, length), names[i].schedule);
    }
}

TEST(the_list_holds_no_other_names)
{
    size_t count = 0;

    for (size_t i = 0; keel_registry[i] != NULL; i++) {
        count++;
        for (const char *alias = keel_registry[i]->aliases; alias != NULL; count++) {
            alias = strchr(alias, ' ');
            alias = alias == NULL ? NULL : alias + 1;
        }
    }
    assert_int_equal(count, NAMES);
}

TEST(other_words_are_not_found)
{
    static const char *const words[] = {"",     "g",    "gs",       "gsss",
                                        " gss", "gss ", "dynamic ", "trapezoidal trapezoid",
                                        "awf-", "a",    "aut",      "runtime"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        assert_null(keel_registry_find(words[i], strlen(words[i])));
    }
    assert_null(keel_registry_find("gss\0", 4));
    assert_null(keel_registry_find("gs\0", 3));
}

TEST(the_length_ends_a_name)
{
    assert_ptr_equal(keel_registry_find("gss,20", 3), &keel_schedule_gss);
    assert_ptr_equal(keel_registry_find("fac2", 3), &keel_schedule_fac);
}

/* `keel list` shows all of it. */
TEST(every_schedule_explains_itself)
{
    for (size_t i = 0; keel_registry[i] != NULL; i++) {
        const struct keel_schedule *schedule = keel_registry[i];
        assert_non_null(schedule->summary);
        assert_non_null(schedule->formula);
        assert_non_null(schedule->use);
        assert_non_null(schedule->source);
        assert_true(schedule->positionals <= KEEL_POSITIONAL_MAX);
        assert_int_equal(schedule->measured & ~schedule->parameters, 0);
    }
}

/* Hooks that a kind of claim does not ask for would be lost on it, and chunks that are learned from
 * have to be timed. */
TEST(every_schedule_has_the_hooks_of_its_claims)
{
    for (size_t i = 0; keel_registry[i] != NULL; i++) {
        const struct keel_schedule *schedule = keel_registry[i];
        bool blocks = schedule->claim == KEEL_CLAIM_BLOCKS;
        if (keel_plan_exists(schedule)) {
            assert_null(schedule->take);
            assert_false(schedule->timed);
        } else {
            assert_null(schedule->size);
            assert_null(schedule->begin);
            assert_int_equal(schedule->learns != KEEL_LEARNS_NOT, schedule->timed);
        }
        if (!blocks) {
            assert_null(schedule->steal);
            assert_null(schedule->adapt);
            assert_false(schedule->steals_one_chunk);
        }
        assert_int_equal(schedule->in_order != NULL, blocks || schedule->wants_costs);
        assert_true(!blocks || schedule->in_order->claim != KEEL_CLAIM_BLOCKS);
    }
}
