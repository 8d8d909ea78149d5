/* Arrays and items of a distribution, and the halo of arrays. */
#include "mpi_backend/rows/rows_room.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi_backend/job/job.h"
#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/rows/placement.h"
#include "mpi_backend/rows/rows_constants.h"
#include "omp_ext/support/message.h"

/* --- halos ---
 *
 * The halo of arrays: rows around own ones are received from the ranks that own them.
 *
 *   placement -> plan -> memory, room for requests -> [exchange: from array to array]
 *
 * All memory of an exchange is allocated before rows move. So an exchange cannot run out of memory,
 * and no rank waits for one that did. */

struct keel_mpi_halo {
    struct keel_mpi_halo_plan plan;     /* for rows->placement; its rows have memory */
    struct keel_mpi_halo_plan prepared; /* until it is known whether rows move */
    MPI_Request *request;               /* room for the messages of either plan */
    size_t room, pending;               /* requests: allocated, in use */
    bool begun;                         /* by the program, which has not ended it yet */
    bool moved;                         /* rows have moved since then */
    bool selected;                      /* the call that runs is for this array */
};

/* --- plans --- */

static int wait_for_all(struct keel_mpi_peers *peers, struct keel_mpi_halo *halo)
{
    int code =
        keel_mpi_peers_await(peers, "where halos are exchanged", (int)halo->pending, halo->request);

    if (code == KEEL_MPI_OK) {
        halo->pending = 0;
    }
    return code;
}

