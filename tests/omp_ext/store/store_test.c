/* What is saved is found again, by later runs and beside other programs; nothing else is touched.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <float.h>
#include <linux/capability.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/omp_ext/store/states.h"

#define CALLS (&keel_memory_calls)

static char folder[4000], path[4096];

/* --- files --- */

/* Each test has a folder of its own. */
static int enter_folder(void **state)
{
    const char *parent = getenv("TEST_TMPDIR");

    (void)state;
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

    (void)state;
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

/* The file's text, to be freed. */
static char *get_text(void)
{
    char *text = calloc(1, 1 << 20);
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 20) - 1, file) < (1 << 20) - 1);
    fclose(file);
    return text;
}

static mode_t mode_of_file(void)
{
    struct stat status;

    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 07777;
}

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

/* --- memories --- */

static struct keel_memory_file *open_good(bool replace)
{
    char problem[KEEL_MEMORY_PROBLEM_MAX] = "untouched";
    struct keel_memory_file *memory = CALLS->open(path, replace, problem);

    assert_string_equal(problem, "");
    assert_non_null(memory);
    return memory;
}

static void save_good(struct keel_memory_file *memory, const struct keel_memory_state *state,
                      size_t count)
{
    char problem[KEEL_MEMORY_PROBLEM_MAX] = "untouched";

    assert_true(CALLS->save(memory, state, count, problem));
    assert_string_equal(problem, "");
}

static void save_run(bool replace, const struct keel_memory_state *state, size_t count)
{
    struct keel_memory_file *memory = open_good(replace);

    save_good(memory, state, count);
    CALLS->close(memory);
}

static bool is_remembered(const struct keel_memory_state *state)
{
    struct keel_memory_file *memory = open_good(false);
    const struct keel_memory_state *found = CALLS->find(memory, &state->key);
    bool remembered = found != NULL && states_equal(found, state);

    CALLS->close(memory);
    return remembered;
}

static void assert_says(const char *problem, const char *what)
{
    if (strstr(problem, what) == NULL || strstr(problem, "keel.json'") == NULL) {
        fail_msg("\"%s\" does not say \"%s\" of the file", problem, what);
    }
}

static void assert_refused(const char *why)
{
    char problem[KEEL_MEMORY_PROBLEM_MAX];

    assert_null(CALLS->open(path, false, problem));
    assert_says(problem, why);
}

/* Refused, left alone, and replaced only on demand. */
static void assert_text_refused(const char *text, const char *why)
{
    struct keel_memory_state state = state_of(0, 1, 2, 1);
    char *after;

    put_text(text);
    assert_refused(why);
    after = get_text();
    assert_string_equal(after, text);
    free(after);
    save_run(true, &state, 1);
    assert_true(is_remembered(&state));
}

/* --- what is kept --- */

static void states_come_back_to_the_last_bit(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct keel_memory_state state = state_of(0, seed << 40, 1 + seed * 3, seed);
        save_run(false, &state, 1);
        assert_true(is_remembered(&state));
    }
}

