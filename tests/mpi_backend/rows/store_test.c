/* Memory of rows: the store, plans of halos, and placements. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi_backend/rows/placement.h"
#include "tests/support/wrapped.h"
#include "tests/support/unit.h"

/* --- the store: committed pages can be used and keep their contents, others have no memory --- */

static size_t page; /* bytes */
static int probe[2];

/* --- memory behind addresses --- */

/* Whether a byte can be read: the kernel answers without ending the process. */
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
 * not known. proc_pid_smaps(5), VmFlags. */
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

TEST(pages_are_counted_once_they_are_committed)
{
    struct keel_mpi_store store;

    assert_true(keel_mpi_store_open(&store, 4, page));
    if (is_counted(store.base) < 0) {
        print_message("# the kernel does not show what it counts\n");
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

/* --- plans of halos that programs do not reach: more rows than MPI sends at once, and no memory
 * --- */

TEST(long_pieces_go_in_parts_on_both_sides)
{
    const uint64_t rows = (UINT64_C(1) << 53) - 1, half = rows / 2,
                   halo = 2 * (uint64_t)INT_MAX + 1;
    struct keel_mpi_placement placement;
    struct keel_mpi_halo_plan low, high;

    assert_true(keel_mpi_placement_make(&placement, 2, (uint64_t[]){half, rows - half}));
    assert_true(keel_mpi_halo_plan_make(&low, &placement, 0, halo, INT_MAX));
    assert_true(keel_mpi_halo_plan_make(&high, &placement, 1, halo, INT_MAX));
    assert_int_equal(low.receives.count, 3);
    assert_int_equal(low.receives.piece[0].first, half);
    assert_int_equal(low.receives.piece[0].last, half + INT_MAX);
    assert_int_equal(low.receives.piece[2].last, half + halo);
    assert_int_equal(high.sends.count, 3);
    assert_memory_equal(&high.sends.piece[2].first, &low.receives.piece[2].first,
                        2 * sizeof(uint64_t));
    assert_int_equal(high.receives.piece[0].first, half - halo);
    assert_int_equal(high.here.range[0].first, half - halo);
    assert_int_equal(high.here.range[0].last, rows);
    keel_mpi_halo_plan_free(&low);
    keel_mpi_halo_plan_free(&high);
    keel_mpi_placement_free(&placement);
}

/* Of four ranks, two of which have several runs of rows. */
TEST(without_memory_there_is_no_plan)
{
    struct keel_mpi_transfer far[] = {{0, 3, 2, 4}, {0, 0, 9, 10}};
    struct keel_mpi_placement placement;
    struct keel_mpi_halo_plan plan;
    unsigned calls = 0;

    assert_true(keel_mpi_placement_make(&placement, 4, (uint64_t[]){5, 1, 5, 4}));
    assert_true(keel_mpi_placement_assign(&placement, far, 2));
    for (;; calls++) {
        memory_fails_once_after(calls);
        bool room = keel_mpi_halo_plan_make(&plan, &placement, 0, 1, 1);
        assert_int_equal(room, !memory_works());
        if (room) {
            break;
        }
        assert_null(plan.own.range);
        assert_null(plan.here.range);
        assert_null(plan.receives.piece);
        assert_null(plan.sends.piece);
        assert_int_equal(plan.receives.count + plan.sends.count, 0);
    }
    assert_true(calls > 3);
    assert_int_equal(keel_mpi_range_list_iterations(&plan.own), placement.owned[0]);
    keel_mpi_halo_plan_free(&plan);
    keel_mpi_placement_free(&placement);
}

/* --- placements that programs do not reach: more rows than memory holds, and no memory, without
 * which placements stay as they are --- */

static bool give(struct keel_mpi_placement *placement, uint64_t first, uint64_t last, uint32_t to)
{
    struct keel_mpi_transfer assignment = {0, to, first, last};

    return keel_mpi_placement_assign(placement, &assignment, 1);
}

TEST(two_to_the_53_rows_less_one_are_counted_exactly)
{
    const uint64_t rows = (UINT64_C(1) << 53) - 1, half = rows / 2;
    struct keel_mpi_placement placement;
    uint64_t first, last;

    assert_true(keel_mpi_placement_make(&placement, 2, (uint64_t[]){half, rows - half}));
    assert_int_equal(placement.rows, rows);
    assert_int_equal(keel_mpi_placement_find(&placement, rows - 1), 1);
    assert_true(give(&placement, rows - 1, rows, 0));
    assert_true(give(&placement, 0, 1, 1));
    assert_int_equal(placement.count, 4);
    assert_int_equal(placement.owned[0], half);
    assert_int_equal(placement.owned[1], rows - half);
    assert_true(keel_mpi_placement_at(&placement, 0, half - 1, UINT64_MAX, &first, &last));
    assert_int_equal(first, rows - 1);
    assert_int_equal(last, rows);
    assert_true(keel_mpi_placement_at(&placement, 1, rows - half - 1, 5, &first, &last));
    assert_int_equal(first, rows - 2);
    assert_int_equal(last, rows - 1);
    assert_false(keel_mpi_placement_at(&placement, 1, rows - half, 5, &first, &last));
    assert_true(give(&placement, 0, rows, 1));
    assert_int_equal(placement.count, 1);
    assert_int_equal(placement.owned[1], rows);
    keel_mpi_placement_free(&placement);
}

/* --- without memory --- */

TEST(without_memory_none_is_made)
{
    struct keel_mpi_placement placement, copy;

    for (unsigned calls = 0; calls < 2; calls++) {
        memory_fails_after(calls);
        assert_false(keel_mpi_placement_make(&placement, 2, (uint64_t[]){4, 5}));
        assert_null(placement.run);
        assert_null(placement.owned);
        assert_int_equal(placement.rows, 0);
        assert_true(memory_works());
    }
    assert_true(keel_mpi_placement_make(&placement, 2, (uint64_t[]){4, 5}));
    for (unsigned calls = 0; calls < 2; calls++) {
        memory_fails_after(calls);
        assert_false(keel_mpi_placement_copy(&copy, &placement));
        assert_null(copy.run);
        assert_null(copy.owned);
        assert_true(memory_works());
    }
    keel_mpi_placement_free(&placement);
}

TEST(without_memory_no_rows_are_assigned)
{
    struct keel_mpi_placement placement;

    assert_true(keel_mpi_placement_make(&placement, 2, (uint64_t[]){2, 3}));
    memory_fails_after(0);
    assert_false(give(&placement, 1, 4, 0));
    assert_true(memory_works());
    assert_int_equal(placement.count, 2);
    assert_int_equal(placement.run[0].owner, 0);
    assert_int_equal(placement.run[1].first, 2);
    assert_int_equal(placement.run[1].owner, 1);
    assert_int_equal(placement.owned[0], 2);
    assert_int_equal(placement.owned[1], 3);
    keel_mpi_placement_free(&placement);
}
