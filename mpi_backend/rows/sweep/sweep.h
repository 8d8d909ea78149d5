/* Pipelined sweeps over rows: the data of a pipeline and of its current sweep on a rank, and how
 * the sources of this folder use it.
 *
 *   sweep_pipeline.c -> which rows come from which rank, messages with parts of rows; a sweep,
 *                       block by block, with balance calls within it; makes and frees pipelines
 *   sizes.c -> the size of its blocks: times -> maxima of all ranks
 *        -> schedules/forecast/block_size.h */
#ifndef MPI_BACKEND_ROWS_SWEEP_SWEEP_H
#define MPI_BACKEND_ROWS_SWEEP_SWEEP_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/peers.h"
#include "mpi_backend/rows/rows_state.h"
#include "schedules/forecast/block_size.h"

/* The pending reduction of the measurements of sweeps: MPI_Iallreduce, maximum (sizes.c). A rank
 * may be ahead of others, and does not wait for them unless the next reduction is due: only the
 * first rank of a sweep needs the maxima. */

#define KEEL_MPI_SWEEP_VALUES (sizeof(struct keel_block_size_measurements) / sizeof(double))

struct keel_mpi_async_reduce {
    MPI_Request request;
    uint64_t own[KEEL_MPI_SWEEP_VALUES], all[KEEL_MPI_SWEEP_VALUES];
    bool pending;
    uint64_t due; /* number of the sweep after which the next reduction begins */
};

#define KEEL_MPI_BORDERS_AHEAD 8 /* messages of a sweep pending at once, at most */

/* Elements [from, to) of rows [first, last). */
struct keel_mpi_patch {
    uint64_t first, last, from, to;
};

/* --- the sweep --- */

/* Old rows are those behind own ones in the order of the sweep, as they were before it. They are
 * received in the first message of a sweep; borders of the blocks follow. Elements are counted in
 * the order of the sweep, except in a keel_mpi_patch. */
struct keel_mpi_sweep {
    bool forward;
    uint64_t first, last; /* own rows; equal: none */
    int before, behind;   /* ranks in the order of the sweep; MPI_PROC_NULL: none */
    struct keel_mpi_patch border_in, border_out, old_in, old_out; /* rows of messages */
    struct keel_block_size_cut cut;                               /* size 0: not known yet */
    uint64_t from, to;         /* the block that the program got last; both 0: none yet */
    bool is_given;             /* it is being computed */
    uint64_t blocks;           /* begun so far */
    uint64_t open_to;          /* receives of borders have been started up to there */
    unsigned opened, received; /* borders: receives started, waited for */
    MPI_Request receive[KEEL_MPI_BORDERS_AHEAD];
    MPI_Request old_receive, old_send;
    double sweep_begun_s, begun_s; /* times: of the sweep, of the block */
    double work_s;                 /* computing so far */
    double wait_s;                 /* waiting so far */
    double receive_s, send_s;      /* shortest times of a block for each; 0: not known */

    uint64_t calls;   /* balance calls so far */
    double call_work; /* since the last one: a sweep of own rows counts as calls times their work */
};

struct keel_mpi_pipeline {
    struct keel_mpi_rows *rows;
    const struct keel_mpi_array *array;
    uint64_t fixed_size; /* of blocks; 0: chosen for each sweep */
    uint64_t sweeps;     /* begun */
    bool is_sweeping;
    struct keel_mpi_sweep sweep;
    MPI_Comm comm; /* of this pipeline only, so that messages keep its order */
    MPI_Request sent[KEEL_MPI_BORDERS_AHEAD]; /* borders on their way; MPI_REQUEST_NULL: none */
    unsigned sends;                           /* so far */
    struct keel_mpi_pipeline_report report;

    /* sweep_pipeline.c */
    uint64_t calls; /* balance calls in a sweep; 0: rows move only between sweeps */
    int call_code;  /* first code in this sweep other than KEEL_MPI_OK */
    struct keel_mpi_open_sweep open;

    /* sizes.c */
    struct keel_block_size_messages messages; /* their costs, the same on all ranks */
    struct keel_mpi_async_reduce reduction;
    struct keel_block_size_costs costs;
    struct keel_block_size_filling filling;
    struct keel_block_size_measurements own; /* of the last sweep */
    struct keel_block_size_measurements all; /* maxima of all ranks, of the last reduction */
    bool has_all;                            /* a reduction has been completed */
    uint64_t size;                           /* of blocks in the last sweep; 0: not known */
    uint64_t movements;                      /* of rows, when the last sweep began */
};

/* --- sizes.c: the size of a sweep's blocks, chosen by the first rank of the sweep ---
 *
 *   times of blocks and waiting -> measurements of a sweep ~~> maxima of all ranks
 *        -> block_size.h -> size of the blocks of a later sweep. */

/* Measures messages; reductions may begin. Collective. */
void keel_mpi_sizes_open(struct keel_mpi_pipeline *pipeline);

/* To be called when a sweep begins. If rows have moved since the last one began, its measurements
 * are reduced: grain follows balance. */
void keel_mpi_sizes_follow_rows(struct keel_mpi_pipeline *pipeline);

/* Takes the result of the pending reduction, if it is complete. Does not wait. */
void keel_mpi_sizes_receive(struct keel_mpi_pipeline *pipeline);

/* Waits for the pending reduction, if any. Collective. */
void keel_mpi_sizes_close(struct keel_mpi_pipeline *pipeline);

/* On the first rank of a sweep: returns the size of its blocks, >= 1. */
uint64_t keel_mpi_sizes_choose(struct keel_mpi_pipeline *pipeline);

/* Cuts the current sweep into blocks of that size. */
void keel_mpi_sizes_cut(struct keel_mpi_pipeline *pipeline, uint64_t size);

/* After a sweep, on all ranks: records its measurements; begins a reduction if one is due. */
void keel_mpi_sizes_note_sweep(struct keel_mpi_pipeline *pipeline);

/* Fills in pipeline->report for the sweep that has ended. */
void keel_mpi_sizes_report(struct keel_mpi_pipeline *pipeline);

#endif