static void extreme_numbers_come_back(void **unused)
{
    struct keel_memory_state state = state_of(0, INT64_MAX, 3, 1);

    (void)unused;
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

static void a_missing_file_and_an_empty_one_remember_nothing(void **unused)
{
    struct keel_memory_state state = state_of(0, 1, 2, 1);
    struct keel_memory_file *memory = open_good(false);

    (void)unused;
    assert_null(CALLS->find(memory, &state.key));
    assert_int_equal(files_in_folder(), 0);
    save_good(memory, &state, 1);
    CALLS->close(memory);
    assert_true(is_remembered(&state));

    put_text("");
    assert_false(is_remembered(&state));
    save_run(false, &state, 1);
    assert_true(is_remembered(&state));
}

static void each_part_of_the_key_counts(void **unused)
{
    struct keel_memory_state state = state_of(0, 7, 4, 1),
                             others[5] = {state, state, state, state, state};

    (void)unused;
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

static void a_later_run_replaces_what_it_knows_and_keeps_the_rest(void **unused)
{
    struct keel_memory_state old = state_of(0, 1, 2, 1), new = state_of(1, 1, 2, 2), other;

    (void)unused;
    save_run(false, &old, 1);
    other = state_of(0, 2, 5, 3);
    save_run(false, &other, 1);
    save_run(false, &new, 1);
    assert_true(is_remembered(&new));
    assert_true(is_remembered(&other));
}

static void runs_that_overlap_keep_what_the_other_saved(void **unused)
{
    struct keel_memory_state first = state_of(0, 1, 2, 1), second = state_of(1, 2, 2, 2);
    struct keel_memory_file *a = open_good(false), *b = open_good(false);

    (void)unused;
    save_good(a, &first, 1);
    save_good(b, &second, 1);
    CALLS->close(a);
    CALLS->close(b);
    assert_true(is_remembered(&first));
    assert_true(is_remembered(&second));
}

/* As ranks of one program do, that are all told to. */
static void runs_that_overlap_replace_only_once(void **unused)
{
    struct keel_memory_state old = state_of(0, 9, 2, 9), first, second;

    (void)unused;
    save_run(false, &old, 1);
    struct keel_memory_file *a = open_good(true), *b = open_good(true);
    first = state_of(0, 1, 2, 1);
    second = state_of(1, 2, 2, 2);
    assert_null(CALLS->find(a, &old.key));
    save_good(a, &first, 1);
    save_good(b, &second, 1);
    CALLS->close(a);
    CALLS->close(b);
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
        struct keel_memory_file *memory = CALLS->open(path, false, problem);
        if (memory == NULL || !CALLS->save(memory, &state, 1, problem)) {
            return 1;
        }
        CALLS->close(memory);
    }
    return 0;
}

/* Starts from no file at all, so that its making is raced for, too. */
static void processes_that_save_at_once_lose_nothing(void **unused)
{
    pid_t child[WRITERS];
    int status;

    (void)unused;
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

static void the_longest_unused_states_are_dropped(void **unused)
{
    static struct keel_memory_state many[KEEL_MEMORY_SITES_MAX];
    struct keel_memory_state old = state_of(0, 1, 1, 1), used = state_of(1, 2, 1, 2);

    (void)unused;
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
static void the_file_stays_within_its_size(void **unused)
{
    static struct keel_memory_thread thread[10000];
    static struct keel_memory_state many[100];
    struct keel_memory_state like = state_of(0, 1, 2, 1);
    struct stat status;
    uint64_t kept = 0;

    (void)unused;
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
        kept += CALLS->find(memory, &many[i].key) != NULL;
    }
    CALLS->close(memory);
    assert_true(kept > 10 && kept < 100);
}

static void states_with_impossible_numbers_are_not_kept(void **unused)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, -1, 1e300};
    struct keel_memory_state good = state_of(0, 1, 2, 1);

    (void)unused;
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
            assert_null(CALLS->find(memory, &state.key));
            CALLS->close(memory);
        }
    }
    assert_true(is_remembered(&good));
}

static void states_with_impossible_parts_are_not_kept(void **unused)
{
    struct keel_memory_state state = state_of(0, 1, 2, 1), bad[9];
    struct keel_memory_thread thread[2] = {state.thread[0], state.thread[1]};

    (void)unused;
    for (int i = 0; i < 9; i++) {
        bad[i] = state;
        bad[i].key.caller = 10 + (uint64_t)i;
    }
    bad[0].key.threads = 0;
    bad[1].key.caller = (uint64_t)INT64_MAX + 1;
    bad[2].key.module = "";
    bad[3].key.module = "line\nend";
    bad[4].key.schedule = "";
    bad[5].choice = "\xc3\xa4";
    bad[6].profile.cost[3] = 0; /* the others are known */
    bad[7].instances = UINT64_MAX;
    thread[0].bound = 0.9; /* the next one's is less */
    bad[8].thread = thread;
    save_run(false, bad, 9);
    struct keel_memory_file *memory = open_good(false);
    for (int i = 0; i < 9; i++) {
        assert_null(CALLS->find(memory, &bad[i].key));
    }
    CALLS->close(memory);
}

/* --- what is refused --- */

static void other_files_are_refused(void **unused)
{
    (void)unused;
    assert_text_refused("PATH=/bin\n", "no JSON at line 1");
    assert_text_refused("{}", "is JSON, but not a memory");
    assert_text_refused("[1, 2]", "is JSON, but not a memory");
    assert_text_refused("{\"format\": \"geojson\", \"version\": 1}", "is JSON, but not a memory");
    assert_text_refused("{\"format\": \"keel-memory\", \"version\": 2, \"new\": {}}",
                        "has version 2, expected 1");
    assert_text_refused("{\"format\": \"keel-memory\", \"version\": 1, \"new\": {}}", "is damaged");
}