static bool reserve_requests(struct keel_mpi_halo *halo, const struct keel_mpi_halo_plan *plan)
{
    size_t messages = plan->receives.count + plan->sends.count;

    if (messages <= halo->room) {
        return true;
    }
    MPI_Request *grown =
        messages > INT_MAX ? NULL : realloc(halo->request, messages * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    halo->request = grown;
    halo->room = messages;
    return true;
}

static bool hold_here(struct keel_mpi_store *store, const struct keel_mpi_range_list *here)
{
    for (size_t i = 0; i < here->count; i++) {
        if (!keel_mpi_store_commit(store, here->range[i].first, here->range[i].last)) {
            return false;
        }
    }
    return true;
}

bool keel_mpi_halo_prepare(struct keel_mpi_rows *rows, struct keel_mpi_array *array,
                           const struct keel_mpi_placement *placement)
{
    if (array->plan == NULL) {
        array->plan = calloc(1, sizeof *array->plan);
    }
    struct keel_mpi_halo *halo = array->plan;
    if (halo == NULL || wait_for_all(&rows->peers, halo) != KEEL_MPI_OK) {
        return false;
    }
    keel_mpi_halo_plan_free(&halo->prepared);
    return keel_mpi_halo_plan_make(&halo->prepared, placement, rows->rank, array->halo, INT_MAX) &&
           reserve_requests(halo, &halo->prepared) &&
           hold_here(&array->store, &halo->prepared.here);
}

void keel_mpi_halo_take(struct keel_mpi_array *array)
{
    struct keel_mpi_halo *halo = array->plan;

    keel_mpi_halo_plan_free(&halo->plan);
    halo->plan = halo->prepared;
    halo->prepared = (struct keel_mpi_halo_plan){0};
    halo->moved = halo->begun;
}

void keel_mpi_halo_trim(struct keel_mpi_array *array)
{
    const struct keel_mpi_range_list *here = &array->plan->plan.here;

    keel_mpi_store_trim(&array->store, here->range, here->count);
}

/* Frees the plans of an array; an exchange that is pending is completed first. */
static void free_halo(struct keel_mpi_peers *peers, struct keel_mpi_array *array)
{
    struct keel_mpi_halo *halo = array->plan;

    if (halo != NULL && wait_for_all(peers, halo) == KEEL_MPI_OK) {
        keel_mpi_halo_plan_free(&halo->plan);
        keel_mpi_halo_plan_free(&halo->prepared);
        free(halo->request);
        free(halo);
    }
    array->plan = NULL;
}

/* --- one array --- */

static char *address_of(const struct keel_mpi_array *array, uint64_t row)
{
    return array->store.base + (size_t)row * keel_mpi_array_row_bytes(array);
}

/* Tags differ between arrays, unless there are many: ranks may begin exchanges of arrays in
 * different orders. */
static int tag_of(size_t array, size_t piece)
{
    return keel_mpi_rows_tag(KEEL_MPI_TAG_HALO,
                             array * KEEL_MPI_HALO_PIECES + piece % KEEL_MPI_HALO_PIECES);
}

static void start_pieces(struct keel_mpi_rows *rows, struct keel_mpi_array *array,
                         const struct keel_mpi_halo_pieces *pieces, bool sends)
{
    struct keel_mpi_halo *halo = array->plan;
    size_t number = keel_mpi_rows_array_number(rows, array);

    for (size_t i = 0, place = 0; i < pieces->count; i++) {
        const struct keel_mpi_halo_piece *piece = &pieces->piece[i];
        MPI_Request *request = &halo->request[halo->pending++];

        place = i > 0 && piece[-1].rank == piece->rank ? place + 1 : 0;
        keel_mpi_rows_message_start(
            &rows->peers,
            &(struct keel_mpi_rows_message){.sends = sends,
                                            .at = address_of(array, piece->first),
                                            .bytes = (piece->last - piece->first) *
                                                     keel_mpi_array_row_bytes(array),
                                            .rank = (int)piece->rank,
                                            .tag = tag_of(number, place),
                                            .comm = rows->peers.comm},
            request);
    }
}

static void start(struct keel_mpi_rows *rows, struct keel_mpi_array *array)
{
    start_pieces(rows, array, &array->plan->plan.receives, false);
    start_pieces(rows, array, &array->plan->plan.sends, true);
    array->plan->begun = true;
    array->plan->moved = false;
}

/* Returns KEEL_MPI_ARGUMENT, after a message, if rows have moved since the exchange began: the rows
 * received are not the halo of the current own rows. */
static int finish(struct keel_mpi_rows *rows, struct keel_mpi_array *array)
{
    struct keel_mpi_halo *halo = array->plan;
    int code = wait_for_all(&rows->peers, halo);

    if (code != KEEL_MPI_OK) {
        return code;
    }
    halo->begun = false;
    if (halo->moved) {
        keel_mpi_misuse(
            "rows have moved since keel_mpi_rows_exchange_begin() was called for the "
            "array at %p, expected keel_mpi_rows_exchange_end() before; its halo is not "
            "up to date",
            (void *)array->store.base);
    }
    return halo->moved ? KEEL_MPI_ARGUMENT : KEEL_MPI_OK;
}

static void say_begun(const struct keel_mpi_array *array)
{
    keel_mpi_misuse("the exchange of the array at %p has been begun already, expected "
                    "keel_mpi_rows_exchange_end() first; no exchange is begun",
                    (void *)array->store.base);
}

static void say_not_begun(const void *base)
{
    char array[64] = "";

    if (base != NULL) {
        snprintf(array, sizeof array, " of the array at %p", base);
    }
    keel_mpi_misuse("no exchange%s has been begun, expected keel_mpi_rows_exchange_begin() first; "
                    "nothing is done",
                    array);
}

/* --- one, or all that have a halo --- */

/* Whether a call for `base` is for this array: NULL means all that have a halo. */
static bool is_selected(const struct keel_mpi_array *array, const void *base)
{
    return base != NULL ? array->store.base == base : array->halo > 0;
}

/* Returns KEEL_MPI_OK, or the error of the call after a message. */
static int check(struct keel_mpi_rows *rows, const void *base)
{
    int code = keel_mpi_rows_check(rows);

    if (code == KEEL_MPI_OK) {
        /* an awaited neighbour may not know yet that other ranks have given up */
        keel_mpi_peers_poll_every(&rows->peers, false, keel_mpi_clock_s(), KEEL_MPI_POLLS_CLOSE_S);
        code = keel_mpi_peers_code(&rows->peers);
    }
    if (code == KEEL_MPI_OK && base != NULL && keel_mpi_rows_find_array(rows, base) == NULL) {
        code = KEEL_MPI_ARGUMENT;
    }
    return code;
}

/* all: skips arrays whose exchange has begun already; otherwise that is an error. */
static int begin(struct keel_mpi_rows *rows, const void *base, bool all)
{
    rows->exchanges++;
    for (struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        array->plan->selected = is_selected(array, base) && !(all && array->plan->begun);
        if (array->plan->selected && array->plan->begun) {
            say_begun(array);
            return KEEL_MPI_ARGUMENT;
        }
    }
    for (struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        if (array->plan->selected) {
            start(rows, array);
        }
    }
    return keel_mpi_peers_code(&rows->peers);
}

/* Ends the exchanges of the selected arrays. */
static int end(struct keel_mpi_rows *rows)
{
    int code = KEEL_MPI_OK;

    for (struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        if (array->plan->selected) {
            int one = finish(rows, array);
            code = one > code ? one : code;
        }
    }
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_exchange_begin(struct keel_mpi_rows *rows, const void *base)
{
    int code = check(rows, base);

    return code == KEEL_MPI_OK ? begin(rows, base, false) : code;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_exchange_end(struct keel_mpi_rows *rows, const void *base)
{
    int code = check(rows, base);
    bool selected = false, begun = false;

    if (code != KEEL_MPI_OK) {
        return code;
    }
    for (struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        selected = selected || is_selected(array, base);
        array->plan->selected = (is_selected(array, base) || base == NULL) && array->plan->begun;
        begun = begun || array->plan->selected;
    }
    if (selected && !begun) {
        say_not_begun(base);
        return KEEL_MPI_ARGUMENT;
    }
    return end(rows);
}

KEEL_MPI_PUBLIC int keel_mpi_rows_exchange(struct keel_mpi_rows *rows, const void *base)
{
    int code = check(rows, base);

    if (code == KEEL_MPI_OK) {
        code = begin(rows, base, base == NULL);
    }
    return code == KEEL_MPI_OK ? end(rows) : code;
}

/* --- arrays and items --- */

static void free_array(struct keel_mpi_peers *peers, struct keel_mpi_array *array)
{
    free_halo(peers, array);
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

/* Returns a new array; NULL: no memory. */
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

    if (base != NULL) {
        *base = NULL;
    }
    if (code != KEEL_MPI_OK) {
        return code;
    }
    if (size == 0 || length == 0 || base == NULL) {
        keel_mpi_misuse("keel_mpi_rows_array(): elements of %zu bytes, %llu in a row, address %p: "
                        "expected at least 1 each, and not NULL; there is no array",
                        size, (unsigned long long)length, (void *)base);
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
    if (base != NULL) {
        *base = NULL;
    }
    if (keel_mpi_rows_is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    const struct keel_mpi_array *array = rows->arrays;
    for (size_t i = 0; i < number && array != NULL; i++) {
        array = array->next;
    }
    if (array == NULL || base == NULL) {
        keel_mpi_misuse("keel_mpi_rows_address(): array %zu, address %p: expected an array that "
                        "keel_mpi_rows_array() has added, counted from 0, and not NULL",
                        number, (void *)base);
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

    /* the struct of an older program may end before drop() */
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
