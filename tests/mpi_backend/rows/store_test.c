/* Memory of rows: held pages can be used and keep what is in them, others are no memory. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi_backend/rows/placement.h"
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

/* --- memory that counts --- */

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

BEFORE_TESTS
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    if (pipe(probe) != 0) {
        abort();
    }
}
