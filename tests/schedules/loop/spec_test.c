/* Specs: what a person may write, what is made of mistakes, and what Keel writes back. */
#include <stdlib.h>
#include <string.h>

#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/support/unit.h"

static void assert_reads(const char *text, size_t length, enum keel_spec_result result,
                         const char *problem, const char *canonical)
{
    struct keel_spec spec;
    char got[KEEL_PROBLEM_MAX], written[KEEL_SPEC_TEXT_MAX];

    if (keel_spec_read(text, length, &spec, got) != result) {
        fail_msg("'%s' is read otherwise: %s", text, got);
    }
    assert_string_equal(got, problem);
    if (result != KEEL_SPEC_UNKNOWN) {
        keel_spec_write(&spec, written, sizeof written);
        assert_string_equal(written, canonical);
    }
}

/* --- good specs --- */

static const char *const good[][2] = {
    {"gss", "gss"},
    {"guided", "gss"},
    {"GSS,4", "gss,4"},
    {"Trapezoidal,100,10", "tss,100,10"},
    {"gss:4", "gss,4"},
    {"gss:min=4", "gss,4"},
    {"gss,min=4", "gss,4"},
    {"gss:MIN=4", "gss,4"},
    {"gss,0004", "gss,4"},
    {" gss ", "gss"},
    {"\tgss\n,\v4 ", "gss,4"},
    {"gss : min = 4", "gss,4"},
    {"ss,9223372036854775807", "ss,9223372036854775807"},
    {"tss:last=5", "tss:last=5"},
    {"tss:last=5,first=9", "tss,9,5"},
    {"tss,9:last=5:min=2", "tss,9,5:min=2"},
    {"tss,last=5,9", "tss,9,5"},
    {"fac:mu=120,sigma=30", "fac:mu=120,sigma=30"},
    {"fac:sigma=30:mu=120", "fac:mu=120,sigma=30"},
    {"fac,3:mu=.5,sigma=1e2", "fac,3:mu=0.5,sigma=100"},
    {"mfac", "fac"},
    {"tap:alpha=0", "tap:alpha=0"},
    {"bold:mu=1,sigma=2.5,overhead=3", "bold:mu=1,sigma=2.5,overhead=3"},
    {"rnd:min=4,seed=7", "rnd,4:seed=7"},
    {"rnd:seed=18446744073709551615", "rnd:seed=18446744073709551615"},
    {"rnd:seed=0", "rnd:seed=0"},
    {"fiss:stages=1000000", "fiss:stages=1000000"},
    {"pls:ratio=1", "pls:ratio=1"},
    {"css:chunk=3,min=8", "css,3:min=8"},
    {"static:min=3", "static:min=3"},
    {"monotonic:gss,4", "gss,4"},
    {"monotonic:steal,4", "monotonic:steal,4"},
    {"nonmonotonic:steal", "steal"},
    {"nonmonotonic:dynamic,4", "css,4"},
    {" Monotonic : Static , 4 ", "static,4"},
};

TEST(good_specs_are_read_as_written)
{
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_reads(good[i][0], strlen(good[i][0]), KEEL_SPEC_GOOD, "", good[i][1]);
    }
}

TEST(unstated_parameters_have_their_defaults)
{
    struct keel_spec spec, defaults = keel_spec_of(&keel_schedule_tap);
    char problem[KEEL_PROBLEM_MAX];

    keel_spec_read("tap", 3, &spec, problem);
    assert_true(keel_spec_equal(&spec, &defaults));
    assert_int_equal(spec.given, 0);
    assert_int_equal(spec.value[KEEL_MIN].count, 1);
    assert_int_equal(spec.value[KEEL_LAST].count, 1);
    assert_int_equal(spec.value[KEEL_SEED].count, 1);
    assert_true(spec.value[KEEL_ALPHA].real == 1.3);
    assert_true(spec.value[KEEL_RATIO].real == 0.5);
    assert_true(keel_spec_of(&keel_schedule_aid).value[KEEL_RATIO].real == 0.8);
    assert_int_equal(keel_spec_unmeasured(&spec), KEEL_BIT(KEEL_MU) | KEEL_BIT(KEEL_SIGMA));
    assert_int_equal(keel_spec_accepts(spec.schedule),
                     KEEL_BIT(KEEL_MIN) | KEEL_BIT(KEEL_GRAIN) | KEEL_BIT(KEEL_MU) |
                         KEEL_BIT(KEEL_SIGMA) | KEEL_BIT(KEEL_ALPHA));
}

