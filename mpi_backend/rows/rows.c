/* Rows that are distributed over ranks: making them, and questions about them. */
#include "mpi_backend/rows/rows.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/errors.h"
#include "mpi_backend/job/settings.h"
#include "mpi_backend/loop/lender.h"
#include "mpi_backend/results/gather.h"
#include "omp_ext/support/message.h"
#include "schedules/balance/amounts.h"

#define ROWS_MAX (UINT64_C(1) << 43) /* weights take addresses for 8 bytes each */

/* --- calls, and agreeing about them --- */

static bool is_missing(const struct keel_mpi_rows *rows)
{
    if (rows == NULL) {
        keel_message("a distribution of rows is NULL, expected one from keel_mpi_rows_create(); "
                     "nothing is done");
    }
    return rows == NULL;
}

int keel_mpi_rows_check(const struct keel_mpi_rows *rows)
{
    int code = is_missing(rows) ? KEEL_MPI_ARGUMENT : keel_mpi_lender_check_call();

    if (code == KEEL_MPI_ERROR) {
        keel_mpi_peers_fail((struct keel_mpi_peers *)&rows->peers, code); /* the others are told */
    }
    return code == KEEL_MPI_OK ? keel_mpi_peers_code(&rows->peers) : code;
}

static double now_s(void)
{
    return keel_mpi_clock_ns() / 1e9;
}

bool keel_mpi_rows_await(struct keel_mpi_rows *rows, MPI_Request *request)
{
    double began_s = now_s();
    struct keel_mpi_wait_state wait = keel_mpi_wait_begin(
        &rows->peers, "at keel_mpi_rows_balance(), or where ranks agree on rows,");

    wait.limit_s = fmax(keel_mpi_settings()->deadline_s, 10 * (began_s - rows->all_heard_s));
    wait.gives_up = true;
    if (keel_mpi_wait_for(&wait, 1, request) != KEEL_MPI_OK) {
        rows->late = true;
        return false;
    }
    rows->all_heard_s = now_s();
    rows->report.waiting_s += rows->all_heard_s - began_s;
    return true;
}

/* Why it waits for others no more. */
int keel_mpi_rows_late_code(const struct keel_mpi_rows *rows)
{
    int code = keel_mpi_peers_code(&rows->peers);

    return code != KEEL_MPI_OK ? code : KEEL_MPI_LATE;
}

int keel_mpi_rows_agree(struct keel_mpi_rows *rows, int code, uint64_t number)
{
    uint64_t(*word)[4] = rows->agreement;
    MPI_Request request;

    if (rows->late || keel_mpi_peers_code(&rows->peers) != KEEL_MPI_OK) {
        return keel_mpi_rows_late_code(rows);
    }
    memcpy(word[0], (uint64_t[]){(uint64_t)code, number, ~number, rows->weighted}, sizeof word[0]);
    if (!keel_mpi_check(
            &rows->peers,
            MPI_Iallreduce(word[0], word[1], 4, MPI_UINT64_T, MPI_MAX, rows->peers.comm, &request),
            "MPI_Iallreduce") ||
        !keel_mpi_rows_await(rows, &request)) {
        return keel_mpi_rows_late_code(rows);
    }
    rows->weighted = word[1][3] != 0;
    if (word[1][0] != KEEL_MPI_OK) {
        return (int)word[1][0];
    }
    return word[1][1] == ~word[1][2] ? KEEL_MPI_OK : KEEL_MPI_MISMATCH;
}

uint64_t keel_mpi_rows_digest(const uint64_t *number, size_t count)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < count; i++) {
        sum = (sum ^ number[i]) * UINT64_C(0x100000001b3);
        sum ^= sum >> 29;
    }
    return sum;
}

static int agree_on(struct keel_mpi_rows *rows, int code, const uint64_t *number, size_t count)
{
    int all = keel_mpi_rows_agree(rows, code, keel_mpi_rows_digest(number, count));

    if (all == KEEL_MPI_MISMATCH && code == KEEL_MPI_OK && rows->rank == 0) {
        keel_message("ranks have called a function of a distribution of rows with different "
                     "arguments, expected the same on all of them; nothing is done");
    }
    return all;
}

