/* A process is left out by another one, and learns of it. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi_backend/job/processes/fence.h"

/* What the child says of its fence; it goes on when it is told. */
static pid_t child;
static int64_t fence;
static int to_child, from_child;

/* '?': is it shut? 'l': lifts it. */
static void serve(int in, int out)
{
    int64_t made = keel_mpi_fence_make();
    uint64_t epoch = 0;
    char word;

    if (write(out, &made, sizeof made) != (ssize_t)sizeof made) {
        _exit(1);
    }
    while (read(in, &word, 1) == 1) {
        if (word == 'l') {
            keel_mpi_fence_lift(++epoch);
        }
        word = keel_mpi_fence_is_shut() ? 's' : 'o';
        if (write(out, &word, 1) != 1) {
            _exit(1);
        }
    }
    _exit(0);
}

static char ask(char word)
{
    char answer = 0;

    assert_int_equal(write(to_child, &word, 1), 1);
    assert_int_equal(read(from_child, &answer, 1), 1);
    return answer;
}

static int start_child(void **state)
{
    int down[2], up[2];

    (void)state;
    if (pipe(down) != 0 || pipe(up) != 0 || (child = fork()) < 0) {
        return -1;
    }
    if (child == 0) {
        close(down[1]);
        serve(down[0], up[1]);
    }
    close(down[0]);
    close(up[1]);
    to_child = down[1];
    from_child = up[0];
    return read(from_child, &fence, sizeof fence) == (ssize_t)sizeof fence ? 0 : -1;
}

static int end_child(void **state)
{
    (void)state;
    close(to_child);
    close(from_child);
    return waitpid(child, NULL, 0) == child ? 0 : -1;
}

static void is_open_at_first(void **state)
{
    (void)state;
    assert_true(fence > 2);
    assert_false(keel_mpi_fence_look(child, fence));
    assert_int_equal(ask('?'), 'o');
}

static void is_shut_by_another_process_and_lifted_by_its_own(void **state)
{
    (void)state;
    assert_true(keel_mpi_fence_shut(child, fence));
    assert_true(keel_mpi_fence_look(child, fence));
    assert_int_equal(ask('?'), 's');
    assert_int_equal(ask('l'), 'o');
    assert_false(keel_mpi_fence_look(child, fence));
}

static void is_shut_while_its_process_is_stopped(void **state)
{
    (void)state;
    assert_int_equal(kill(child, SIGSTOP), 0);
    assert_true(keel_mpi_fence_shut(child, fence));
    assert_int_equal(kill(child, SIGCONT), 0);
    assert_int_equal(ask('?'), 's');
}

static void who_has_none_is_not_left_out(void **state)
{
    (void)state;
    assert_false(keel_mpi_fence_shut(child, 0));
    assert_false(keel_mpi_fence_look(child, 0));
    assert_false(keel_mpi_fence_shut(child, 200)); /* it has no such file */
    assert_int_equal(ask('?'), 'o');
    assert_false(keel_mpi_fence_is_shut()); /* this process has made none */
    assert_false(keel_mpi_fence_shut_own());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(is_open_at_first, start_child, end_child),
        cmocka_unit_test_setup_teardown(is_shut_by_another_process_and_lifted_by_its_own,
                                        start_child, end_child),
        cmocka_unit_test_setup_teardown(is_shut_while_its_process_is_stopped, start_child,
                                        end_child),
        cmocka_unit_test_setup_teardown(who_has_none_is_not_left_out, start_child, end_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
