/* Memory of rows: held pages can be used and keep what is in them, others are no memory and end
 * the process that touches them. */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi_backend/rows/row_store.h"
#include "tests/support/unit.h"

static size_t page; /* bytes */
static int probe[2];

/* --- what is behind addresses --- */

/* Whether a byte can be read: the kernel says so without ending the process. */
static bool is_there(const char *address)
{
    char byte;

    if (write(probe[1], address, 1) != 1) {
        return false;
    }
    assert_int_equal(read(probe[0], &byte, 1), 1);
    return true;
}

/* Bytes of physical memory behind the store. */
static size_t resident(const struct keel_mpi_store *store)
{
    size_t pages = store->bytes / page, bytes = 0;
    unsigned char *in_core = malloc(pages);

    assert_non_null(in_core);
    assert_int_equal(mincore(store->base, store->bytes, in_core), 0);
    for (size_t i = 0; i < pages; i++) {
        bytes += (in_core[i] & 1) * page;
    }
    free(in_core);
    return bytes;
}

/* The exit status of a child that calls `check`, or - the signal that ended it. */
static int in_a_child(int (*check)(struct keel_mpi_store *store), struct keel_mpi_store *store)
{
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(check(store));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void keep(struct keel_mpi_store *store, uint64_t first, uint64_t last)
{
    keel_mpi_store_trim(store, &(struct keel_mpi_range){first, last}, 1);
}

/* --- rows of all sizes --- */

TEST(rows_of_a_byte_share_pages)
{
    struct keel_mpi_store store;

    assert_true(keel_mpi_store_open(&store, 10 * page, 1));
    assert_int_equal(store.bytes, 10 * page);
    assert_int_equal(resident(&store), 0);
    assert_true(keel_mpi_store_commit(&store, 5, 5));
    assert_false(is_there(store.base + 5));
    assert_true(keel_mpi_store_commit(&store, 5 * page, 6 * page));
    assert_false(is_there(store.base + 6 * page));
    assert_true(keel_mpi_store_commit(&store, page - 1, 3 * page + 1));
    memset(store.base + page - 1, 7, 2 * page + 2);
    assert_int_equal(resident(&store), 4 * page);
    keep(&store, 2 * page - 1, 2 * page); /* one row, the last one of its page */
    assert_int_equal(resident(&store), page);
    assert_int_equal(store.base[page], 7);
    assert_false(is_there(store.base + page - 1));
    assert_false(is_there(store.base + 2 * page));
    keel_mpi_store_close(&store);
}

TEST(no_rows_have_an_address_of_their_own)
{
    struct keel_mpi_store store, other;

    assert_true(keel_mpi_store_open(&store, 0, 8));
    assert_true(keel_mpi_store_open(&other, 0, 8));
    assert_non_null(store.base);
    assert_ptr_not_equal(store.base, other.base);
    assert_true(keel_mpi_store_commit(&store, 0, 0));
    keel_mpi_store_trim(&store, NULL, 0);
    assert_false(is_there(store.base));
    keel_mpi_store_close(&other);
    keel_mpi_store_close(&store);
    keel_mpi_store_close(&store); /* is empty now */
}

TEST(more_bytes_than_there_are_addresses_are_refused)
{
    const uint64_t rows = (UINT64_C(1) << 53) - 1;
    struct keel_mpi_store store;

    assert_false(keel_mpi_store_open(&store, rows, 1));
    assert_false(keel_mpi_store_open(&store, rows, 2048)); /* 2^64 - 2048: in whole pages, 2^64 */
    assert_false(keel_mpi_store_open(&store, rows, 2049)); /* more than 2^64 */
    assert_false(keel_mpi_store_open(&store, rows, SIZE_MAX));
    assert_false(keel_mpi_store_open(&store, 2, SIZE_MAX / 2 + 2)); /* 2^64 + 2 */
    assert_null(store.base);
    assert_int_equal(store.bytes, 0);
    keel_mpi_store_close(&store);
}

/* --- drawn rows, against one flag per page --- */

#define PAGES 40

struct model {
    bool held[PAGES];
    char byte[PAGES]; /* the first one of each page that is held */
};

/* --- without memory --- */

#define MEGABYTE ((size_t)1 << 20)

/* Lets the process have `bytes` more than now. */
static bool limit_memory(size_t bytes)
{
    FILE *status = fopen("/proc/self/status", "r");
    unsigned long long used_kib = 0;
    char line[200];

    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        sscanf(line, "VmData: %llu", &used_kib);
    }
    if (status == NULL || fclose(status) != 0 || used_kib == 0) {
        return false;
    }
    struct rlimit limit = {used_kib * 1024 + bytes, used_kib * 1024 + bytes};
    return setrlimit(RLIMIT_DATA, &limit) == 0;
}

