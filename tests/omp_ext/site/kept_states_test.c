/* The file that is kept between runs: what it holds, and what becomes of files that others
 * change. */
#define _GNU_SOURCE

#include <fcntl.h>
#include <float.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/memory/memory.h"
#include "omp_ext/memory/memory_parts.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- states of loop sites --- */

#define STATES_THREADS_MAX 64

/* 0 < value < 1, with as many digits as a double has. */
static double fraction(struct draws *draws)
{
    return ((double)(draws_next(draws) >> 11) + 1) * 0x1p-54;
}

static void fill_thread(struct keel_memory_thread *thread, double bound, struct draws *draws)
{
    memset(thread, 0, sizeof *thread);
    thread->rate.filtered = fraction(draws) * 1e-3;
    thread->rate.state = (enum keel_rate_state)(draws_next(draws) % KEEL_RATE_STATES);
    thread->bound = bound;
    thread->mean_ns = fraction(draws) * 1e6;
    thread->variance_ns2 = fraction(draws) * 1e12;
    thread->sample.count = draws_next(draws) % 1000;
    thread->sample.iterations = fraction(draws) * 1e9;
    thread->sample.time_ns = fraction(draws) * 1e15;
}

/* A state with numbers that need all their digits, different for each `seed`; good as long as the
 * same slot (0 or 1) is not filled again. threads <= STATES_THREADS_MAX. */
static struct keel_memory_state state_of(unsigned slot, uint64_t caller, uint64_t threads,
                                         uint64_t seed)
{
    static struct keel_memory_thread thread[2][STATES_THREADS_MAX];
    struct draws draws = {seed};
    struct keel_memory_state state = {
        .key = {"00112233445566778899aabbccddeeff00112233", caller, caller + 64, "rate,8", threads},
        .instances = draws_next(&draws) % (1u << 30),
        .calm = draws_next(&draws) % 100,
        .cost = {draws_next(&draws) % 99, draws_next(&draws) % (1u << 30), fraction(&draws) * 1e12,
                 fraction(&draws) * 1e20, fraction(&draws) * 1e9},
        .choice = "fac2:min=4",
        .choice_ns = fraction(&draws) * 1e9,
        .thread = thread[slot],
    };

    for (size_t i = 0; i < KEEL_PROFILE_BINS; i++) {
        state.profile.cost[i] = 2 * fraction(&draws);
        state.profile.seen[i] = 1e6 * fraction(&draws);
    }
    for (uint64_t i = 0; i < threads; i++) {
        fill_thread(&thread[slot][i], (double)i / (double)threads, &draws);
    }
    return state;
}

static bool keys_equal(const struct keel_memory_key *a, const struct keel_memory_key *b)
{
    return strcmp(a->module, b->module) == 0 && a->caller == b->caller &&
           a->outlined == b->outlined && strcmp(a->schedule, b->schedule) == 0 &&
           a->threads == b->threads;
}

/* Whether they are equal to the last bit. */
static bool states_equal(const struct keel_memory_state *a, const struct keel_memory_state *b)
{
    return keys_equal(&a->key, &b->key) && a->instances == b->instances && a->calm == b->calm &&
           memcmp(&a->profile, &b->profile, sizeof a->profile) == 0 &&
           memcmp(&a->cost, &b->cost, sizeof a->cost) == 0 && strcmp(a->choice, b->choice) == 0 &&
           memcmp(&a->choice_ns, &b->choice_ns, sizeof a->choice_ns) == 0 &&
           memcmp(a->thread, b->thread, a->key.threads * sizeof *a->thread) == 0;
}

/* --- a folder of its own for each test, and what is saved there --- */

static char folder[4000], path[4096];

/* Each test has a folder of its own. */
static int enter_folder(void **state)
{
    const char *parent = getenv("TEST_TMPDIR");

    snprintf(folder, sizeof folder, "%s/memory-XXXXXX", parent != NULL ? parent : "/tmp");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/keel.json", folder);
    return 0;
}

static int leave_folder(void **state)
{
    char command[2 * sizeof folder + 64];

    snprintf(command, sizeof command, "chmod 700 '%s' && rm -r '%s'", folder, folder);
    return system(command);
}