TEST(specs_differ_in_schedule_values_or_what_was_given)
{
    struct keel_spec gss = keel_spec_of(&keel_schedule_gss);
    struct keel_spec other = gss;

    assert_true(keel_spec_equal(&gss, &other));
    other.schedule = &keel_schedule_ss;
    assert_false(keel_spec_equal(&gss, &other));
    other = gss;
    other.value[KEEL_MIN].count = 2;
    assert_false(keel_spec_equal(&gss, &other));
    other = gss;
    other.given = KEEL_BIT(KEEL_MIN);
    assert_false(keel_spec_equal(&gss, &other));
}

/* --- mistakes --- */

#define NO_MIN(text) "min '" text "' is not a whole number from 1 to 9223372036854775807; using 1"
#define NO_CHUNK(text) \
    "chunk '" text     \
    "' is not a whole number from 1 to 9223372036854775807; using the schedule's default"
#define NO_MU(text) "mu '" text "' is not a number from 0.001 to 1e+18; measuring it"
#define DIGITS_40 "1111111111111111111111111111111111111111"
#define LETTERS_40 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static const struct {
    const char *text, *problem, *canonical;
} mended[] = {
    {"gss,abc", NO_MIN("abc"), "gss"},
    {"gss,", NO_MIN(""), "gss"},
    {"gss,0", NO_MIN("0"), "gss"},
    {"gss,-3", NO_MIN("-3"), "gss"},
    {"gss,9223372036854775808", NO_MIN("9223372036854775808"), "gss"},
    {"gss," DIGITS_40, NO_MIN(DIGITS_40), "gss"},
    {"gss," DIGITS_40 "1", NO_MIN(DIGITS_40), "gss"}, /* shown by its first 40 */
    {"gss,\xd9\xa3", NO_MIN("\xd9\xa3"), "gss"},      /* a digit, but not of ASCII */
    {"gss:min=1=2", NO_MIN("1=2"), "gss"},
    {"static,x", NO_CHUNK("x"), "static"},
    {"tss,a,5",
     "first 'a' is not a whole number from 1 to 9223372036854775807; using the schedule's default",
     "tss:last=5"},
    {"tss,5,b", "last 'b' is not a whole number from 1 to 9223372036854775807; using 1", "tss,5"},
    {"fiss:stages=1",
     "stages '1' is not a whole number from 2 to 1000000; using the schedule's default", "fiss"},
    {"rnd:seed=x", "seed 'x' is not a whole number from 0 to 18446744073709551615; using 1", "rnd"},
    {"rnd:seed=18446744073709551616",
     "seed '18446744073709551616' is not a whole number from 0 to 18446744073709551615; using 1",
     "rnd"},
    {"fac:mu=0", NO_MU("0"), "fac"},
    {"fac:mu=-1", NO_MU("-1"), "fac"},
    {"fac:mu=1e19", NO_MU("1e19"), "fac"},
    {"fac:sigma=x,mu=3", "sigma 'x' is not a number from 0 to 1e+18; measuring it", "fac:mu=3"},
    {"bold:overhead=-0.5", "overhead '-0.5' is not a number from 0 to 1e+18; measuring it", "bold"},
    {"tap:alpha=-1", "alpha '-1' is not a number from 0 to 1e+06; using 1.3", "tap"},
    {"pls:ratio=1.01", "ratio '1.01' is not a number from 0 to 1; using 0.5", "pls"},
    {"aid:ratio=1.01", "ratio '1.01' is not a number from 0 to 1; using 0.8", "aid"},

    {"gss,3,4", "gss takes at most 1 value by position; '4' is ignored", "gss,3"},
    {"fiss,3,4", "fiss takes at most 1 value by position; '4' is ignored", "fiss,3"},
    {"tss,9,5,2", "tss takes at most 2 values by position; '2' is ignored", "tss,9,5"},
    {"gss,3,", "gss takes at most 1 value by position; '' is ignored", "gss,3"},

    {"gss,3,min=4", "min is given twice; the first is used", "gss,3"},
    {"gss:min=4,3", "min is given twice; the first is used", "gss,4"},
    {"fac:mu=4:mu=x", "mu is given twice; the first is used", "fac:mu=4"},

    {"gss:chunk=3", "gss has no parameter 'chunk'; ignored", "gss"},
    {"gss:=3", "gss has no parameter ''; ignored", "gss"},
    {"fac:sigm=1,mu=2", "fac has no parameter 'sigm', nearest is 'sigma'; ignored", "fac:mu=2"},
    {"fac:M=1", "fac has no parameter 'M', nearest is 'mu'; ignored", "fac"},
    {"fac:alpha=1", "fac has no parameter 'alpha'; ignored", "fac"},
    {"tss:frist=1", "tss has no parameter 'frist', nearest is 'first'; ignored", "tss"},
    {"css:chnk=2", "css has no parameter 'chnk', nearest is 'chunk'; ignored", "css"},
    {"bold:" LETTERS_40 "x=2", "bold has no parameter '" LETTERS_40 "'; ignored", "bold"},

    /* only the first mistake is named, all of them are mended */
    {"gss:foo=1,min=0", "gss has no parameter 'foo'; ignored", "gss"},
    {"gss,x,y,min=5", NO_MIN("x"), "gss,5"},
};

