/* Machine costs: their file comes back as it was written, damage costs a line and no more, and
 * measurements become medians and lines. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "omp_ext/machine/local_costs.h"
#include "omp_ext/machine/measuring.h"
#include "tests/support/messages.h"

static int begin(void **state)
{
    (void)state;
    messages = (struct messages){0};
    return 0;
}

static void assert_near(double value, double wanted)
{
    assert_true(fabs(value - wanted) <= 1e-6 * fabs(wanted));
}

/* A file of that text. */
static const char *file_of(const char *text)
{
    static char path[256];
    const char *folder = getenv("TEST_TMPDIR");

    snprintf(path, sizeof path, "%s/machine", folder != NULL ? folder : ".");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static struct keel_machine read_text(const char *text)
{
    struct keel_machine machine;

    keel_machine_begin(&machine);
    assert_true(keel_machine_read(&machine, file_of(text)));
    return machine;
}

/* --- the table --- */

static void every_cost_has_a_standard_value_and_is_found_by_its_name(void **state)
{
    struct keel_machine machine;

    (void)state;
    keel_machine_begin(&machine);
    for (unsigned i = 0; i < KEEL_MACHINE_COSTS; i++) {
        const char *name = keel_machine_costs[i].name;
        assert_int_equal(keel_machine_find(name, strlen(name)), i);
        assert_true(machine.value[i] > 0);
        assert_false(keel_machine_states(&machine, i));
    }
    assert_int_equal(keel_machine_find("pol", 3), KEEL_MACHINE_COSTS);
    assert_int_equal(keel_machine_find("polls", 5), KEEL_MACHINE_COSTS);
    assert_string_equal(keel_machine_nearest("pack_rows", 9), ", nearest is 'pack_row'");
}

static void values_are_numbers_within_limits(void **state)
{
    static const char *const wrong[] = {"",    "-1",    "nan", "inf",   "1e4",
                                        "abc", "1e-6x", " 1",  "1e-6 ", "+1"};
    struct keel_machine machine;

    (void)state;
    keel_machine_begin(&machine);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(keel_machine_set(&machine, KEEL_MACHINE_POLL, wrong[i]));
        assert_false(keel_machine_states(&machine, KEEL_MACHINE_POLL));
    }
    assert_true(keel_machine_set(&machine, KEEL_MACHINE_POLL, "0"));
    assert_true(keel_machine_set(&machine, KEEL_MACHINE_POLL, "1.5e-7"));
    assert_near(machine.value[KEEL_MACHINE_POLL], 1.5e-7);
    assert_true(keel_machine_states(&machine, KEEL_MACHINE_POLL));
}

static void the_loop_model_gets_claims_in_ns(void **state)
{
    struct keel_machine machine;

    (void)state;
    keel_machine_begin(&machine);
    keel_machine_set(&machine, KEEL_MACHINE_CLAIM_TIMED, "2e-7");
    keel_machine_set(&machine, KEEL_MACHINE_CLAIM_OWN, "5e-9");
    struct keel_claim_costs costs = keel_machine_claim_costs(&machine);
    assert_near(costs.timed_ns, 200);
    assert_near(costs.own_ns, 5);
    assert_near(costs.step_ns, 30);
    assert_near(costs.weighted_ns, 45);
    assert_near(costs.start_ns, 500);
}

/* What `auto` reckons with where it has measured nothing is what the models do. */
static void standard_claims_are_those_of_the_loop_model(void **state)
{
    struct keel_claim_costs costs = keel_predict_claim_costs(100);
    struct keel_machine machine;

    (void)state;
    keel_machine_begin(&machine);
    struct keel_claim_costs standard = keel_machine_claim_costs(&machine);
    assert_near(standard.step_ns, costs.step_ns);
    assert_near(standard.own_ns, costs.own_ns);
    assert_near(standard.weighted_ns, costs.weighted_ns);
    assert_near(standard.timed_ns, costs.timed_ns);
    assert_near(standard.start_ns, costs.start_ns);
}

/* --- the file --- */

static void a_file_comes_back_as_it_was_written(void **state)
{
    struct keel_machine machine, back;
    const char *path = file_of("");

    (void)state;
    keel_machine_begin(&machine);
    for (unsigned i = 0; i < KEEL_MACHINE_COSTS; i++) {
        if (i != KEEL_MACHINE_POLL) {
            keel_machine_state(&machine, i, 1.25e-9 * (i + 1));
        }
    }
    assert_true(keel_machine_write(&machine, path));
    keel_machine_begin(&back);
    assert_true(keel_machine_read(&back, path));
    assert_int_equal(messages.count, 0);
    assert_int_equal(back.stated, machine.stated);
    for (unsigned i = 0; i < KEEL_MACHINE_COSTS; i++) {
        assert_near(back.value[i], machine.value[i]);
    }
}