static void put_text(const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static struct keel_memory_file *open_good(bool replace)
{
    char problem[KEEL_MEMORY_PROBLEM_MAX] = "untouched";
    struct keel_memory_file *memory = keel_memory_open(path, replace, problem);

    assert_string_equal(problem, "");
    assert_non_null(memory);
    return memory;
}

static void save_good(struct keel_memory_file *memory, const struct keel_memory_state *state,
                      size_t count)
{
    char problem[KEEL_MEMORY_PROBLEM_MAX] = "untouched";

    assert_true(keel_memory_save(memory, state, count, problem));
    assert_string_equal(problem, "");
}

static void save_run(bool replace, const struct keel_memory_state *state, size_t count)
{
    struct keel_memory_file *memory = open_good(replace);

    save_good(memory, state, count);
    keel_memory_close(memory);
}

static bool is_remembered(const struct keel_memory_state *state)
{
    struct keel_memory_file *memory = open_good(false);
    const struct keel_memory_state *found = keel_memory_find(memory, &state->key);
    bool remembered = found != NULL && states_equal(found, state);

    keel_memory_close(memory);
    return remembered;
}

/* TEST() in a folder of its own. */
#define IN_FOLDER(name)                         \
    static void name##_there(void);             \
    TEST_WITH(name, enter_folder, leave_folder) \
    {                                           \
        name##_there();                         \
    }                                           \
    static void name##_there(void)

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

/* As ranks of one program do, all by one setting. */
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
        double *fields[] = LIST(
            &state.choice_ns, &state.cost.time_ns, &state.cost.square_ns2, &state.cost.overhead_ns,
            &state.profile.cost[63], &state.profile.seen[0], &state.thread[1].rate.filtered,
            &state.thread[1].bound, &state.thread[0].mean_ns, &state.thread[0].variance_ns2,
            &state.thread[0].sample.iterations, &state.thread[0].sample.time_ns);
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

/* --- files that others change, lock, or allow no one to write while a program runs --- */

IN_FOLDER(a_file_damaged_during_the_run_is_left_alone)
{
    struct keel_memory_state state = state_of(0, 1, 2, 1);
    char problem[KEEL_MEMORY_PROBLEM_MAX], text[100];
    struct keel_memory_file *memory = open_good(false);

    put_text("mine");
    assert_false(keel_memory_save(memory, &state, 1, problem));
    assert_non_null(strstr(problem, "keel.json' is not a Keel memory file"));
    keel_memory_close(memory);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "mine");
}

/* Root may write anywhere, but for this. */
static bool give_up_privileges(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

    return syscall(SYS_capset, &header, none) == 0;
}

static int use_read_only_folder(void)
{
    struct keel_memory_state state = state_of(0, 1, 2, 1);
    char problem[KEEL_MEMORY_PROBLEM_MAX];
    struct keel_memory_file *memory;

    if (!give_up_privileges()) {
        return 1;
    }
    memory = keel_memory_open(path, false, problem);
    if (memory == NULL || keel_memory_find(memory, &state.key) == NULL) {
        return 2; /* reading is allowed */
    }
    if (keel_memory_save(memory, &state, 1, problem) ||
        strstr(problem, "Permission denied") == NULL) {
        return 3;
    }
    keel_memory_close(memory);
    strcat(path, ".other");
    return keel_memory_open(path, false, problem) == NULL && strstr(problem, "can't be made") ? 0
                                                                                              : 4;
}

IN_FOLDER(where_nothing_may_be_written_states_are_only_read)
{
    struct keel_memory_state state = state_of(0, 1, 2, 1);
    int status;
    pid_t child;

    save_run(false, &state, 1);
    assert_int_equal(chmod(folder, 0555), 0);
    if ((child = fork()) == 0) {
        _exit(use_read_only_folder());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(chmod(folder, 0700), 0);
    assert_true(is_remembered(&state));
}

/* Another process holds the lock, and leaves a mark before it gives it up. */
IN_FOLDER(saving_waits_for_the_lock)
{
    struct keel_memory_state first = state_of(0, 1, 2, 1), second = state_of(1, 2, 2, 2);
    char mark[4096], byte;
    int ready[2];
    pid_t child;

    snprintf(mark, sizeof mark, "%.3900s/mark", folder);
    save_run(false, &first, 1);
    assert_int_equal(pipe(ready), 0);
    if ((child = fork()) == 0) {
        byte = (char)flock(open(path, O_RDWR), LOCK_EX);
        bool told = write(ready[1], &byte, 1) == 1;
        usleep(300000);
        _exit(told && mkdir(mark, 0700) == 0 ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 0);
    save_run(false, &second, 1);
    assert_int_equal(access(mark, F_OK), 0);
    waitpid(child, NULL, 0);
    assert_true(is_remembered(&first));
    assert_true(is_remembered(&second));
}