/* Of more bytes than an int counts. */
static bool make_large(struct keel_mpi_peers *peers, uint64_t bytes, MPI_Datatype *type)
{
    int rest = (int)(bytes % INT_MAX);
    MPI_Aint behind = (MPI_Aint)(bytes - (uint64_t)rest);
    MPI_Datatype block;

    return keel_mpi_check(peers, MPI_Type_contiguous(INT_MAX, MPI_BYTE, &block),
                          "MPI_Type_contiguous") &&
           keel_mpi_check(peers,
                          MPI_Type_create_struct(2, (int[]){(int)(bytes / INT_MAX), rest},
                                                 (MPI_Aint[]){0, behind},
                                                 (MPI_Datatype[]){block, MPI_BYTE}, type),
                          "MPI_Type_create_struct") &&
           keel_mpi_check(peers, MPI_Type_free(&block), "MPI_Type_free");
}

MPI_Datatype keel_mpi_rows_bytes_type(struct keel_mpi_peers *peers, uint64_t bytes)
{
    MPI_Datatype type;
    bool made = bytes <= INT_MAX
                    ? keel_mpi_check(peers, MPI_Type_contiguous((int)bytes, MPI_BYTE, &type),
                                     "MPI_Type_contiguous")
                    : make_large(peers, bytes, &type);

    return made && keel_mpi_check(peers, MPI_Type_commit(&type), "MPI_Type_commit")
               ? type
               : MPI_DATATYPE_NULL;
}

/* --- making and ending --- */

/* How many rows each rank has at first; NULL: no memory. */
static uint64_t *first_shares(uint64_t rows, uint32_t ranks)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();
    uint64_t *share = malloc((ranks + (size_t)1) * sizeof *share);
    double *weight = malloc(ranks * sizeof *weight);

    for (uint32_t i = 0; weight != NULL && i < ranks; i++) {
        weight[i] = i < settings->weights ? settings->weight[i] : 1;
    }
    if (share != NULL && weight != NULL) {
        keel_amounts_first_blocks(rows, ranks, settings->weights > 0 ? weight : NULL, share);
        for (uint32_t i = 0; i < ranks; i++) {
            share[i] = share[i + 1] - share[i];
        }
    } else {
        free(share);
        share = NULL;
    }
    free(weight);
    return share;
}

static bool hold_weights(struct keel_mpi_rows *rows)
{
    uint64_t first, last, from = 0;

    while (keel_mpi_placement_next(&rows->placement, rows->rank, from, &first, &last)) {
        if (!keel_mpi_store_commit(&rows->weights, first, last)) {
            return false;
        }
        from = last;
    }
    return true;
}

/* Memory of the calling rank alone. */
static bool prepare(struct keel_mpi_rows *rows, uint64_t count)
{
    uint64_t *share = first_shares(count, rows->ranks);
    bool room = share != NULL && keel_mpi_placement_make(&rows->placement, rows->ranks, share) &&
                keel_mpi_store_open(&rows->weights, count, sizeof(double)) && hold_weights(rows);

    free(share);
    return room;
}

static void release(struct keel_mpi_rows *rows)
{
    if (keel_mpi_peers_code(&rows->peers) != KEEL_MPI_OK) {
        return; /* operations on their way use it */
    }
    keel_mpi_peers_close(&rows->peers);
    keel_mpi_placement_free(&rows->placement);
    keel_mpi_store_close(&rows->weights);
    free(rows->list);
    free(rows);
}

static int look_at_arguments(uint64_t count, unsigned how)
{
    if (count > ROWS_MAX || how > KEEL_MPI_ANY) {
        keel_message("keel_mpi_rows_create(): %llu rows, kind %u: expected up to 2^43 rows and "
                     "KEEL_MPI_ADJACENT or KEEL_MPI_ANY; nothing is distributed",
                     (unsigned long long)count, how);
        return KEEL_MPI_ARGUMENT;
    }
    return KEEL_MPI_OK;
}

/* An empty one; NULL: *code says why. */
static struct keel_mpi_rows *make(MPI_Comm comm, int *code)
{
    struct keel_mpi_rows *rows = calloc(1, sizeof *rows);
    MPI_Comm copy;