static void folders_on_the_way_are_made(void **state)
{
    struct keel_machine machine;
    struct stat status;
    char path[300];

    (void)state;
    snprintf(path, sizeof path, "%s.%ld/below/machine", file_of(""), (long)getpid());
    keel_machine_begin(&machine);
    assert_true(keel_machine_write(&machine, path));
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(messages.count, 0);
}

static void a_pipe_is_written_to_and_stays(void **state)
{
    struct keel_machine machine;
    struct stat status;
    char path[300], text[16];

    (void)state;
    snprintf(path, sizeof path, "%s.pipe", file_of(""));
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    keel_machine_begin(&machine);
    assert_true(keel_machine_write(&machine, path));
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    assert_int_equal(read(reader, text, sizeof text), sizeof text);
    close(reader);
}

static void what_cannot_be_written_is_told_once(void **state)
{
    struct keel_machine machine;
    char path[300];

    (void)state;
    snprintf(path, sizeof path, "%s/machine", file_of("")); /* below a file */
    keel_machine_begin(&machine);
    assert_false(keel_machine_write(&machine, path));
    assert_int_equal(messages.count, 1);
    assert_non_null(strstr(messages.last, "cannot be written"));
}

static void comments_and_blanks_say_nothing(void **state)
{
    struct keel_machine machine =
        read_text("# all of it\n\n  \t\n poll=1e-6# why\n\tpack_row  =  2e-6  \nmessage_byte = 0");

    (void)state;
    assert_int_equal(messages.count, 0);
    assert_near(machine.value[KEEL_MACHINE_POLL], 1e-6);
    assert_near(machine.value[KEEL_MACHINE_PACK_ROW], 2e-6);
    assert_true(machine.value[KEEL_MACHINE_MESSAGE_BYTE] == 0);
    assert_near(machine.value[KEEL_MACHINE_PACK_BYTE],
                keel_machine_costs[KEEL_MACHINE_PACK_BYTE].standard);
}

static void an_unknown_cost_is_told_with_the_nearest(void **state)
{
    struct keel_machine machine = read_text("poll = 1e-6\npack_rov = 1\n");

    (void)state;
    assert_int_equal(messages.count, 1);
    assert_non_null(
        strstr(messages.last, "line 2: unknown cost 'pack_rov', nearest is 'pack_row'"));
    assert_near(machine.value[KEEL_MACHINE_POLL], 1e-6);
    assert_false(keel_machine_states(&machine, KEEL_MACHINE_PACK_ROW));
}

static void many_wrong_lines_make_one_message(void **state)
{
    struct keel_machine machine =
        read_text("poll\n= 3\npoll = -1\n{\"poll\": 1}\ncontext_switch = 3e-6\npoll = nan\n");

    (void)state;
    assert_int_equal(messages.count, 1);
    assert_non_null(strstr(messages.last, "line 1: 'poll' is not NAME = NUMBER"));
    assert_non_null(strstr(messages.last, "4 more lines"));
    assert_near(machine.value[KEEL_MACHINE_CONTEXT_SWITCH], 3e-6);
    assert_false(keel_machine_states(&machine, KEEL_MACHINE_POLL));
}

static void bytes_that_are_no_text_make_one_message(void **state)
{
    char text[3000];

    (void)state;
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        text[i] = (char)(i * 37 % 251 + 1);
    }
    text[sizeof text - 1] = '\0';
    struct keel_machine machine = read_text(text);
    assert_int_equal(messages.count, 1);
    assert_int_equal(machine.stated, 0);
}

static void a_file_that_is_not_there_is_told_and_leaves_standards(void **state)
{
    struct keel_machine machine;

    (void)state;
    keel_machine_begin(&machine);
    assert_false(keel_machine_read(&machine, "/nowhere/machine"));
    assert_int_equal(messages.count, 1);
    assert_false(keel_machine_read(&machine, "/"));
    assert_int_equal(messages.count, 2);
    assert_int_equal(machine.stated, 0);
}