TEST(mistakes_are_named_and_mended)
{
    for (size_t i = 0; i < sizeof mended / sizeof mended[0]; i++) {
        assert_reads(mended[i].text, strlen(mended[i].text), KEEL_SPEC_CORRECTED, mended[i].problem,
                     mended[i].canonical);
    }
}

static const char *const unknown[][2] = {
    {"gsx", "unknown schedule 'gsx', nearest is 'gss'"},
    {"", "unknown schedule ''"},
    {"   ", "unknown schedule ''"},
    {",", "unknown schedule ''"},
    {"guidedd,4", "unknown schedule 'guidedd', nearest is 'guided'"},
    {"FAC22:min=3", "unknown schedule 'FAC22', nearest is 'fac2'"},
    {"gss=5", "unknown schedule 'gss=5', nearest is 'gss'"},
    {"gss tss", "unknown schedule 'gss tss', nearest is 'gss'"},
    {"monotonic:", "unknown schedule ''"},
    {"monotonic:monotonic:gss", "unknown schedule 'monotonic'"},
    {"monotonic,gss", "unknown schedule 'monotonic'"},
    {"g\xc3\xa9s", "unknown schedule 'g\xc3\xa9s'"},
    {LETTERS_40 "xyz", "unknown schedule '" LETTERS_40 "'"},
};

TEST(unknown_names_leave_the_spec_alone)
{
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        struct keel_spec spec, before;
        char problem[KEEL_PROBLEM_MAX];
        memset(&spec, 0x5a, sizeof spec);
        before = spec;
        assert_int_equal(keel_spec_read(unknown[i][0], strlen(unknown[i][0]), &spec, problem),
                         KEEL_SPEC_UNKNOWN);
        assert_string_equal(problem, unknown[i][1]);
        assert_memory_equal(&spec, &before, sizeof spec);
    }
}

/* --- text that is no text --- */

