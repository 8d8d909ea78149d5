/* The memory of one array of rows. */
#include "mpi_backend/rows/row_store.h"

#include <sys/mman.h>
#include <unistd.h>

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t page_down(size_t bytes)
{
    return bytes - bytes % page_bytes();
}

/* bytes <= SIZE_MAX - page_bytes() */
static size_t page_up(size_t bytes)
{
    return page_down(bytes + page_bytes() - 1);
}

/* Addresses that nothing is behind; `place`: those to take, NULL: any. Without MAP_NORESERVE, so
 * that a page is counted when it is held, and there is an error to return if there are too few. */
static void *reserve(void *place, size_t bytes)
{
    int fixed = place != NULL ? MAP_FIXED : 0;

    return mmap(place, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
}

bool keel_mpi_store_open(struct keel_mpi_store *store, uint64_t rows, size_t row_bytes)
{
    size_t bytes;

    *store = (struct keel_mpi_store){.row_bytes = row_bytes};
    if (__builtin_mul_overflow(rows, row_bytes, &bytes) || bytes > SIZE_MAX - page_bytes()) {
        return false;
    }
    /* Without rows, too, an array has an address of its own. */
    bytes = page_up(bytes > 0 ? bytes : 1);
    void *base = reserve(NULL, bytes);
    if (base == MAP_FAILED) {
        return false;
    }
    store->base = base;
    store->bytes = bytes;
    return true;
}

bool keel_mpi_store_commit(struct keel_mpi_store *store, uint64_t first, uint64_t last)
{
    if (first >= last) {
        return true;
    }
    size_t from = page_down(first * store->row_bytes), end = page_up(last * store->row_bytes);

    return mprotect(store->base + from, end - from, PROT_READ | PROT_WRITE) == 0;
}

/* Bytes [from, end), whole pages if any. They are mapped anew rather than made empty and closed to
 * access: the kernel goes on counting pages that were writable once, mprotect(2) or not. Where it
 * has no memory for that, they stay. */
static void give_back(struct keel_mpi_store *store, size_t from, size_t end)
{
    if (from < end) {
        (void)reserve(store->base + from, end - from);
    }
}

void keel_mpi_store_trim(struct keel_mpi_store *store, const struct keel_mpi_range *range,
                         size_t count)
{
    size_t from = 0;

    for (size_t i = 0; i < count; i++) {
        if (range[i].first < range[i].last) {
            give_back(store, from, page_down(range[i].first * store->row_bytes));
            from = page_up(range[i].last * store->row_bytes);
        }
    }
    give_back(store, from, store->bytes);
}

void keel_mpi_store_close(struct keel_mpi_store *store)
{
    if (store->base != NULL) {
        munmap(store->base, store->bytes);
    }
    *store = (struct keel_mpi_store){0};
}
