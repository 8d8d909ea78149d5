/* A process that forks while another of its threads reads the environment: the child reads it from
 * the beginning. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/settings/settings.h"
#include "omp_ext/support/message.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

static atomic_bool is_reading, has_forked;

char *__real_getenv(const char *name);

/* A thread of the first process that has read KEEL_SCHEDULE stays here until the process has
 * forked. */
char *__wrap_getenv(const char *name)
{
    if (strcmp(name, "KEEL_EXPLAIN") == 0) {
        atomic_store(&is_reading, true);
        while (!atomic_load(&has_forked)) {
            nap(100);
        }
    }
    return __real_getenv(name);
}

static void *read_settings(void *unused)
{
    return keel_settings()->schedules.standard != NULL ? &is_reading : NULL;
}

static void count_message(const char *text, void *messages)
{
    ++*(int *)messages;
}

static int child(void)
{
    int messages = 0;

    atomic_store(&has_forked, true);
    keel_message_set_handler(count_message, &messages);
    return keel_settings()->schedules.standard != NULL && messages == 0 ? 0 : 1;
}

TEST(a_child_reads_from_the_beginning)
{
    pthread_t reader;
    void *has_read;
    int status;

    setenv("KEEL_SCHEDULE", "lds", 1);
    assert_int_equal(pthread_create(&reader, NULL, read_settings, NULL), 0);
    while (!atomic_load(&is_reading)) {
        nap(100);
    }
    pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        _exit(child());
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_int_equal(status, 0);
    atomic_store(&has_forked, true);
    assert_int_equal(pthread_join(reader, &has_read), 0);
    assert_non_null(has_read);
}