static void the_standard_place_follows_the_environment(void **state)
{
    char path[64];

    (void)state;
    setenv("HOME", "/home/somebody", 1);
    setenv("XDG_CACHE_HOME", "/cache", 1);
    assert_true(keel_machine_place(path, sizeof path));
    assert_string_equal(path, "/cache/keel/machine");
    assert_false(keel_machine_place(path, 10));
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_true(keel_machine_place(path, sizeof path));
    assert_string_equal(path, "/home/somebody/.cache/keel/machine");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_false(keel_machine_place(path, sizeof path));
}

static void nothing_is_said_where_nothing_was_kept(void **state)
{
    struct keel_machine machine;

    (void)state;
    setenv("XDG_CACHE_HOME", "/nowhere", 1);
    assert_false(keel_machine_load(&machine));
    assert_int_equal(messages.count, 0);
    assert_int_equal(machine.stated, 0);
}

/* --- measurements --- */

static void medians_and_quartiles_are_of_sorted_rounds(void **state)
{
    static const double values[] = {5, 1, 4, 2, 3};
    struct keel_measurements measurements = {0};
    const struct keel_measured *poll = &measurements.of[KEEL_MACHINE_POLL];

    (void)state;
    assert_true(keel_measuring_quantile(poll, 0.5) == 0);
    for (unsigned i = 0; i < 5; i++) {
        keel_measuring_note(&measurements, KEEL_MACHINE_POLL, values[i]);
    }
    assert_near(keel_measuring_quantile(poll, 0.5), 3);
    assert_near(keel_measuring_quantile(poll, 0.25), 2);
    assert_near(keel_measuring_quantile(poll, 0.9), 4.6);
    assert_near(keel_measuring_quantile(poll, 1), 5);
}

static void what_is_no_cost_is_no_round(void **state)
{
    struct keel_measurements measurements = {0};

    (void)state;
    keel_measuring_note(&measurements, KEEL_MACHINE_POLL, 0);
    keel_measuring_note(&measurements, KEEL_MACHINE_POLL, -1);
    keel_measuring_note(&measurements, KEEL_MACHINE_POLL, NAN);
    keel_measuring_note(&measurements, KEEL_MACHINE_POLL, INFINITY);
    assert_int_equal(measurements.of[KEEL_MACHINE_POLL].rounds, 0);
    for (unsigned i = 0; i < KEEL_MEASURING_ROUNDS + 3; i++) {
        keel_measuring_note(&measurements, KEEL_MACHINE_POLL, 1);
    }
    assert_int_equal(measurements.of[KEEL_MACHINE_POLL].rounds, KEEL_MEASURING_ROUNDS);
}

static void a_line_is_found_again(void **state)
{
    static const double size[] = {0, 100, 1000, 1e6};
    double time[4];

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        time[i] = 2e-6 + 3e-9 * size[i];
    }
    struct keel_measuring_line line = keel_measuring_fit(size, time, 4);
    assert_near(line.startup, 2e-6);
    assert_near(line.slope, 3e-9);
}

/* Large times must not drown small ones: (0, 1), (1, 2), (2, 6) with weights 1, 1/4, 1/36 have
 * sums w 46/36, wx 11/36, wxx 13/36, wt 60/36, wxt 30/36, which make 477 of determinant, 720 for
 * the slope and 450 for the startup. */
static void relative_distances_count(void **state)
{
    struct keel_measuring_line line =
        keel_measuring_fit((const double[]){0, 1, 2}, (const double[]){1, 2, 6}, 3);

    (void)state;
    assert_near(line.slope, 720. / 477);
    assert_near(line.startup, 450. / 477);
}

static void lines_have_no_negative_parts(void **state)
{
    struct keel_measuring_line falls =
        keel_measuring_fit((const double[]){1, 2}, (const double[]){2, 1}, 2);
    struct keel_measuring_line steep =
        keel_measuring_fit((const double[]){1, 2}, (const double[]){1, 4}, 2);
    struct keel_measuring_line single =
        keel_measuring_fit((const double[]){8}, (const double[]){3}, 1);

    (void)state;
    assert_true(falls.slope == 0);
    assert_near(falls.startup, (0.5 + 1) / (0.25 + 1)); /* the weighted mean */
    assert_true(steep.startup == 0);
    assert_near(steep.slope, (1 + 0.5) / (1 + 0.25)); /* x / t over (x / t)^2 */
    assert_true(single.slope == 0);
    assert_near(single.startup, 3);
}