/* Behind a digit of the second site stands another digit. */
static void a_number_that_was_changed_is_noticed(void **unused)
{
    struct keel_memory_state states[2] = {state_of(0, 1, 2, 1), state_of(1, 2, 2, 2)};

    (void)unused;
    save_run(false, states, 2);
    char *text = get_text(), *place = strstr(strstr(text, "\"caller\":2"), "\"instances\":");
    place[12] = place[12] == '9' ? '8' : (char)(place[12] + 1);
    assert_text_refused(text, "its sum");
    free(text);
}

static void a_file_damaged_during_the_run_is_left_alone(void **unused)
{
    struct keel_memory_state state = state_of(0, 1, 2, 1);
    char problem[KEEL_MEMORY_PROBLEM_MAX];
    struct keel_memory_file *memory = open_good(false);

    (void)unused;
    put_text("mine");
    assert_false(CALLS->save(memory, &state, 1, problem));
    assert_says(problem, "no JSON");
    CALLS->close(memory);
    char *text = get_text();
    assert_string_equal(text, "mine");
    free(text);
}

static void a_huge_file_is_refused(void **unused)
{
    (void)unused;
    put_text("{");
    assert_int_equal(truncate(path, KEEL_MEMORY_BYTES_MAX + 1), 0);
    assert_refused("has 67108865 bytes, expected at most 67108864");
}

/* Neither by open nor by save, with `replace` or without. */
static void assert_not_followed(const char *why)
{
    char problem[KEEL_MEMORY_PROBLEM_MAX];

    for (int replace = 0; replace < 2; replace++) {
        assert_null(CALLS->open(path, replace != 0, problem));
        assert_says(problem, why);
    }
}

static void only_regular_files_are_opened(void **unused)
{
    struct keel_memory_state state = state_of(0, 1, 2, 1);
    char target[4096], problem[KEEL_MEMORY_PROBLEM_MAX];
    struct keel_memory_file *memory = open_good(false);

    (void)unused;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_not_followed("is a pipe, expected a regular file");
    assert_false(CALLS->save(memory, &state, 1, problem));
    assert_says(problem, "is a pipe");
    unlink(path);

    assert_int_equal(mkdir(path, 0700), 0);
    assert_not_followed("is a folder, expected a regular file");
    rmdir(path);

    /* it was none when the program started */
    snprintf(target, sizeof target, "%.3900s/target", folder);
    assert_int_equal(symlink(target, path), 0);
    assert_false(CALLS->save(memory, &state, 1, problem));
    assert_says(problem, "is a symbolic link, expected a regular file");
    assert_int_not_equal(access(target, F_OK), 0);
    CALLS->close(memory);
    unlink(path);
}

static void link_to(const char *target)
{
    unlink(path);
    assert_int_equal(symlink(target, path), 0);
}

static void a_link_to_a_file_of_the_same_owner_is_followed(void **unused)
{
    static const char *const said[] = {"target", "./target", "second"};
    struct keel_memory_state state = state_of(0, 1, 2, 1);
    char name[4200], problem[KEEL_MEMORY_PROBLEM_MAX];
    struct stat status;

    (void)unused;
    snprintf(name, sizeof name, "%.3900s/second", folder);
    assert_int_equal(symlink("target", name), 0);
    snprintf(name, sizeof name, "%.3900s/target", folder);
    for (size_t i = 0; i <= sizeof said / sizeof *said; i++) {
        close(open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600));
        link_to(i < sizeof said / sizeof *said ? said[i] : name);
        struct keel_memory_file *memory = open_good(false);
        assert_true(CALLS->save(memory, &state, 1, problem));
        CALLS->close(memory);
        assert_true(lstat(path, &status) == 0 && S_ISLNK(status.st_mode));
        assert_true(lstat(name, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0);
        memory = open_good(false);
        assert_non_null(CALLS->find(memory, &state.key));
        CALLS->close(memory);
    }
    unlink(path);
}