TEST(only_length_bytes_are_read)
{
    static const char text[] = "gss,123456";
    char *exact = malloc(6); /* the address sanitizer sees a byte too many */

    memcpy(exact, text, 6);
    assert_reads(exact, 6, KEEL_SPEC_GOOD, "", "gss,12");
    assert_reads(exact, 4, KEEL_SPEC_CORRECTED, NO_MIN(""), "gss");
    assert_reads(exact, 3, KEEL_SPEC_GOOD, "", "gss");
    assert_reads(exact, 2, KEEL_SPEC_UNKNOWN, "unknown schedule 'gs', nearest is 'ss'", NULL);
    assert_reads(exact, 0, KEEL_SPEC_UNKNOWN, "unknown schedule ''", NULL);
    free(exact);
}

TEST(overlong_text_is_refused_or_mended)
{
    enum { SIZE = 1 << 20 };
    static char text[SIZE];

    memset(text, 'x', SIZE);
    assert_reads(text, SIZE, KEEL_SPEC_UNKNOWN, "unknown schedule '" LETTERS_40 "'", NULL);
    memcpy(text, "gss,", 4);
    memset(text + 4, '1', SIZE - 4);
    assert_reads(text, SIZE, KEEL_SPEC_CORRECTED, NO_MIN(DIGITS_40), "gss");
    memset(text + 3, ',', SIZE - 3);
    assert_reads(text, SIZE, KEEL_SPEC_CORRECTED, NO_MIN(""), "gss");
    memset(text, ' ', SIZE - 3);
    memcpy(text + SIZE - 3, "gss", 3);
    assert_reads(text, SIZE, KEEL_SPEC_GOOD, "", "gss");
}

/* A program with a decimal comma or a Turkish i is no reason to read otherwise. */
TEST_WITH(the_locale_of_the_program_does_not_matter, NULL, back_to_c_locale)
{
    enter_turkish_locale();
    assert_reads("STATIC:MIN=2", 12, KEEL_SPEC_GOOD, "", "static:min=2");
    assert_reads("fac:mu=1.5", 10, KEEL_SPEC_GOOD, "", "fac:mu=1.5");
    assert_reads("pls:ratio=7", 11, KEEL_SPEC_CORRECTED,
                 "ratio '7' is not a number from 0 to 1; using 0.5", "pls");
    assert_turkish_locale();
}

/* --- writing --- */

/* As long as a spec can get. */
TEST(the_longest_spec_fits)
{
    for (size_t i = 0; keel_registry[i] != NULL; i++) {
        struct keel_spec spec = keel_spec_of(keel_registry[i]);
        spec.given = keel_spec_accepts(spec.schedule);
        for (int j = 0; j < KEEL_PARAMETERS; j++) {
            if (keel_parameters[j].kind == KEEL_COUNT) {
                spec.value[j].count = UINT64_MAX;
            } else {
                spec.value[j].real = -1.2345678901234567e-300; /* longer than any in range */
            }
        }
        assert_true(keel_spec_write(&spec, NULL, 0) < KEEL_SPEC_TEXT_MAX);
    }
}

TEST(short_rooms_are_respected)
{
    static const char wanted[] = "bold,12:mu=0.5,sigma=100,overhead=7";
    struct keel_spec spec;
    char problem[KEEL_PROBLEM_MAX];

    assert_int_equal(keel_spec_read(wanted, strlen(wanted), &spec, problem), KEEL_SPEC_GOOD);
    assert_int_equal(keel_spec_write(&spec, NULL, 0), strlen(wanted));
    for (size_t size = 0; size <= sizeof wanted + 2; size++) {
        char text[sizeof wanted + 4];
        size_t kept = size == 0 ? 0 : size <= strlen(wanted) ? size - 1 : strlen(wanted);
        memset(text, '#', sizeof text);
        assert_int_equal(keel_spec_write(&spec, text, size), strlen(wanted));
        assert_memory_equal(text, wanted, kept);
        if (size > 0) {
            assert_int_equal(text[kept], '\0');
        }
        for (size_t i = size; i < sizeof text; i++) {
            assert_int_equal(text[i], '#');
        }
    }
}
