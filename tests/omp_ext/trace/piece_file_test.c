/* A file that grows by pieces, and is whole after each. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/trace/piece_file.h"
#include "tests/support/unit.h"

#define HEAD "[\n{\"job\":1,\"own\":2}"
#define CLOSE "\n]\n"

static struct keel_piece_file file;
static char path[4096], content[1 << 16];

static int begin(void **state)
{
    const char *folder = getenv("TEST_TMPDIR");

    (void)state;
    snprintf(path, sizeof path, "%s/pieces.%ld.json", folder != NULL ? folder : "/tmp",
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

static int append(struct keel_piece_file *to, const char *element)
{
    char text[256];

    snprintf(text, sizeof text, ",\n%s", element);
    return keel_piece_file_append(to, text, strlen(text));
}

static void put(const char *bytes)
{
    FILE *stream = fopen(path, "w");

    fputs(bytes, stream);
    fclose(stream);
}

TEST_WITH(is_whole_after_each_piece, begin, end)
{
    assert_int_equal(keel_piece_file_open(&file, path, HEAD, CLOSE), 0);
    assert_string_equal(there(), HEAD CLOSE);
    assert_int_equal(append(&file, "{\"a\":1}"), 0);
    assert_string_equal(there(), HEAD ",\n{\"a\":1}" CLOSE);
    assert_int_equal(append(&file, "{\"a\":2},\n{\"a\":3}"), 0);
    keel_piece_file_close(&file);
    assert_string_equal(there(), HEAD ",\n{\"a\":1},\n{\"a\":2},\n{\"a\":3}" CLOSE);
}

TEST_WITH(replaces_what_was_there, begin, end)
{
    const char *const before[] = {HEAD CLOSE, "something", "", HEAD ",\n{\"a\":"};

    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        put(before[i]);
        assert_int_equal(keel_piece_file_open(&file, path, HEAD, CLOSE), 0);
        assert_string_equal(there(), HEAD CLOSE);
        put("another's");
        assert_int_equal(append(&file, "{\"a\":1}"), ESTALE);
        assert_string_equal(there(), "another's");
        keel_piece_file_close(&file);
    }
}

TEST_WITH(lines_need_no_close, begin, end)
{
    char text[32] = "1,2\n";

    put("a,b\n3,4\n");
    assert_int_equal(keel_piece_file_open(&file, path, "a,b\n", ""), 0);
    assert_int_equal(keel_piece_file_append(&file, text, 4), 0);
    assert_int_equal(keel_piece_file_append(&file, text, 4), 0);
    keel_piece_file_close(&file);
    assert_string_equal(there(), "a,b\n1,2\n1,2\n");
}

TEST_WITH(what_the_program_has_closed_is_not_written_to, begin, end)
{
    assert_int_equal(keel_piece_file_open(&file, path, HEAD, CLOSE), 0);
    assert_int_equal(append(&file, "{\"a\":1}"), 0);
    close(file.descriptor);
    int elsewhere = open("/dev/null", O_RDWR);
    assert_int_equal(dup2(elsewhere, file.descriptor), file.descriptor);
    assert_int_equal(append(&file, "{\"a\":2}"), EBADF);
    assert_string_equal(there(), HEAD ",\n{\"a\":1}" CLOSE);
}