static void links_to_anything_else_are_not_followed(void **unused)
{
    char name[4200];

    (void)unused;
    link_to("nowhere");
    assert_not_followed("nowhere': No such file or directory");
    link_to("keel.json");
    assert_not_followed("can't be followed: Too many levels of symbolic links");
    link_to("/dev/null");
    assert_not_followed("expected");
    link_to(".");
    assert_not_followed("is a folder, expected a regular file");
    snprintf(name, sizeof name, "%.3900s/others", folder);
    close(open(name, O_WRONLY | O_CREAT, 0600));
    if (geteuid() == 0) { /* others cannot give files away */
        assert_int_equal(lchown(name, 12345, (gid_t)-1), 0);
        link_to("others"); /* a short name, as the message has room for one long path */
        assert_not_followed("of another owner, expected the same one");
        assert_int_equal(lchown(name, 0, (gid_t)-1), 0);
        assert_int_equal(lchown(path, 12345, (gid_t)-1), 0);
        assert_not_followed("of another owner, expected the same one");
    }
    unlink(path);
}

static void a_missing_folder_is_reported_when_the_program_starts(void **unused)
{
    (void)unused;
    snprintf(path, sizeof path, "%.3900s/nowhere/keel.json", folder);
    assert_refused("can't be made: No such file or directory");
}

static void of_a_long_path_the_end_is_told(void **unused)
{
    (void)unused;
    path[strlen(folder) + 1] = '\0';
    for (int i = 0; i < 300; i++) {
        strcat(path, "./");
    }
    strcat(path, "keel.json");
    put_text("mine");
    assert_refused("/./././keel.json' is damaged or not a memory");
    assert_refused("it is left alone and nothing is remembered; 'replace:' before its name");
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
    memory = CALLS->open(path, false, problem);
    if (memory == NULL || CALLS->find(memory, &state.key) == NULL) {
        return 2; /* reading is allowed */
    }
    if (CALLS->save(memory, &state, 1, problem) || strstr(problem, "Permission denied") == NULL) {
        return 3;
    }
    CALLS->close(memory);
    strcat(path, ".other");
    return CALLS->open(path, false, problem) == NULL && strstr(problem, "can't be made") ? 0 : 4;
}

static void where_nothing_may_be_written_states_are_only_read(void **unused)
{
    struct keel_memory_state state = state_of(0, 1, 2, 1);
    int status;
    pid_t child;

    (void)unused;
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

static void only_the_owner_may_read_unless_that_was_changed(void **unused)
{
    struct keel_memory_state state = state_of(0, 1, 2, 1);

    (void)unused;
    save_run(false, &state, 1);
    assert_int_equal(mode_of_file(), 0600);
    assert_int_equal(chmod(path, 0664), 0);
    save_run(false, &state, 1);
    assert_int_equal(mode_of_file(), 0664);
}

/* Another process holds the lock, and leaves a mark before it gives it up. */
static void saving_waits_for_the_lock(void **unused)
{
    struct keel_memory_state first = state_of(0, 1, 2, 1), second = state_of(1, 2, 2, 2);
    char mark[4096], byte;
    int ready[2];
    pid_t child;

    (void)unused;
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

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(states_come_back_to_the_last_bit),
        IN_FOLDER(extreme_numbers_come_back),
        IN_FOLDER(a_missing_file_and_an_empty_one_remember_nothing),
        IN_FOLDER(each_part_of_the_key_counts),
        IN_FOLDER(a_later_run_replaces_what_it_knows_and_keeps_the_rest),
        IN_FOLDER(runs_that_overlap_keep_what_the_other_saved),
        IN_FOLDER(runs_that_overlap_replace_only_once),
        IN_FOLDER(processes_that_save_at_once_lose_nothing),
        IN_FOLDER(the_longest_unused_states_are_dropped),
        IN_FOLDER(the_file_stays_within_its_size),
        IN_FOLDER(states_with_impossible_numbers_are_not_kept),
        IN_FOLDER(states_with_impossible_parts_are_not_kept),
        IN_FOLDER(other_files_are_refused),
        IN_FOLDER(a_number_that_was_changed_is_noticed),
        IN_FOLDER(a_file_damaged_during_the_run_is_left_alone),
        IN_FOLDER(a_huge_file_is_refused),
        IN_FOLDER(only_regular_files_are_opened),
        IN_FOLDER(a_link_to_a_file_of_the_same_owner_is_followed),
        IN_FOLDER(links_to_anything_else_are_not_followed),
        IN_FOLDER(a_missing_folder_is_reported_when_the_program_starts),
        IN_FOLDER(of_a_long_path_the_end_is_told),
        IN_FOLDER(where_nothing_may_be_written_states_are_only_read),
        IN_FOLDER(only_the_owner_may_read_unless_that_was_changed),
        IN_FOLDER(saving_waits_for_the_lock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