static void rounds_travel_among_what_launchers_print(void **state)
{
    struct keel_measurements sent = {0}, received = {0};
    FILE *stream = tmpfile();

    (void)state;
    keel_measuring_note(&sent, KEEL_MACHINE_POLL, 1.5e-7);
    keel_measuring_note(&sent, KEEL_MACHINE_POLL, 2.5e-7);
    keel_measuring_note(&sent, KEEL_MACHINE_MESSAGE_STARTUP, 1e-5);
    fputs("Warning: 1 node is tired\npoll\npoll many\nrank 0\n", stream);
    keel_measuring_send(&sent, stream);
    fputs("done 5\npoll -3\n", stream);
    rewind(stream);
    keel_measuring_receive(&received, stream);
    fclose(stream);
    assert_int_equal(received.of[KEEL_MACHINE_POLL].rounds, 2);
    assert_near(received.of[KEEL_MACHINE_POLL].value[1], 2.5e-7);
    assert_int_equal(received.of[KEEL_MACHINE_MESSAGE_STARTUP].rounds, 1);
}

static void costs_that_were_not_measured_stay_in_the_file(void **state)
{
    struct keel_measurements measurements = {0};
    const char *path = file_of("message_startup = 3e-5\npoll = 1e-6\n");
    struct keel_machine machine;

    (void)state;
    keel_measuring_note(&measurements, KEEL_MACHINE_POLL, 2e-6);
    assert_true(keel_measuring_keep(&measurements, path));
    keel_machine_begin(&machine);
    assert_true(keel_machine_read(&machine, path));
    assert_near(machine.value[KEEL_MACHINE_POLL], 2e-6);
    assert_near(machine.value[KEEL_MACHINE_MESSAGE_STARTUP], 3e-5);
    assert_int_equal(messages.count, 0);
}

static void this_machine_has_costs(void **state)
{
    static const enum keel_machine_cost measured[] = {
        KEEL_MACHINE_PACK_BYTE,  KEEL_MACHINE_UNPACK_BYTE, KEEL_MACHINE_CONTEXT_SWITCH,
        KEEL_MACHINE_CLAIM_STEP, KEEL_MACHINE_CLAIM_TIMED, KEEL_MACHINE_CLAIM_START};
    struct keel_measurements measurements = {0};
    struct keel_machine machine;

    (void)state;
    keel_local_costs_measure(&measurements);
    keel_machine_begin(&machine);
    keel_measuring_take(&measurements, &machine);
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        assert_true(keel_machine_states(&machine, measured[i]));
        assert_true(machine.value[measured[i]] > 0 && machine.value[measured[i]] < 1);
    }
    assert_false(keel_machine_states(&machine, KEEL_MACHINE_MESSAGE_STARTUP));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cost_has_a_standard_value_and_is_found_by_its_name),
        cmocka_unit_test(values_are_numbers_within_limits),
        cmocka_unit_test(the_loop_model_gets_claims_in_ns),
        cmocka_unit_test(standard_claims_are_those_of_the_loop_model),
        cmocka_unit_test_setup(a_file_comes_back_as_it_was_written, begin),
        cmocka_unit_test_setup(folders_on_the_way_are_made, begin),
        cmocka_unit_test_setup(a_pipe_is_written_to_and_stays, begin),
        cmocka_unit_test_setup(what_cannot_be_written_is_told_once, begin),
        cmocka_unit_test_setup(comments_and_blanks_say_nothing, begin),
        cmocka_unit_test_setup(an_unknown_cost_is_told_with_the_nearest, begin),
        cmocka_unit_test_setup(many_wrong_lines_make_one_message, begin),
        cmocka_unit_test_setup(bytes_that_are_no_text_make_one_message, begin),
        cmocka_unit_test_setup(a_file_that_is_not_there_is_told_and_leaves_standards, begin),
        cmocka_unit_test(the_standard_place_follows_the_environment),
        cmocka_unit_test_setup(nothing_is_said_where_nothing_was_kept, begin),
        cmocka_unit_test(medians_and_quartiles_are_of_sorted_rounds),
        cmocka_unit_test(what_is_no_cost_is_no_round),
        cmocka_unit_test(a_line_is_found_again),
        cmocka_unit_test(relative_distances_count),
        cmocka_unit_test(lines_have_no_negative_parts),
        cmocka_unit_test(rounds_travel_among_what_launchers_print),
        cmocka_unit_test_setup(costs_that_were_not_measured_stay_in_the_file, begin),
        cmocka_unit_test(this_machine_has_costs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
