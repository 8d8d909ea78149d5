/* Rows that are distributed over ranks: what one rank keeps of them.
 *
 *   rows.c (public functions) -> placement.h: who has which rows
 *                             -> store.h: their memory; halo.c: what others have of them
 *                             -> balance.c: the hook -> movement.c: rows go
 *                             -> pipeline.c: sweeps
 *
 * One thread of a process at a time, which may call MPI. */
#ifndef MPI_BACKEND_ROWS_ROWS_H
#define MPI_BACKEND_ROWS_ROWS_H

#include <mpi.h>
#include <stdio.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/peers.h"
#include "mpi_backend/results/range_list.h"
#include "mpi_backend/rows/balance/weighted_rows.h"
#include "mpi_backend/rows/placement.h"
#include "mpi_backend/rows/store.h"
#include "schedules/ranks/rows_policy.h"

/* Of point-to-point messages over rows->comm. Messages of one kind between two ranks are sent and
 * received in the same order. */
enum keel_mpi_rows_tag {
    KEEL_MPI_TAG_HALO = 1, /* gather.c has 0 */
    KEEL_MPI_TAG_SIZES,    /* of the items of rows that move */
    KEEL_MPI_TAG_ROWS,
    KEEL_MPI_TAG_ITEMS,
    KEEL_MPI_TAG_SWEEP, /* borders of a pipelined sweep */
    KEEL_MPI_TAG_PROBE  /* measures messages */
};

/* Of message `number` of that kind between two ranks, both of which number them alike: SMPI takes
 * messages of one tag out of turn where only some of them are long. MPI promises tags up to 32767.
 */
#define KEEL_MPI_TAG_KINDS 16
static inline int keel_mpi_rows_tag(enum keel_mpi_rows_tag kind, size_t number)
{
    return (int)kind + KEEL_MPI_TAG_KINDS * (int)(number % 2048);
}

struct keel_loop_counters;
struct keel_mpi_halo;
struct keel_mpi_balancer;

struct keel_mpi_array {
    struct keel_mpi_array *next; /* the one added after it */
    struct keel_mpi_store store;
    uint64_t halo;
    size_t element; /* bytes of an element, and how many a row has */
    uint64_t length;
    MPI_Datatype row;           /* one row */
    struct keel_mpi_halo *plan; /* halo.c; NULL: none for the present placement */
};

struct keel_mpi_items_entry {
    struct keel_mpi_items_entry *next;
    struct keel_mpi_rows_items call;
};

/* Fields without a note are written by rows.c when the distribution is made. */
struct keel_mpi_rows {
    /* Of each call of the hook; the first two are compared there, see balance.c. */
    uint64_t hooks; /* calls so far */
    uint64_t due;   /* the one that does more than count; UINT64_MAX: none */
    double work;    /* sum of the own rows' weights */
    double before;  /* the same before keel_mpi_rows_weigh_ahead(), for the present phase; < 0: that
                       was not called in it */

    uint64_t exchanges; /* of halos, that have begun */
    bool pipelines;     /* sweeps have been: ranks wait for each other block by block */

    struct keel_mpi_rows *next;  /* in this process */
    struct keel_mpi_peers peers; /* by a communicator of Keel's own: messages, and agreements */
    uint32_t rank, ranks;
    bool adjacent;
    struct keel_mpi_placement placement; /* by movement.c */
    struct keel_mpi_array *arrays;       /* in the order of their addition, as on all ranks */
    struct keel_mpi_items_entry *items;  /* the same */
    struct keel_mpi_store
        weights;     /* of own rows, see weighted_rows.h: a row that is not weighed is 0 */
    bool weighted;   /* some rank has weighed some row: known to all ranks after
                                           each agreement */
    uint64_t *list;  /* for keel_mpi_rows_list(); NULL: not made */
    double marked_s; /* when work began; 0: it has not (work.c) */
    double busy_s;   /* marked work, so far */
    const struct keel_loop_counters *loops; /* of libkeel.so; NULL: it is not there */
    bool marks;                         /* any work was marked since rates were asked for last */
    struct keel_rows_policy asked;      /* by keel_mpi_rows_set_balance() ... */
    bool asks;                          /* ... if it was called */
    bool late;                          /* others have not come in time: nothing is collective any
                                           more */
    double all_heard_s;                 /* when this rank last heard of all others */
    uint64_t agreement[2][4];           /* this rank's and all ranks', see keel_mpi_rows_agree() */
    struct keel_mpi_balancer *balance;  /* balance.c; NULL: the hook has not been called */
    FILE *trace;                        /* trace.c; NULL: nothing is traced */
    uint64_t expected;                  /* the last hook; UINT64_MAX: not told */
    struct keel_mpi_rows_report report; /* what each part counts for itself */
};