    *code = keel_mpi_peers_copy(comm, "in keel_mpi_rows_create()", &copy);
    if (*code == KEEL_MPI_OK) {
        *code = rows != NULL ? keel_mpi_peers_open(&rows->peers, copy) : KEEL_MPI_NO_ROOM;
    }
    if (*code != KEEL_MPI_OK) {
        return NULL; /* operations on their way may use it */
    }
    rows->rank = rows->peers.rank;
    rows->ranks = rows->peers.ranks;
    rows->due = 1; /* begins balancing */
    rows->before = -1;
    rows->all_heard_s = now_s();
    rows->expected = UINT64_MAX;
    return rows;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_create(MPI_Comm comm, uint64_t count, unsigned how,
                                         struct keel_mpi_rows **distribution)
{
    int code = keel_mpi_lender_check_call();

    *distribution = NULL;
    if (code != KEEL_MPI_OK) {
        return code;
    }
    bool usable = keel_mpi_job_is_intracomm(comm);
    if (keel_mpi_check_is_broken()) {
        return KEEL_MPI_ERROR;
    }
    if (!usable) {
        keel_message("rows can be distributed over an intracommunicator only; nothing is "
                     "distributed");
        return KEEL_MPI_COMM;
    }
    struct keel_mpi_rows *rows = make(comm, &code);
    if (rows == NULL) {
        keel_message("no rows can be distributed over this communicator (%s)",
                     keel_mpi_error_name(code));
        return code;
    }
    rows->adjacent = how == KEEL_MPI_ADJACENT;
    code = look_at_arguments(count, how);
    if (code == KEEL_MPI_OK && !prepare(rows, count)) {
        keel_message("no memory for a distribution of %llu rows", (unsigned long long)count);
        code = KEEL_MPI_NO_ROOM;
    }
    code = agree_on(rows, code, (uint64_t[]){count, how}, 2);
    if (code != KEEL_MPI_OK) {
        release(rows);
        return code;
    }
    keel_mpi_rows_update(rows);
    keel_mpi_work_begin_span(rows);
    *distribution = rows;
    return KEEL_MPI_OK;
}

static void free_array(struct keel_mpi_peers *peers, struct keel_mpi_array *array)
{
    keel_mpi_halo_free(peers, array);
    keel_mpi_store_close(&array->store);
    if (array->row != MPI_DATATYPE_NULL) {
        keel_mpi_check(peers, MPI_Type_free(&array->row), "MPI_Type_free");
    }
    free(array);
}

static void free_parts(struct keel_mpi_rows *rows)
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

KEEL_MPI_PUBLIC int keel_mpi_rows_free(struct keel_mpi_rows **distribution)
{
    struct keel_mpi_rows *rows = *distribution;
    int code = is_missing(rows) ? KEEL_MPI_ARGUMENT : keel_mpi_lender_check_call();

    if (code != KEEL_MPI_OK) {
        return code;
    }
    *distribution = NULL;
    if (keel_mpi_peers_code(&rows->peers) != KEEL_MPI_OK) {
        return keel_mpi_peers_code(&rows->peers); /* operations on their way use all of it */
    }
    keel_mpi_balancer_free(rows);
    free_parts(rows);
    if (!rows->late) { /* else operations are pending that use what is left */
        release(rows);
    }
    return KEEL_MPI_OK;
}

/* --- arrays and items --- */

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
    array->row = keel_mpi_rows_bytes_type(&rows->peers, size * length);
    if (array->row == MPI_DATATYPE_NULL || !keel_mpi_halo_prepare(rows, array, &rows->placement)) {
        free_array(&rows->peers, array);
        return NULL;
    }
    return array;
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
        keel_message("keel_mpi_rows_array(): elements of %zu bytes, %llu in a row: expected at "
                     "least 1 each; there is no array",
                     size, (unsigned long long)length);
        code = KEEL_MPI_ARGUMENT;
    } else if ((array = open_array(rows, size, length, halo)) == NULL) {
        keel_message("no memory for an array of %llu rows of %llu elements of %zu bytes",
                     (unsigned long long)rows->placement.rows, (unsigned long long)length, size);
        code = KEEL_MPI_NO_ROOM;
    }
    code = agree_on(rows, code, (uint64_t[]){size, length, halo}, 3);
    if (code != KEEL_MPI_OK) {
        if (array != NULL) {
            free_array(&rows->peers, array);
        }
        return code;
    }
    keel_mpi_halo_commit(rows, array);
    *end_of_arrays(rows) = array;
    *base = array->store.base;
    return KEEL_MPI_OK;
}

