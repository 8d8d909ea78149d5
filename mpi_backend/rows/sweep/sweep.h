/* Pipelined sweeps over rows: what a rank keeps of a pipeline and of its present sweep, and how the
 * sources of this folder use it.
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

/* The reduction of the measurements of sweeps that is pending: MPI_Iallreduce, maximum (sizes.c). A
 * rank may be ahead of others, and does not wait for them unless the next reduction is due: only
 * the first rank of a sweep needs the maxima. */

#define KEEL_MPI_SWEEP_VALUES (sizeof(struct keel_block_size_measurements) / sizeof(double))

struct keel_mpi_async_reduce {
    MPI_Request request;
    uint64_t own[KEEL_MPI_SWEEP_VALUES], all[KEEL_MPI_SWEEP_VALUES];
    bool pending;
    uint64_t due; /* number of the sweep after which the next one begins */
};

#define KEEL_MPI_BORDERS_AHEAD 8 /* messages of a sweep that are pending at once */

/* Elements [from, to) of rows [first, last). */
struct keel_mpi_patch {
    uint64_t first, last, from, to;
};

/* --- the sweep --- */

/* Old rows are those behind own ones in the order of the sweep, as they were before it. They come
 * in the first message of a sweep; those of the blocks follow. Elements are counted in the order of
 * the sweep, unless they are of a keel_mpi_patch. */
struct keel_mpi_sweep {
    bool forward;
    uint64_t first, last; /* own rows; equal: there are none */
    int before, behind;   /* ranks in the order of the sweep; MPI_PROC_NULL: there is none */
    struct keel_mpi_patch border_in, border_out, old_in, old_out; /* their rows */
    struct keel_block_size_cut cut;                               /* size 0: not known yet */
    uint64_t from, to;         /* the block that was given last; both 0: none yet */
    bool is_given;             /* it is being computed */
    uint64_t blocks;           /* begun so far */
    uint64_t open_to;          /* receives of borders have been started up to there */
    unsigned opened, received; /* borders: receives started, waited for */
    MPI_Request receive[KEEL_MPI_BORDERS_AHEAD];
    MPI_Request old_receive, old_send;
    double sweep_begun_s, begun_s; /* times: of the sweep, of the block */
    double work_s;                 /* computing so far */
    double wait_s;                 /* waiting so far */
    double receive_s, send_s;      /* shortest times that a block took for either; 0: not known */

    uint64_t calls;   /* made so far */
    double call_work; /* since the last one: 1 / calls of the sweep of own rows is their work */
};

struct keel_mpi_pipeline {
    struct keel_mpi_rows *rows;
    const struct keel_mpi_array *array;
    uint64_t fixed_size; /* of blocks; 0: chosen for each sweep */
    uint64_t sweeps;     /* begun */
    bool is_sweeping;
    struct keel_mpi_sweep sweep;
    MPI_Comm comm; /* of this pipeline alone, so that messages keep its order */
    MPI_Request sent[KEEL_MPI_BORDERS_AHEAD]; /* borders on their way; MPI_REQUEST_NULL: none */
    unsigned sends;                           /* so far */
    struct keel_mpi_pipeline_report report;

    /* sweep_pipeline.c */
    uint64_t calls; /* in a sweep; 0: rows move between sweeps only */
    int call_code;  /* the first one in this sweep that was not KEEL_MPI_OK */
    struct keel_mpi_open_sweep open;

    /* sizes.c */
    struct keel_block_size_messages messages; /* what they cost, the same on all ranks */
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

/* A sweep begins. Where rows have moved since the last one did, its measurements are reduced: grain
 * follows balance. */
void keel_mpi_sizes_follow_rows(struct keel_mpi_pipeline *pipeline);

/* Takes the result of the reduction that is pending, if it is complete. Waits for nothing. */
void keel_mpi_sizes_receive(struct keel_mpi_pipeline *pipeline);

/* Waits for the reduction that is pending, if one is. Collective. */
void keel_mpi_sizes_close(struct keel_mpi_pipeline *pipeline);

/* Of the first rank of a sweep: the size of its blocks, >= 1. */
uint64_t keel_mpi_sizes_choose(struct keel_mpi_pipeline *pipeline);

/* Cuts the present sweep into blocks of that size. */
void keel_mpi_sizes_cut(struct keel_mpi_pipeline *pipeline, uint64_t size);

/* At the end of a sweep, on all ranks: its measurements; begins a reduction if one is due. */
void keel_mpi_sizes_note_sweep(struct keel_mpi_pipeline *pipeline);

/* Fills in pipeline->report for the sweep that has ended. */
void keel_mpi_sizes_report(struct keel_mpi_pipeline *pipeline);

#endif
