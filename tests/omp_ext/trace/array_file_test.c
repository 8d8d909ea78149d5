/* A file of one JSON array that grows by pieces, also after others, and after what was left by one
 * that was killed. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "omp_ext/trace/array_file.h"

#define HEAD "{\"job\":1,\"own\":2}"
#define SAME 8 /* bytes of it that all processes of a job have */

static struct keel_array_file file, other;
static char path[4096], content[1 << 16];

static int begin(void **state)
{
    const char *folder = getenv("TEST_TMPDIR");

    (void)state;
    snprintf(path, sizeof path, "%s/array.%ld.json", folder != NULL ? folder : "/tmp",
             (long)getpid());
    unlink(path);
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static const char *there(void)
{
    FILE *stream = fopen(path, "r");
    size_t length = fread(content, 1, sizeof content - 1, stream);

    fclose(stream);
    content[length] = '\0';
    return content;
}

static int append(struct keel_array_file *to, const char *element)
{
    char text[256];

    snprintf(text, sizeof text, ",\n%s", element);
    return keel_array_file_append(to, text, strlen(text));
}

static void put(const char *bytes)
{
    FILE *stream = fopen(path, "w");

    fputs(bytes, stream);
    fclose(stream);
}

static void is_whole_after_each_piece(void **state)
{
    (void)state;
    assert_int_equal(keel_array_file_open(&file, path, HEAD, SAME), 0);
    assert_string_equal(there(), "[\n" HEAD "\n]\n");
    assert_int_equal(append(&file, "{\"a\":1}"), 0);
    assert_string_equal(there(), "[\n" HEAD ",\n{\"a\":1}\n]\n");
    assert_int_equal(append(&file, "{\"a\":2},\n{\"a\":3}"), 0);
    assert_string_equal(there(), "[\n" HEAD ",\n{\"a\":1},\n{\"a\":2},\n{\"a\":3}\n]\n");
    keel_array_file_close(&file);
    assert_string_equal(there(), "[\n" HEAD ",\n{\"a\":1},\n{\"a\":2},\n{\"a\":3}\n]\n");
}

static void goes_on_with_its_job_s(void **state)
{
    (void)state;
    assert_int_equal(keel_array_file_open(&file, path, HEAD, SAME), 0);
    assert_false(file.is_gone_on_with);
    assert_int_equal(keel_array_file_open(&other, path, "{\"job\":1,\"own\":3}", SAME), 0);
    assert_true(other.is_gone_on_with);
    assert_string_equal(other.head, HEAD ""); /* the one that is there */
    assert_int_equal(append(&other, "{\"a\":1}"), 0);
    assert_int_equal(append(&file, "{\"a\":2}"), 0);
    assert_string_equal(there(), "[\n" HEAD ",\n{\"a\":1},\n{\"a\":2}\n]\n");
    keel_array_file_close(&file);
    keel_array_file_close(&other);
}

static void replaces_what_is_not(void **state)
{
    (void)state;
    put("[\n{\"job\":2,\"own\":2}\n]\n");
    assert_int_equal(keel_array_file_open(&file, path, HEAD, SAME), 0);
    assert_string_equal(there(), "[\n" HEAD "\n]\n");
    put("[\n{\"job\":2,\"own\":2}\n]\n"); /* now another job has it */
    assert_int_equal(append(&file, "{\"a\":1}"), ESTALE);
    assert_string_equal(there(), "[\n{\"job\":2,\"own\":2}\n]\n");
    keel_array_file_close(&file);
}

/* Each way to end in the middle of a piece. */
static void cuts_off_what_a_killed_writer_left(void **state)
{
    const char whole[] = "[\n" HEAD ",\n{\"a\":1},\n{\"a\":2}\n]\n";
    const size_t least = strlen("[\n" HEAD ",\n");

    (void)state;
    for (size_t length = least; length < strlen(whole); length++) {
        char cut[sizeof whole];
        memcpy(cut, whole, length);
        cut[length] = '\0';
        put("[\n" HEAD "\n]\n");
        assert_int_equal(keel_array_file_open(&file, path, HEAD, SAME), 0);
        put(cut);
        assert_int_equal(append(&file, "{\"a\":3}"), 0);
        const char *now = there();
        size_t kept = strlen(now) - strlen(",\n{\"a\":3}\n]\n");
        assert_string_equal(now + kept, ",\n{\"a\":3}\n]\n");
        assert_int_equal(now[kept - 1], '}');
        assert_int_equal(strncmp(now, whole, kept), 0);
        assert_true(kept + 10 >= length || kept + strlen(",\n{\"a\":2}\n]") >= length);
        keel_array_file_close(&file);
    }
}

static void opens_again_what_was_closed(void **state)
{
    (void)state;
    assert_int_equal(keel_array_file_open(&file, path, HEAD, SAME), 0);
    close(file.descriptor);
    assert_int_equal(append(&file, "{\"a\":1}"), 0);
    close(file.descriptor);
    int elsewhere = open("/dev/null", O_RDWR);
    assert_int_equal(dup2(elsewhere, file.descriptor), file.descriptor);
    assert_int_equal(append(&file, "{\"a\":2}"), 0);
    assert_string_equal(there(), "[\n" HEAD ",\n{\"a\":1},\n{\"a\":2}\n]\n");
    close(file.descriptor);
    close(elsewhere);
    unlink(path);
    assert_int_equal(append(&file, "{\"a\":3}"), EBADF);
}

static void does_not_wait_for_ever(void **state)
{
    (void)state;
    assert_int_equal(keel_array_file_open(&file, path, HEAD, SAME), 0);
    int holder = open(path, O_RDONLY);
    assert_int_equal(flock(holder, LOCK_EX), 0);
    assert_int_equal(append(&file, "{\"a\":1}"), EBUSY);
    close(holder);
    assert_int_equal(append(&file, "{\"a\":2}"), 0);
    assert_string_equal(there(), "[\n" HEAD ",\n{\"a\":2}\n]\n");
    keel_array_file_close(&file);
}

/* Pieces of four processes at the same time. */
static void takes_pieces_of_many(void **state)
{
    size_t elements = 0;

    (void)state;
    for (int i = 0; i < 4; i++) {
        if (fork() == 0) {
            int error = keel_array_file_open(&file, path, HEAD, SAME);
            for (int k = 0; k < 200 && error == 0; k++) {
                error = append(&file, "{\"a\":1},\n{\"a\":2}");
            }
            _exit(error != 0);
        }
    }
    for (int i = 0; i < 4; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    for (const char *c = there(); *c != '\0'; c++) {
        elements += strncmp(c, ",\n{\"a\":", 7) == 0;
    }
    assert_int_equal(elements, 4 * 200 * 2);
    assert_string_equal(content + strlen(content) - 4, "}\n]\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(is_whole_after_each_piece),   TEST(goes_on_with_its_job_s),
        TEST(replaces_what_is_not),        TEST(cuts_off_what_a_killed_writer_left),
        TEST(opens_again_what_was_closed), TEST(does_not_wait_for_ever),
        TEST(takes_pieces_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
