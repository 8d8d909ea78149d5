/* What is saved is found again, by later runs and beside other programs. */
#define _GNU_SOURCE
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/memory/memory_parts.h"
#include "tests/omp_ext/store/folder.h"
#include "tests/omp_ext/store/states.h"

/* --- files --- */

static int files_in_folder(void)
{
    char command[2 * sizeof folder + 64];
    int count = -1;

    snprintf(command, sizeof command, "ls -A '%s' | wc -l", folder);
    FILE *pipe = popen(command, "r");
    assert_int_equal(fscanf(pipe, "%d", &count), 1);
    pclose(pipe);
    return count;
}

/* --- what is kept --- */

IN_FOLDER(states_come_back_to_the_last_bit)
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct keel_memory_state state = state_of(0, seed << 40, 1 + seed * 3, seed);
        save_run(false, &state, 1);
        assert_true(is_remembered(&state));
    }
}

IN_FOLDER(extreme_numbers_come_back)
{
    struct keel_memory_state state = state_of(0, INT64_MAX, 3, 1);

    state.key.outlined = 0;
    state.instances = INT64_MAX;
    state.choice = "";
    state.choice_ns = DBL_TRUE_MIN;
    state.cost.time_ns = 1e18;
    state.cost.square_ns2 = nextafter(1e36, 0);
    state.thread[0].mean_ns = DBL_MIN;
    state.thread[1].mean_ns = 0.1;
    state.thread[2].bound = 1;
    state.profile.cost[5] = 1 + DBL_EPSILON;
    save_run(false, &state, 1);
    assert_true(is_remembered(&state));
}

IN_FOLDER(a_missing_file_and_an_empty_one_remember_nothing)
{
    struct keel_memory_state state = state_of(0, 1, 2, 1);
    struct keel_memory_file *memory = open_good(false);

    assert_null(keel_memory_find(memory, &state.key));
    assert_int_equal(files_in_folder(), 0);
    save_good(memory, &state, 1);
    keel_memory_close(memory);
    assert_true(is_remembered(&state));

    put_text("");
    assert_false(is_remembered(&state));
    save_run(false, &state, 1);
    assert_true(is_remembered(&state));
}

IN_FOLDER(each_part_of_the_key_counts)
{
    struct keel_memory_state state = state_of(0, 7, 4, 1),
                             others[5] = {state, state, state, state, state};

    save_run(false, &state, 1);
    others[0].key.module = "another:99";
    others[1].key.caller++;
    others[2].key.outlined++;
    others[3].key.schedule = "rate,9";
    others[4].key.threads = 3;
    for (int i = 0; i < 5; i++) {
        assert_false(is_remembered(&others[i]));
    }
    save_run(false, others, 5);
    assert_true(is_remembered(&state));
    for (int i = 0; i < 5; i++) {
        assert_true(is_remembered(&others[i]));
    }
}

IN_FOLDER(a_later_run_replaces_what_it_knows_and_keeps_the_rest)
{
    struct keel_memory_state old = state_of(0, 1, 2, 1), new = state_of(1, 1, 2, 2), other;

    save_run(false, &old, 1);
    other = state_of(0, 2, 5, 3);
    save_run(false, &other, 1);
    save_run(false, &new, 1);
    assert_true(is_remembered(&new));
    assert_true(is_remembered(&other));
}

/* As ranks of one program do, that are all told to. */
IN_FOLDER(runs_that_overlap_replace_only_once)
{
    struct keel_memory_state old = state_of(0, 9, 2, 9), first, second;

    save_run(false, &old, 1);
    struct keel_memory_file *a = open_good(true), *b = open_good(true);
    first = state_of(0, 1, 2, 1);
    second = state_of(1, 2, 2, 2);
    assert_null(keel_memory_find(a, &old.key));
    save_good(a, &first, 1);
    save_good(b, &second, 1);
    keel_memory_close(a);
    keel_memory_close(b);
    assert_true(is_remembered(&first));
    assert_true(is_remembered(&second));
    old = state_of(0, 9, 2, 9);
    assert_false(is_remembered(&old));
}

#define WRITERS 6
#define SAVES 5

static int save_several(uint64_t writer)
{
    char problem[KEEL_MEMORY_PROBLEM_MAX];

    for (uint64_t i = 0; i < SAVES; i++) {
        struct keel_memory_state state = state_of(0, 100 * writer + i, 2, 100 * writer + i + 1);
        struct keel_memory_file *memory = keel_memory_open(path, false, problem);
        if (memory == NULL || !keel_memory_save(memory, &state, 1, problem)) {
            return 1;
        }
        keel_memory_close(memory);
    }
    return 0;
}

