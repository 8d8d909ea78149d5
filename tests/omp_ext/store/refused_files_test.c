/* Files that are refused, and that nothing but the file of states is touched. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/omp_ext/store/folder.h"
#include "tests/omp_ext/store/states.h"

/* --- files --- */

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

/* --- memories --- */

static void assert_says(const char *problem, const char *what)
{
    if (strstr(problem, what) == NULL || strstr(problem, "keel.json'") == NULL) {
        fail_msg("\"%s\" does not say \"%s\" of the file", problem, what);
    }
}

static void assert_refused(const char *why)
{
    char problem[KEEL_MEMORY_PROBLEM_MAX];

    assert_null(keel_memory_open(path, false, problem));
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

/* --- what is refused --- */

IN_FOLDER(other_files_are_refused)
{
    assert_text_refused("PATH=/bin\n", "' is not a Keel memory file; ignored");
    assert_text_refused("{}", "' is not a Keel memory file; ignored");
    assert_text_refused("[1, 2]", "' is not a Keel memory file; ignored");
    assert_text_refused("{\"format\": \"geojson\", \"version\": 1}",
                        "' is not a Keel memory file; ignored");
    assert_text_refused("{\"format\": \"keel-memory\", \"version\": 1, \"run\": 7, \"sites\": [",
                        "'replace:' before its name replaces it");
    assert_text_refused("keel-memory 3 new", "has version 3, expected 2");
    assert_text_refused("keel-memory 2 1\n", "is damaged");
}

IN_FOLDER(a_number_that_was_changed_is_noticed)
{
    struct keel_memory_state states[2] = {state_of(0, 1, 2, 1), state_of(1, 2, 2, 2)};

    save_run(false, states, 2);
    char *text = get_text(), *place = text + strlen(text) / 2;
    *place = *place == '9' ? '8' : '9';
    assert_text_refused(text, "its sum");
    free(text);
}

IN_FOLDER(a_file_damaged_during_the_run_is_left_alone)
{
    struct keel_memory_state state = state_of(0, 1, 2, 1);
    char problem[KEEL_MEMORY_PROBLEM_MAX];
    struct keel_memory_file *memory = open_good(false);

    put_text("mine");
    assert_false(keel_memory_save(memory, &state, 1, problem));
    assert_says(problem, "is not a Keel memory file");
    keel_memory_close(memory);
    char *text = get_text();
    assert_string_equal(text, "mine");
    free(text);
}

IN_FOLDER(a_huge_file_is_refused)
{
    put_text("{");
    assert_int_equal(truncate(path, KEEL_MEMORY_BYTES_MAX + 1), 0);
    assert_refused("has 67108865 bytes, expected at most 67108864");
}

/* Neither by open nor by save, with `replace` or without. */
static void assert_not_followed(const char *why)
{
    char problem[KEEL_MEMORY_PROBLEM_MAX];

    for (int replace = 0; replace < 2; replace++) {
        assert_null(keel_memory_open(path, replace != 0, problem));
        assert_says(problem, why);
    }
}

IN_FOLDER(only_regular_files_are_opened)
{
    struct keel_memory_state state = state_of(0, 1, 2, 1);
    char target[4096], problem[KEEL_MEMORY_PROBLEM_MAX];
    struct keel_memory_file *memory = open_good(false);

    assert_int_equal(mkfifo(path, 0600), 0);
    assert_not_followed("is a pipe, expected a regular file");
    assert_false(keel_memory_save(memory, &state, 1, problem));
    assert_says(problem, "is a pipe");
    unlink(path);

    assert_int_equal(mkdir(path, 0700), 0);
    assert_not_followed("is a folder, expected a regular file");
    rmdir(path);

    /* it was none when the program started */
    snprintf(target, sizeof target, "%.3900s/target", folder);
    assert_int_equal(symlink(target, path), 0);
    assert_false(keel_memory_save(memory, &state, 1, problem));
    assert_says(problem, "is a symbolic link, expected a regular file");
    assert_int_not_equal(access(target, F_OK), 0);
    keel_memory_close(memory);
    unlink(path);
}

static void link_to(const char *target)
{
    unlink(path);
    assert_int_equal(symlink(target, path), 0);
}

IN_FOLDER(links_to_anything_else_are_not_followed)
{
    char name[4200];

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
        assert_not_followed("can't be used: it is a symbolic link of another user");
        assert_int_equal(lchown(name, 12345, (gid_t)-1), 0);
        assert_not_followed("can't be used: it is a symbolic link of another user");
        assert_int_equal(lchown(name, 0, (gid_t)-1), 0);
    }
    unlink(path);
}

IN_FOLDER(a_missing_folder_is_reported_when_the_program_starts)
{
    snprintf(path, sizeof path, "%.3900s/nowhere/keel.json", folder);
    assert_refused("can't be made: No such file or directory");
}

IN_FOLDER(of_a_long_path_the_end_is_told)
{
    path[strlen(folder) + 1] = '\0';
    for (int i = 0; i < 300; i++) {
        strcat(path, "./");
    }
    strcat(path, "keel.json");
    put_text("keel-memory 2 ");
    assert_refused("/./././keel.json' is damaged");
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
