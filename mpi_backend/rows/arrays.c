/* Arrays and items of a distribution. */
#include "mpi_backend/rows/rows_room.h"

#include <stdlib.h>

#include "mpi_backend/job/job.h"
#include "mpi_backend/process/mpi_process.h"
#include "omp_ext/support/message.h"

static void free_array(struct keel_mpi_peers *peers, struct keel_mpi_array *array)
{
    keel_mpi_halo_free(peers, array);
    keel_mpi_store_close(&array->store);
    free(array);
}

void keel_mpi_arrays_free(struct keel_mpi_rows *rows)
{
    while (rows->arrays != NULL) {
        struct keel_mpi_array *array = rows->arrays;
        rows->arrays = array->next;
        free_array(&rows->peers, array);
    }
    while (rows->items != NULL) {
        struct keel_mpi_items_entry *items = rows->items;
        rows->items = items->next;
        free(items);
    }
}

/* A new array; NULL: no memory. */
static struct keel_mpi_array *open_array(struct keel_mpi_rows *rows, size_t size, uint64_t length,
                                         uint64_t halo)
{
    struct keel_mpi_array *array = calloc(1, sizeof *array);
    uint64_t count = rows->placement.rows;

    if (array == NULL || length > SIZE_MAX / size ||
        !keel_mpi_store_open(&array->store, count, size * (size_t)length)) {
        free(array);
        return NULL;
    }
    array->halo = halo < count ? halo : count;
    array->element = size;
    array->length = length;
    if (!keel_mpi_halo_prepare(rows, array, &rows->placement)) {
        free_array(&rows->peers, array);
        return NULL;
    }
    return array;
}

bool keel_mpi_arrays_take_over(struct keel_mpi_rows *rows, const struct keel_mpi_rows *from)
{
    struct keel_mpi_array **array = &rows->arrays;
    struct keel_mpi_items_entry **items = &rows->items;

    for (const struct keel_mpi_array *like = from->arrays; like != NULL; like = like->next) {
        *array = open_array(rows, like->element, like->length, like->halo);
        if (*array == NULL) {
            return false;
        }
        keel_mpi_halo_take(*array);
        array = &(*array)->next;
    }
    for (const struct keel_mpi_items_entry *like = from->items; like != NULL; like = like->next) {
        *items = malloc(sizeof **items);
        if (*items == NULL) {
            return false;
        }
        **items = (struct keel_mpi_items_entry){.call = like->call};
        items = &(*items)->next;
    }
    return true;
}

static struct keel_mpi_array **end_of_arrays(struct keel_mpi_rows *rows)
{
    struct keel_mpi_array **link = &rows->arrays;

    while (*link != NULL) {
        link = &(*link)->next;
    }
    return link;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_array(struct keel_mpi_rows *rows, size_t size, uint64_t length,
                                        uint64_t halo, void **base)
{
    struct keel_mpi_array *array = NULL;
    int code = keel_mpi_rows_check(rows);

    *base = NULL;
    if (code != KEEL_MPI_OK) {
        return code;
    }
    if (size == 0 || length == 0) {
        keel_mpi_misuse("keel_mpi_rows_array(): elements of %zu bytes, %llu in a row: expected at "
                        "least 1 each; there is no array",
                        size, (unsigned long long)length);
        code = KEEL_MPI_ARGUMENT;
    } else if ((array = open_array(rows, size, length, halo)) == NULL) {
        keel_message("no memory for an array of %llu rows of %llu elements of %zu bytes",
                     (unsigned long long)rows->placement.rows, (unsigned long long)length, size);
        code = KEEL_MPI_NO_ROOM;
    }
    code = keel_mpi_rows_agree_on(rows, code, (uint64_t[]){size, length, halo}, 3);
    if (code != KEEL_MPI_OK) {
        if (array != NULL) {
            free_array(&rows->peers, array);
        }
        return code;
    }
    keel_mpi_halo_take(array);
    *end_of_arrays(rows) = array;
    *base = array->store.base;
    return KEEL_MPI_OK;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_address(const struct keel_mpi_rows *rows, size_t number,
                                          void **base)
{
    *base = NULL;
    if (keel_mpi_rows_is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    const struct keel_mpi_array *array = rows->arrays;
    for (size_t i = 0; i < number && array != NULL; i++) {
        array = array->next;
    }
    if (array == NULL) {
        keel_mpi_misuse("keel_mpi_rows_address(): there is no array %zu, expected one that "
                        "keel_mpi_rows_array() has added, counted from 0",
                        number);
        return KEEL_MPI_ARGUMENT;
    }
    *base = array->store.base;
    return KEEL_MPI_OK;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_items(struct keel_mpi_rows *rows,
                                        const struct keel_mpi_rows_items *items)
{
    struct keel_mpi_items_entry *added = malloc(sizeof *added), **link;
    int code = keel_mpi_rows_check(rows);

    /* a program that knows no drop() has none */
    if (code == KEEL_MPI_OK &&
        !keel_mpi_sized_check(items, offsetof(struct keel_mpi_rows_items, drop),
                              "keel_mpi_rows_items")) {
        code = KEEL_MPI_ARGUMENT;
    }
    if (code == KEEL_MPI_OK &&
        (items->size == NULL || items->pack == NULL || items->unpack == NULL)) {
        keel_mpi_misuse(
            "keel_mpi_rows_items(): a function is NULL, expected size, pack and unpack; "
            "nothing is added");
        code = KEEL_MPI_ARGUMENT;
    }
    if (code == KEEL_MPI_OK && added == NULL) {
        keel_message("no memory for items of rows");
        code = KEEL_MPI_NO_ROOM;
    }
    if (rows != NULL && keel_mpi_call_check() == KEEL_MPI_OK) {
        code = keel_mpi_rows_agree_for_good(rows, code, 0);
    }
    if (code != KEEL_MPI_OK) {
        free(added);
        return code;
    }
    added->next = NULL;
    keel_mpi_sized_take(&added->call, sizeof added->call, items);
    for (link = &rows->items; *link != NULL; link = &(*link)->next) {
    }
    *link = added;
    return KEEL_MPI_OK;
}
