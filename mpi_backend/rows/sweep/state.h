/* What a rank keeps of a pipeline and of its present sweep. Data alone.
 *
 *   create.c -> makes and frees it
 *   pipeline.c -> a sweep, block by block: borders.h
 *   hooks.c -> hooks within it -> strips.c -> rows that move there
 *   sizes.c -> the size of its blocks: times -> block_size.h
 *   old_rows.c, neighbours.c -> which rows come from which rank */
#ifndef MPI_BACKEND_ROWS_SWEEP_STATE_H
#define MPI_BACKEND_ROWS_SWEEP_STATE_H

#include "mpi_backend/rows/movement/handover.h"
#include "mpi_backend/rows/state.h"
#include "mpi_backend/rows/sweep/async_reduce.h"
#include "mpi_backend/rows/sweep/borders.h"
#include "schedules/forecast/block_size.h"

/* Old rows are those behind own ones in the order of the sweep, as they were before it. They come
 * in so many messages, so that the first block need not wait for all of them. These are the first
 * messages of a sweep; those of the blocks follow. */
#define KEEL_MPI_SWEEP_PIECES 2

/* Own rows that have been swept up to element `to`, and other own rows further: because they come
 * from the rank behind this one, which is not as far as this one; or because they read old rows of
 * that rank, which has not begun this sweep yet. */
struct keel_mpi_late {
    uint64_t first, last; /* equal: there are none */
    bool trails;          /* they are here, and wait for old rows */
    bool here;            /* they have come, and so has what they read */
    uint64_t to;
    uint64_t blocks; /* of the sweep, up to there */
};

/* A block that the program computes: elements of rows, in the order of the sweep. */
struct keel_mpi_given {
    struct keel_mpi_patch part;
    uint64_t number; /* of the block in the sweep, from 0 on */
    bool late;       /* of rows that came late */
};

/* Elements are counted in the order of the sweep, unless they are of a keel_mpi_patch. */
struct keel_mpi_sweep {
    bool forward;
    uint64_t first, last; /* own rows, those that come late included */
    int before, behind;   /* ranks in the order of the sweep; MPI_PROC_NULL: there is none */
    struct keel_mpi_patch border_in, border_out, old_in, old_out; /* their rows */
    struct keel_block_size_cut cut;                               /* size 0: not known yet */
    uint64_t from, to;           /* the block of most rows that was given last; both 0: none yet */
    bool is_given;               /* a block is being computed */
    struct keel_mpi_given given; /* which one */
    uint64_t blocks;             /* begun so far, without those of rows that came late */
    /* Where the messages of old rows begin, and where the last one ends. */
    uint64_t piece[KEEL_MPI_SWEEP_PIECES + 1];
    uint64_t open_to;          /* receives of borders have been started up to there */
    unsigned opened, received; /* borders: receives started, waited for */
    MPI_Request receive[KEEL_MPI_BORDERS_AHEAD];
    MPI_Request old_receive[KEEL_MPI_SWEEP_PIECES], old_send[KEEL_MPI_SWEEP_PIECES];
    double sweep_begun_s, begun_s; /* times: of the sweep, of the block */
    double work_s;                 /* computing so far */
    double wait_s;                 /* waiting so far */
    double receive_s, send_s;      /* shortest times that a block took for either; 0: not known */

    /* hooks.c, strips.c */
    uint64_t hooks;   /* made so far */
    double hook_work; /* since the last one: 1 / hooks of the sweep of own rows is their work */
    uint64_t handover_hook; /* at which rows move that are to do so, while that is pending */
    struct keel_mpi_late late;
    struct keel_mpi_handover_part to_before, to_behind; /* rows on their way to other ranks */
    bool has_gone; /* rows have gone, whose memory is still here */
};

struct keel_mpi_pipeline {
    struct keel_mpi_rows *rows;
    const struct keel_mpi_array *array;
    uint64_t fixed_size;   /* of blocks; 0: chosen for each sweep */
    uint64_t second_piece; /* element at which the second piece of old rows begins */
    uint64_t sweeps;       /* begun */
    bool is_sweeping;
    struct keel_mpi_sweep sweep;
    struct keel_mpi_borders borders;
    struct keel_mpi_pipeline_report report;

    /* hooks.c, strips.c */
    uint64_t hooks; /* in a sweep; 0: rows move between sweeps only */
    int hook_code;  /* the first one in this sweep that was not KEEL_MPI_OK */
    struct keel_mpi_open_sweep open;
    struct keel_mpi_handover handover;

    /* sizes.c */
    struct keel_block_size_messages messages; /* what they cost, the same on all ranks */
    struct keel_mpi_async_reduce reduction;
    struct keel_block_size_costs costs;
    struct keel_block_size_filling filling;
    struct keel_block_size_figures own; /* of the sweeps since the last reduction began */
    uint64_t own_size;                  /* of the blocks of these sweeps; 0: there were none */
    struct keel_block_size_figures all; /* maxima of all ranks, of the last reduction */
    bool has_all;                       /* a reduction has been completed */
    uint64_t size;                      /* of blocks in the last sweep; 0: not known */
    uint64_t movements;                 /* of rows, when the last sweep began */
    double gained_log;                  /* rows->gained_log then */
};

#endif