static inline size_t keel_mpi_array_row_bytes(const struct keel_mpi_array *array)
{
    return array->store.row_bytes;
}

/* Bytes that a row has in all arrays. */
static inline double keel_mpi_rows_row_bytes(const struct keel_mpi_rows *rows)
{
    double bytes = 0;

    for (const struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        bytes += (double)keel_mpi_array_row_bytes(array);
    }
    return bytes;
}

/* --- rows.c --- */

/* What is wrong with calling MPI here and now, or has gone wrong for good; KEEL_MPI_OK: nothing; it
 * has been said. */
int keel_mpi_rows_check(const struct keel_mpi_rows *rows);

/* The array that begins there; NULL: none does, which has been said. */
struct keel_mpi_array *keel_mpi_rows_find_array(const struct keel_mpi_rows *rows, const void *base);

/* Waits for `request` without keeping a processor busy, for KEEL_MPI_DEADLINE, or ten times as long
 * as ranks have not met before, where that is longer. False: it has not come, and this rank is
 * through with waiting for others; what the request reads and writes has to stay for ever. */
bool keel_mpi_rows_await(struct keel_mpi_rows *rows, MPI_Request *request);

/* Why that was: KEEL_MPI_LATE, or what has gone wrong for good. */
int keel_mpi_rows_late_code(const struct keel_mpi_rows *rows);

/* The highest code of all ranks; KEEL_MPI_LATE where one has not come in time. Ranks that have come
 * with different numbers get KEEL_MPI_MISMATCH. Collective. */
int keel_mpi_rows_agree(struct keel_mpi_rows *rows, int code, uint64_t number);

/* Of some numbers, for ranks to compare (FNV-1a over 64-bit words). */
uint64_t keel_mpi_rows_digest(const uint64_t *number, size_t count);

/* The placement has changed: own rows, memory and plans follow. */
void keel_mpi_rows_update(struct keel_mpi_rows *rows);

/* The own rows as ranges. False: no memory for some. */
bool keel_mpi_rows_own_ranges(const struct keel_mpi_rows *rows, struct keel_mpi_range_list *own);

/* The weight of an own row. */
static inline double keel_mpi_rows_weight_of(const struct keel_mpi_rows *rows, uint64_t row)
{
    return keel_mpi_weight_decode(((const double *)(const void *)rows->weights.base)[row]);
}

/* A datatype for `bytes` >= 1 of any number, committed; MPI_DATATYPE_NULL: MPI has failed. */
MPI_Datatype keel_mpi_rows_bytes_type(struct keel_mpi_peers *peers, uint64_t bytes);

/* --- halo.c --- */

/* Holds memory for the own rows and halo of `array` under `placement`. False: there is none. */
bool keel_mpi_halo_prepare(struct keel_mpi_rows *rows, struct keel_mpi_array *array,
                           const struct keel_mpi_placement *placement);

/* Gives back what rows->placement has no use for. */
void keel_mpi_halo_commit(struct keel_mpi_rows *rows, struct keel_mpi_array *array);

/* Forgets the plan of an array; an exchange that is on its way is ended first. */
void keel_mpi_halo_free(struct keel_mpi_peers *peers, struct keel_mpi_array *array);

/* --- movement.c --- */

/* What a movement came to. */
struct keel_mpi_moved {
    uint64_t rows; /* that were moved, by all ranks; those that pass through a rank count again */
    double time_s; /* on this rank */
};

/* Moves rows so that each rank has shares[rank] of them. Collective; returns the same code on all
 * ranks unless they came too late. */
int keel_mpi_movement_make(struct keel_mpi_rows *rows, const uint64_t *shares,
                           struct keel_mpi_moved *moved);

/* --- balance.c --- */

void keel_mpi_balancer_free(struct keel_mpi_rows *rows);

/* --- work.c --- */

/* A new span of time begins. */
void keel_mpi_work_begin_span(struct keel_mpi_rows *rows);

/* Time of computing in it so far, s: marked work if any was marked in it, else what libkeel.so has
 * seen of scheduled loops. */
double keel_mpi_work_busy(const struct keel_mpi_rows *rows);

#endif
