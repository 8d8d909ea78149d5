/* Rows that are distributed over ranks: the data that a rank keeps of them. The sources that work
 * on it call each other downwards only:
 *
 *   balance/   sweep/          a distribution is made and freed (distribution.c), and balanced
 *                              (balance_call.c); pipelined sweeps (sweep_pipeline.c)
 *   copies/                    copies of rows, for when ranks end; distributions made from them
 *   costs/                     time of computing on rows, and their weights (work.c), also from the
 *                              times of loops over them (row_costs.c)
 *      |
 *   movement/                  moves rows from rank to rank
 *   arrays.c                   adds arrays and items; exchanges halos
 *   rows.c                     queries: which rows are where; reports; gathering; events
 *                              of the trace
 *      |
 *   agree.c                    whether all ranks make the same call; messages and datatypes
 *      |
 *   placement.c                which rank has which rows; memory; plans of halos: without
 *                              MPI, as weighted_rows.c and costs/measurements.c
 *
 * A distribution is used by one thread of a process at a time, which may call MPI. */
#ifndef MPI_BACKEND_ROWS_ROWS_STATE_H
#define MPI_BACKEND_ROWS_ROWS_STATE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/peers.h"
#include "mpi_backend/rows/placement.h"
#include "schedules/ranks/policies.h"

/* Words of 64 bits that keel_mpi_rows_agree() reduces over all ranks. */
#define KEEL_MPI_AGREED_WORDS 4

struct keel_loop_counters;
struct keel_mpi_halo;
struct keel_mpi_balancer;
struct keel_mpi_copies;
struct keel_mpi_row_costs;
struct keel_mpi_row_window;
struct keel_mpi_distribution;

struct keel_mpi_array {
    struct keel_mpi_array *next; /* the one added after it */
    struct keel_mpi_store store;
    uint64_t halo;              /* rows kept on either side of each own row */
    size_t element;             /* bytes of an element */
    uint64_t length;            /* elements in a row */
    struct keel_mpi_halo *plan; /* arrays.c; NULL: there is none yet */
};

/* A sweep in which rows may move, while it is open (sweep/sweep_pipeline.c). */
struct keel_mpi_open_sweep {
    void *pipeline;
    /* Called before rows move on all ranks: waits until no message reads or writes them. */
    void (*settle)(void *pipeline);
    uint64_t skew_calls; /* about how many balance calls the last rank is behind the first one */
};

struct keel_mpi_items_entry {
    struct keel_mpi_items_entry *next;
    struct keel_mpi_rows_items call;
};

struct keel_mpi_rows {
    /* The balance call, keel_mpi_rows_balance(). Calls are counted; one that is due does more. */
    uint64_t calls;          /* calls so far */
    uint64_t due;            /* number of the call that is due; UINT64_MAX: none */
    uint64_t expected_calls; /* number of the last call, set by the program; UINT64_MAX: unknown */
    double work;             /* sum of the weights of own rows */
    /* The same sum before the first keel_mpi_rows_weigh_ahead() since the last balance call; < 0:
     * there was no such call. */
    double work_before;
    struct keel_mpi_balancer *balance; /* balance/; NULL: no balance call has been called yet */
    struct keel_mpi_copies *copies;    /* copies/; NULL: none are taken */
    uint64_t copy_due;                 /* number of the balance call that takes the next one */
    struct keel_mpi_row_costs *costs;  /* costs/; NULL: nothing is measured */
    struct keel_rows_policy policy;    /* of keel_mpi_rows_set_balance() */
    bool has_policy;                   /* that function was called */
    FILE *trace;                       /* rows.c; NULL: no trace is written */
    struct keel_mpi_distribution *observed; /* for a report; NULL: none is wanted, or no memory */

    /* Fixed when the distribution is made. */
    struct keel_mpi_peers peers; /* on a communicator of Keel's own: messages and agreements */
    uint32_t rank, ranks;
    bool adjacent; /* KEEL_MPI_ADJACENT: each rank has one block of rows */

    /* Arrays and items are the same, in the same order, on all ranks. */
    struct keel_mpi_placement placement; /* written by movement/ */
    uint64_t placements;                 /* how often the placement has changed */
    struct keel_mpi_array *arrays;       /* in the order in which they were added */
    struct keel_mpi_items_entry *items;  /* in the order in which they were added */
    bool items_gone; /* items of own rows were dropped by a recovery that has failed */
    uint64_t *list;  /* of keel_mpi_rows_list(); NULL: not made */
    struct keel_mpi_store weights; /* of own rows, encoded (work.c); 0: weight 1 */
    bool weights_set;              /* by the program, for rows of some rank */
    bool weighted; /* rows of some rank have weights; all ranks learn that when they agree next */

    /* Time of computing (work.c). */
    double mark_began_s; /* of the open keel_mpi_rows_work_begin(); 0: none is open */
    double busy_s;       /* marked work in this span, or time of loops when it began */
    bool marks;          /* work was marked in this span, */
    bool marked;         /* or ever */
    const struct keel_loop_counters *loops; /* of libkeel.so; NULL: it is not there */
    struct keel_mpi_row_window *window;     /* work.c; NULL: loops over rows are not measured */
    bool timed;                             /* in this phase they are measured */

    /* What ranks do at the same time. */
    uint64_t exchanges; /* of halos, begun so far */
    bool pipelines;     /* there were sweeps: ranks wait for each other block by block */
    unsigned sweeps;    /* open ones, of all pipelines over these rows */
    struct keel_mpi_open_sweep *open_sweep; /* the one with balance calls; NULL: none */
    uint64_t meetings;                      /* meetings that this rank has joined (agree.c) */
    /* A rank was too late: rows move no more; only exchanges of halos and sweeps go on. */
    bool late;
    bool sending;       /* messages that read arrays will never complete */
    double all_heard_s; /* when all ranks last met */
    /* Words of keel_mpi_rows_agree(): this rank's, and the maxima of all. */
    uint64_t agreement[2][KEEL_MPI_AGREED_WORDS];

    struct keel_mpi_rows_report report; /* each source updates its own fields */
};

/* Bytes of a row of that array. */
static inline size_t keel_mpi_array_row_bytes(const struct keel_mpi_array *array)
{
    return array->store.row_bytes;
}

/* Bytes of a row in all arrays together. */
static inline double keel_mpi_rows_row_bytes(const struct keel_mpi_rows *rows)
{
    double bytes = 0;

    for (const struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        bytes += (double)keel_mpi_array_row_bytes(array);
    }
    return bytes;
}

static inline size_t keel_mpi_rows_count_arrays(const struct keel_mpi_rows *rows)
{
    size_t count = 0;

    for (const struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        count++;
    }
    return count;
}

/* Kinds of items. */
static inline size_t keel_mpi_rows_count_kinds(const struct keel_mpi_rows *rows)
{
    size_t count = 0;

    for (const struct keel_mpi_items_entry *items = rows->items; items != NULL;
         items = items->next) {
        count++;
    }
    return count;
}

#endif
