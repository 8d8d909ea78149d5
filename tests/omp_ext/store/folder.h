/* A folder of its own for each test, and what is saved there. */
#ifndef TESTS_OMP_EXT_STORE_FOLDER_H
#define TESTS_OMP_EXT_STORE_FOLDER_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/omp_ext/store/states.h"
#include "tests/support/unit.h"

static char folder[4000], path[4096];

/* Each test has a folder of its own. */
static inline int enter_folder(void **state)
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

static inline int leave_folder(void **state)
{
    char command[2 * sizeof folder + 64];

    (void)state;
    snprintf(command, sizeof command, "chmod 700 '%s' && rm -r '%s'", folder, folder);
    return system(command);
}

static inline void put_text(const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline struct keel_memory_file *open_good(bool replace)
{
    char problem[KEEL_MEMORY_PROBLEM_MAX] = "untouched";
    struct keel_memory_file *memory = keel_memory_open(path, replace, problem);

    assert_string_equal(problem, "");
    assert_non_null(memory);
    return memory;
}

static inline void save_good(struct keel_memory_file *memory, const struct keel_memory_state *state,
                             size_t count)
{
    char problem[KEEL_MEMORY_PROBLEM_MAX] = "untouched";

    assert_true(keel_memory_save(memory, state, count, problem));
    assert_string_equal(problem, "");
}

static inline void save_run(bool replace, const struct keel_memory_state *state, size_t count)
{
    struct keel_memory_file *memory = open_good(replace);

    save_good(memory, state, count);
    keel_memory_close(memory);
}

static inline bool is_remembered(const struct keel_memory_state *state)
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

#endif