/* Starts from no file at all, so that its making is raced for, too. */
IN_FOLDER(processes_that_save_at_once_lose_nothing)
{
    pid_t child[WRITERS];
    int status;

    for (uint64_t writer = 0; writer < WRITERS; writer++) {
        if ((child[writer] = fork()) == 0) {
            _exit(save_several(writer));
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    for (uint64_t i = 0; i < WRITERS * SAVES; i++) {
        uint64_t key = 100 * (i / SAVES) + i % SAVES;
        struct keel_memory_state state = state_of(0, key, 2, key + 1);
        assert_true(is_remembered(&state));
    }
    assert_int_equal(files_in_folder(), 1);
}

IN_FOLDER(the_longest_unused_states_are_dropped)
{
    static struct keel_memory_state many[KEEL_MEMORY_SITES_MAX];
    struct keel_memory_state old = state_of(0, 1, 1, 1), used = state_of(1, 2, 1, 2);

    save_run(false, &old, 1);
    save_run(false, &used, 1);
    for (size_t i = 0; i < KEEL_MEMORY_SITES_MAX - 1; i++) {
        many[i] = old;
        many[i].key.caller = 1000 + i;
    }
    save_run(false, many, KEEL_MEMORY_SITES_MAX - 1);
    assert_true(is_remembered(&many[0]));
    assert_true(is_remembered(&many[KEEL_MEMORY_SITES_MAX - 2]));
    assert_true(is_remembered(&used));
    assert_false(is_remembered(&old));
}

/* A hundred states of so many threads would take more than 64 MiB. */
IN_FOLDER(the_file_stays_within_its_size)
{
    static struct keel_memory_thread thread[10000];
    static struct keel_memory_state many[100];
    struct keel_memory_state like = state_of(0, 1, 2, 1);
    struct stat status;
    uint64_t kept = 0;

    for (size_t i = 0; i < 10000; i++) {
        thread[i] = like.thread[1];
    }
    for (size_t i = 0; i < 100; i++) {
        many[i] = like;
        many[i].key.caller = i;
        many[i].key.threads = 10000;
        many[i].thread = thread;
    }
    save_run(false, many, 100);
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_size > KEEL_MEMORY_BYTES_MAX / 4 &&
                status.st_size <= KEEL_MEMORY_BYTES_MAX);
    struct keel_memory_file *memory = open_good(false);
    for (size_t i = 0; i < 100; i++) {
        kept += keel_memory_find(memory, &many[i].key) != NULL;
    }
    keel_memory_close(memory);
    assert_true(kept > 10 && kept < 100);
}

IN_FOLDER(states_with_impossible_numbers_are_not_kept)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    struct keel_memory_state good = state_of(0, 1, 2, 1);

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct keel_memory_state state = state_of(1, 2, 2, 2);
        double *fields[] = {&state.choice_ns,
                            &state.cost.time_ns,
                            &state.cost.square_ns2,
                            &state.cost.overhead_ns,
                            &state.profile.cost[63],
                            &state.profile.seen[0],
                            &state.thread[1].rate.filtered,
                            &state.thread[1].bound,
                            &state.thread[0].mean_ns,
                            &state.thread[0].variance_ns2,
                            &state.thread[0].sample.iterations,
                            &state.thread[0].sample.time_ns};
        for (size_t field = 0; field < sizeof fields / sizeof fields[0]; field++) {
            double value = *fields[field];
            *fields[field] = bad[i];
            struct keel_memory_state both[2] = {state, good};
            save_run(false, both, 2);
            *fields[field] = value;
            struct keel_memory_file *memory = open_good(false);
            assert_null(keel_memory_find(memory, &state.key));
            keel_memory_close(memory);
        }
    }
    assert_true(is_remembered(&good));
}

/* A sum that fits does not help a loop whose threads' parts overlap. */
IN_FOLDER(parts_that_overlap_are_refused)
{
    struct keel_memory_table table = {.run = 3};
    struct keel_memory_thread thread[2] = {{.bound = 0.5}, {.bound = 0.25}};
    struct keel_memory_state overlapping = {
        .key = {"a.out:16384", 4660, 0, "rate", 2}, .choice = "", .thread = thread};
    char problem[KEEL_MEMORY_PROBLEM_MAX];
    size_t written;

    keel_memory_table_put(&table, &overlapping, 2, NULL);
    char *text = keel_memory_format_write(&table, &written);
    put_text(text);
    assert_null(keel_memory_open(path, false, problem));
    free(text);
    keel_memory_table_free(&table);
}