struct keel_mpi_array *keel_mpi_rows_find_array(const struct keel_mpi_rows *rows, const void *base)
{
    for (struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        if (array->store.base == base) {
            return array;
        }
    }
    keel_message("there is no array at %p, expected the address that keel_mpi_rows_array() gave; "
                 "nothing is done",
                 base);
    return NULL;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_items(struct keel_mpi_rows *rows,
                                        const struct keel_mpi_rows_items *items)
{
    struct keel_mpi_items_entry *added = malloc(sizeof *added), **link;
    int code = keel_mpi_rows_check(rows);

    if (code == KEEL_MPI_OK &&
        (items->size == NULL || items->pack == NULL || items->unpack == NULL)) {
        keel_message("keel_mpi_rows_items(): a function is NULL, expected size, pack and unpack; "
                     "nothing is added");
        code = KEEL_MPI_ARGUMENT;
    }
    if (code == KEEL_MPI_OK && added == NULL) {
        keel_message("no memory for items of rows");
        code = KEEL_MPI_NO_ROOM;
    }
    if (rows != NULL && keel_mpi_lender_check_call() == KEEL_MPI_OK) {
        code = keel_mpi_rows_agree(rows, code, 0);
    }
    if (code != KEEL_MPI_OK) {
        free(added);
        return code;
    }
    *added = (struct keel_mpi_items_entry){.call = *items};
    for (link = &rows->items; *link != NULL; link = &(*link)->next) {
    }
    *link = added;
    return KEEL_MPI_OK;
}

/* --- where rows are --- */

KEEL_MPI_PUBLIC int keel_mpi_rows_bounds(const struct keel_mpi_rows *rows, uint64_t *first,
                                         uint64_t *last)
{
    uint64_t before = 0;

    *first = *last = 0;
    if (is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    const struct keel_mpi_placement *placement = &rows->placement;
    if (placement->owned[rows->rank] > 0) {
        keel_mpi_placement_next(placement, rows->rank, 0, first, last);
        return *last - *first == placement->owned[rows->rank] ? KEEL_MPI_OK : KEEL_MPI_ARGUMENT;
    }
    for (uint32_t i = 0; i < rows->rank; i++) {
        before += placement->owned[i];
    }
    *first = *last = before;
    return KEEL_MPI_OK;
}

static uint64_t *list_own(const struct keel_mpi_rows *rows)
{
    const struct keel_mpi_placement *placement = &rows->placement;
    uint64_t count = placement->owned[rows->rank], place = 0;
    uint64_t *list = malloc((count > 0 ? count : 1) * sizeof *list);

    for (size_t i = 0; list != NULL && i < placement->count; i++) {
        uint64_t end = keel_mpi_placement_end(placement, i);
        for (uint64_t row = placement->run[i].first;
             placement->run[i].owner == rows->rank && row < end; row++) {
            list[place++] = row;
        }
    }
    return list;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_list(struct keel_mpi_rows *rows, const uint64_t **row,
                                       uint64_t *count)
{
    *row = NULL;
    *count = 0;
    if (is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    if (rows->list == NULL) {
        rows->list = list_own(rows);
    }
    *row = rows->list;
    *count = rows->list != NULL ? rows->placement.owned[rows->rank] : 0;
    if (rows->list == NULL) {
        keel_message("no memory for a list of own rows");
    }
    return rows->list != NULL ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_owner(const struct keel_mpi_rows *rows, uint64_t row, int *rank)
{
    if (is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    if (row >= rows->placement.rows) {
        keel_message("keel_mpi_rows_owner(): there is no row %llu, expected one below %llu",
                     (unsigned long long)row, (unsigned long long)rows->placement.rows);
        return KEEL_MPI_ARGUMENT;
    }
    *rank = (int)rows->placement.run[keel_mpi_placement_find(&rows->placement, row)].owner;
    return KEEL_MPI_OK;
}

/* --- weights --- */

static double sum_weights(const struct keel_mpi_rows *rows)
{
    const struct keel_mpi_placement *placement = &rows->placement;
    double sum = 0;

    if (!rows->weighted) {
        return (double)placement->owned[rows->rank];
    }
    for (size_t i = 0; i < placement->count; i++) {
        uint64_t end = keel_mpi_placement_end(placement, i);
        for (uint64_t row = placement->run[i].first;
             placement->run[i].owner == rows->rank && row < end; row++) {
            sum += keel_mpi_rows_weight_of(rows, row);
        }
    }
    return sum;
}

void keel_mpi_rows_update(struct keel_mpi_rows *rows)
{
    free(rows->list);
    rows->list = NULL;
    rows->work = rows->report.work = sum_weights(rows);
}

static bool are_own(const struct keel_mpi_rows *rows, uint64_t first, uint64_t last)
{
    const struct keel_mpi_placement *placement = &rows->placement;

    if (first == last) {
        return last <= placement->rows;
    }
    if (first > last || last > placement->rows) {
        return false;
    }
    size_t i = keel_mpi_placement_find(placement, first);
    return placement->run[i].owner == rows->rank && last <= keel_mpi_placement_end(placement, i);
}

#define DRIFT 1e-3

static int weigh(struct keel_mpi_rows *rows, uint64_t first, uint64_t last, const double *weight,
                 const char *function)
{
    if (is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    double *own = (double *)(void *)rows->weights.base;
    bool fits = are_own(rows, first, last);

    for (uint64_t row = first; fits && row < last; row++) {
        fits = weight[row - first] >= 0 && !isinf(weight[row - first]);
    }
    if (!fits) {
        keel_message("%s(): rows %llu to %llu are not one's own, or a weight is negative or no "
                     "number; weights stay as they are",
                     function, (unsigned long long)first, (unsigned long long)last);
        return KEEL_MPI_ARGUMENT;
    }
    double change = 0;
    for (uint64_t row = first; row < last; row++) {
        change += weight[row - first] - keel_mpi_rows_weight_of(rows, row);
        own[row] = keel_mpi_weight_encode(weight[row - first]);
    }
    rows->weighted = true;
    /* sums of differences drift; that of a whole block, or of much smaller weights, is made afresh
     */
    bool afresh = last - first == rows->placement.owned[rows->rank] ||
                  rows->work + change < DRIFT * rows->work;
    rows->work = afresh ? sum_weights(rows) : rows->work + change;
    return KEEL_MPI_OK;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_weigh(struct keel_mpi_rows *rows, uint64_t first, uint64_t last,
                                        const double *weight)
{
    return weigh(rows, first, last, weight, "keel_mpi_rows_weigh");
}

KEEL_MPI_PUBLIC int keel_mpi_rows_weigh_ahead(struct keel_mpi_rows *rows, uint64_t first,
                                              uint64_t last, const double *weight)
{
    double before = rows != NULL ? rows->work : 0;
    int code = weigh(rows, first, last, weight, "keel_mpi_rows_weigh_ahead");

    if (code == KEEL_MPI_OK && rows->before < 0) {
        rows->before = before;
    }
    return code;
}

/* --- bringing together --- */

bool keel_mpi_rows_own_ranges(const struct keel_mpi_rows *rows, struct keel_mpi_range_list *own)
{
    const struct keel_mpi_placement *placement = &rows->placement;

    *own = (struct keel_mpi_range_list){0};
    for (size_t i = 0; i < placement->count; i++) {
        if (placement->run[i].owner == rows->rank) {
            keel_mpi_range_list_note(own, placement->run[i].first,
                                     keel_mpi_placement_end(placement, i));
        }
    }
    return !own->incomplete;
}

static void copy_own(const struct keel_mpi_array *array, const struct keel_mpi_range_list *own,
                     char *buffer)
{
    size_t bytes = keel_mpi_array_row_bytes(array);

    for (size_t i = 0; i < own->count; i++) {
        size_t at = (size_t)own->range[i].first * bytes;
        memcpy(buffer + at, array->store.base + at,
               (size_t)(own->range[i].last - own->range[i].first) * bytes);
    }
}

/* Whether there is one where it is needed, which is said otherwise. */
static bool has_buffer(const struct keel_mpi_rows *rows, const void *buffer, bool takes)
{
    bool has = !takes || buffer != NULL || rows->placement.rows == 0;

    if (!has) {
        keel_message("rows are to be brought together on rank %u in a buffer that is NULL, "
                     "expected room for all %llu; nothing is done",
                     rows->rank, (unsigned long long)rows->placement.rows);
    }
    return has;
}

static int bring_together(struct keel_mpi_rows *rows, const void *base, void *buffer, int root)
{
    int code = keel_mpi_rows_check(rows);
    struct keel_mpi_range_list own = {0};

    if (code != KEEL_MPI_OK) {
        return code;
    }
    struct keel_mpi_array *array = keel_mpi_rows_find_array(rows, base);
    bool takes = root == KEEL_MPI_GATHER_ALL || root == (int)rows->rank;
    code = array == NULL || !has_buffer(rows, buffer, takes) ? KEEL_MPI_ARGUMENT
           : keel_mpi_rows_own_ranges(rows, &own)            ? KEEL_MPI_OK
                                                             : KEEL_MPI_NO_ROOM;
    code = keel_mpi_rows_agree(rows, code, (uint64_t)root);
    if (code == KEEL_MPI_OK) {
        if (takes && buffer != NULL) {
            copy_own(array, &own, buffer);
        }
        code = keel_mpi_gather_ranges(&rows->peers, rows->placement.rows, &own,
                                      takes ? buffer : array->store.base,
                                      keel_mpi_array_row_bytes(array), MPI_BYTE, root);
    }
    if (keel_mpi_peers_code(&rows->peers) ==
        KEEL_MPI_OK) { /* else operations on their way use it */
        keel_mpi_range_list_free(&own);
    }
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_gather(struct keel_mpi_rows *rows, const void *array,
                                         void *buffer, int root)
{
    return bring_together(rows, array, buffer, root);
}

KEEL_MPI_PUBLIC int keel_mpi_rows_allgather(struct keel_mpi_rows *rows, const void *array,
                                            void *buffer)
{
    return bring_together(rows, array, buffer, KEEL_MPI_GATHER_ALL);
}

/* --- balancing --- */

KEEL_MPI_PUBLIC int keel_mpi_rows_set_balance(struct keel_mpi_rows *rows, const char *policy)
{
    char problem[KEEL_PROBLEM_MAX] = "";

    if (is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    rows->asks = policy != NULL && keel_rows_policy_read(policy, &rows->asked, problem);
    if (problem[0] != '\0') {
        keel_message("keel_mpi_rows_set_balance(): %s%s", problem,
                     rows->asks ? "" : "; it counts as not called");
    }
    return rows->asks || policy == NULL ? KEEL_MPI_OK : KEEL_MPI_ARGUMENT;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_expect(struct keel_mpi_rows *rows, uint64_t hooks)
{
    if (is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    rows->expected = hooks < UINT64_MAX - rows->hooks ? rows->hooks + hooks : UINT64_MAX;
    return KEEL_MPI_OK;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_move(struct keel_mpi_rows *rows, const uint64_t *shares)
{
    int code = keel_mpi_rows_check(rows);
    struct keel_mpi_moved moved;

    return code == KEEL_MPI_OK ? keel_mpi_movement_make(rows, shares, &moved) : code;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_report(const struct keel_mpi_rows *rows,
                                         struct keel_mpi_rows_report *report)
{
    *report = (struct keel_mpi_rows_report){0};
    if (is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    *report = rows->report;
    report->busy_s += keel_mpi_work_busy(rows);
    report->hooks = rows->hooks;
    report->work = rows->work;
    return KEEL_MPI_OK;
}
