/* Files that others change, lock, or allow nobody to write while a program runs. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/omp_ext/store/folder.h"
#include "tests/omp_ext/store/states.h"

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