/* Rows of 1 MiB; returns the number of the step that went wrong. */
static int hold_too_much(struct keel_mpi_store *store)
{
    if (!limit_memory(64 * MEGABYTE)) {
        return 1;
    }
    if (!keel_mpi_store_commit(store, 100, 140)) {
        return 2;
    }
    memset(store->base + 100 * MEGABYTE, 7, 40 * MEGABYTE);
    if (keel_mpi_store_commit(store, 80, 180)) {
        return 3;
    }
    for (size_t i = 100 * MEGABYTE; i < 140 * MEGABYTE; i++) {
        if (store->base[i] != 7) {
            return 4;
        }
    }
    store->base[120 * MEGABYTE] = 8; /* can be written, too */
    keep(store, 100, 110);
    if (!keel_mpi_store_commit(store, 500, 550)) { /* what was given back can be had elsewhere */
        return 5;
    }
    return store->base[500 * MEGABYTE] == 0 && store->base[105 * MEGABYTE] == 7 ? 0 : 6;
}

TEST(without_memory_all_that_was_held_stays)
{
    struct keel_mpi_store store;

    assert_true(keel_mpi_store_open(&store, 1000, MEGABYTE));
    assert_int_equal(in_a_child(hold_too_much, &store), 0);
    keel_mpi_store_close(&store);
}

/* Whether the kernel counts the pages at an address as memory of the process, touched or not; -1:
 * it does not say. proc_pid_smaps(5), VmFlags. */
static int is_counted(const char *address)
{
    FILE *smaps = fopen("/proc/self/smaps", "r");
    unsigned long long from, to;
    bool here = false;
    char line[512];
    int counted = -1;

    while (smaps != NULL && fgets(line, sizeof line, smaps) != NULL) {
        if (sscanf(line, "%llx-%llx ", &from, &to) == 2) {
            here = from <= (uintptr_t)address && (uintptr_t)address < to;
        } else if (here && strncmp(line, "VmFlags:", 8) == 0) {
            counted = strstr(line, " ac") != NULL;
        }
    }
    assert_true(smaps == NULL || fclose(smaps) == 0);
    return counted;
}

TEST(pages_are_counted_from_when_they_are_held)
{
    struct keel_mpi_store store;

    assert_true(keel_mpi_store_open(&store, 4, page));
    if (is_counted(store.base) < 0) {
        print_message("# the kernel does not say what it counts\n");
        skip();
    }
    assert_int_equal(is_counted(store.base + page), false);
    assert_true(keel_mpi_store_commit(&store, 0, 4));
    assert_int_equal(is_counted(store.base + page), true);
    keep(&store, 2, 4);
    assert_int_equal(is_counted(store.base + page), false);
    assert_int_equal(is_counted(store.base + 2 * page), true);
    keel_mpi_store_close(&store);
}

/* --- rows that are elsewhere --- */

static int touch_the_second_page(struct keel_mpi_store *store)
{
    return ((volatile char *)store->base)[page];
}

TEST(touching_what_was_given_back_ends_the_process)
{
    struct keel_mpi_store store;

    assert_true(keel_mpi_store_open(&store, 4, page));
    assert_int_equal(in_a_child(touch_the_second_page, &store), -SIGSEGV);
    assert_true(keel_mpi_store_commit(&store, 0, 4));
    assert_int_equal(in_a_child(touch_the_second_page, &store), 0);
    keep(&store, 2, 4);
    assert_int_equal(in_a_child(touch_the_second_page, &store), -SIGSEGV);
    keel_mpi_store_close(&store);
}

BEFORE_TESTS
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    if (pipe(probe) != 0) {
        abort();
    }
}
