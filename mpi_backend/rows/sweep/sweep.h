/* Pipelined sweeps over rows: what a rank keeps of a pipeline and of its present sweep, and how the
 * sources of this folder use it.
 *
 *   create_pipeline.c -> makes and frees it
 *   sweep_pipeline.c -> a sweep, block by block; balance calls within it
 *   borders.c -> which rows come from which rank; messages with parts of rows
 *   strips.c -> rows that move within a sweep; old rows
 *   sizes.c -> the size of its blocks: times -> maxima of all ranks (async_reduce.c)
 *        -> schedules/forecast/block_size.h */
#ifndef MPI_BACKEND_ROWS_SWEEP_SWEEP_H
#define MPI_BACKEND_ROWS_SWEEP_SWEEP_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/peers.h"
#include "mpi_backend/rows/movement/movement_room.h"
#include "mpi_backend/rows/rows_state.h"
#include "schedules/forecast/block_size.h"

/* --- async_reduce.c: asynchronous reductions of the figures of sweeps: MPI_Iallreduce, maximum ---
 *
 *   figures of a sweep -> [up to 16 pending reductions] ~~> maxima -> block size of later sweeps
 *
 * A rank may be several sweeps ahead of others, and does not wait for them: only the first rank of
 * a sweep needs the maxima. */

#define KEEL_MPI_ASYNC_REDUCES 16 /* pending at once */
#define KEEL_MPI_SWEEP_VALUES (sizeof(struct keel_block_size_figures) / sizeof(double))

struct keel_mpi_async_reduce {
    struct keel_mpi_peers *peers;
    MPI_Comm comm;
    struct {
        MPI_Request request;
        uint64_t own[KEEL_MPI_SWEEP_VALUES], all[KEEL_MPI_SWEEP_VALUES];
    } slot[KEEL_MPI_ASYNC_REDUCES]; /* a ring */
    unsigned begun, completed;      /* reductions so far; pending: completed .. begun - 1 */
    uint64_t due;                   /* number of the sweep after which the next one begins */
};

void keel_mpi_async_reduce_open(struct keel_mpi_async_reduce *reduction,
                                struct keel_mpi_peers *peers, MPI_Comm comm);

/* Whether a reduction begins after that sweep; sweeps count from 1. Not after the first one, which
 * found the pipeline empty and says nothing about later ones; then at growing distances. */
bool keel_mpi_async_reduce_is_due(const struct keel_mpi_async_reduce *reduction, uint64_t sweep);

/* Makes one due after that sweep, or later where it has to be. The same on all ranks. */
void keel_mpi_async_reduce_hasten(struct keel_mpi_async_reduce *reduction, uint64_t sweep);

/* Begins a reduction, after a sweep that it is due after; on all ranks. Waits for the oldest one if
 * too many are pending. */
void keel_mpi_async_reduce_begin(struct keel_mpi_async_reduce *reduction, uint64_t sweep,
                                 const struct keel_block_size_figures *own);

/* The maxima of the oldest pending reduction; false: there is none, or it is not complete. */
bool keel_mpi_async_reduce_take(struct keel_mpi_async_reduce *reduction,
                                struct keel_block_size_figures *all);

/* Waits for all that are pending. Collective. */
void keel_mpi_async_reduce_close(struct keel_mpi_async_reduce *reduction);

/* --- borders.c: messages of a sweep, of which several are pending at once --- */

#define KEEL_MPI_BORDERS_AHEAD 8
#define KEEL_MPI_BORDERS_TYPES 8

/* Elements [from, to) of rows [first, last). */
struct keel_mpi_patch {
    uint64_t first, last, from, to;
};

static inline bool keel_mpi_patch_is_empty(const struct keel_mpi_patch *part)
{
    return part->first == part->last || part->from == part->to;
}

struct keel_mpi_borders {
    struct keel_mpi_peers *peers;
    MPI_Comm comm; /* of this pipeline alone, so that messages keep its order */
    const struct keel_mpi_array *array;
    struct {
        uint64_t rows, width;
        MPI_Datatype type;
    } kind[KEEL_MPI_BORDERS_TYPES];
    unsigned kinds; /* made so far; a new one takes the place of the oldest */
    MPI_Request sent[KEEL_MPI_BORDERS_AHEAD]; /* MPI_REQUEST_NULL: none */
    unsigned sends;                           /* so far */
};

void keel_mpi_borders_open(struct keel_mpi_borders *borders, struct keel_mpi_peers *peers,
                           MPI_Comm comm, const struct keel_mpi_array *array);

/* Sends a part, which must stay until the request is complete; MPI_REQUEST_NULL for an empty part,
 * and to MPI_PROC_NULL. number: of the message in the sweep. */
void keel_mpi_borders_send(struct keel_mpi_borders *borders, const struct keel_mpi_patch *part,
                           int rank, uint64_t number, MPI_Request *request);

/* The same, until keel_mpi_borders_flush(). Waits if too many are pending. */
void keel_mpi_borders_forward(struct keel_mpi_borders *borders, const struct keel_mpi_patch *part,
                              int rank, uint64_t number);

/* Waits for all that keel_mpi_borders_forward() has sent. */
void keel_mpi_borders_flush(struct keel_mpi_borders *borders);

/* Starts to receive a part; else as keel_mpi_borders_send(). */
void keel_mpi_borders_receive(struct keel_mpi_borders *borders, const struct keel_mpi_patch *part,
                              int rank, uint64_t number, MPI_Request *request);

/* Waits for a message with parts of `rows` >= 1 rows: how many elements it has of each. 0: there
 * will be none, as the code of the peers says. */
uint64_t keel_mpi_borders_probe(struct keel_mpi_borders *borders, uint64_t rows, int rank,
                                uint64_t number);

/* Frees the datatypes. No message is pending. */
void keel_mpi_borders_close(struct keel_mpi_borders *borders);

/* --- the sweep --- */

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

    /* sweep_pipeline.c, strips.c */
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

    /* sweep_pipeline.c, strips.c */
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

/* --- borders.c: which rows a sweep brings from which rank to which --- */

/* Fills in the ranks before and behind this one, and the rows of borders and of old rows, from the
 * direction and the own rows of pipeline->sweep. */
void keel_mpi_neighbours_find(struct keel_mpi_pipeline *pipeline);

/* Elements [from, to) of the sweep's order, of the rows of a part. */
struct keel_mpi_patch keel_mpi_neighbours_part(const struct keel_mpi_pipeline *pipeline,
                                               struct keel_mpi_patch part, uint64_t from,
                                               uint64_t to);

/* How many ranks have rows. O(ranks). */
uint32_t keel_mpi_neighbours_ranks(const struct keel_mpi_pipeline *pipeline);

/* --- sweep_pipeline.c: one sweep, block by block --- */

/* Whether there is a pipeline, which is said otherwise; function: of the program's call. */
bool keel_mpi_pipeline_exists(const struct keel_mpi_pipeline *pipeline, const char *function);

/* --- strips.c: old rows, as they were before the sweep --- */

/* Starts to receive them from behind, and to send own ones to the rank before, in two pieces: from
 * element `from` on, and from `second` on. */
void keel_mpi_old_rows_exchange(struct keel_mpi_pipeline *pipeline, uint64_t from, uint64_t second);

/* The same one by one, each as one piece. */
void keel_mpi_old_rows_receive(struct keel_mpi_pipeline *pipeline, uint64_t from);
void keel_mpi_old_rows_send(struct keel_mpi_pipeline *pipeline, uint64_t from);

/* Waits until those have come that elements before `to` read, and those have gone that these
 * overwrite: the rank before has needed them for the same elements. True: there was something to
 * wait for. */
bool keel_mpi_old_rows_await(struct keel_mpi_pipeline *pipeline, uint64_t to);

/* Waits until those have gone alone. */
void keel_mpi_old_rows_await_gone(struct keel_mpi_pipeline *pipeline, uint64_t to);

/* --- strips.c: rows that move within a sweep, where strips (blocks of elements) meet ---
 *
 *   a decision at a balance call -> at a later one: rows to and from neighbours (handover.c)
 *        -> or at once, on all ranks (movement.c), and the sweep goes on
 *
 * Rows move at the same hook on all ranks, which is at the same element of the sweep. So rows that
 * move have been swept up to there, wherever they come from. Ranks come to that hook one after the
 * other, in the order of the sweep, and do not wait for each other:
 *
 * - A rank that gives rows to the one behind sends them and goes on; they are set aside until that
 *   rank is as far.
 * - A rank that gets rows from the one behind is ahead of these. It goes on with the rows that it
 *   has. When the others have come, it catches up: it sweeps them strip by strip to where it is
 *   (struct keel_mpi_late), and only then the rank behind gets their borders. */

/* At the beginning of a sweep: the first block leaves out those own rows that read old ones of the
 * rank behind, which has not come to the end of its last sweep yet. Only where the program expects
 * some rows to be swept less far than others: within sweeps that rows may move in. */
void keel_mpi_strips_trail(struct keel_mpi_pipeline *pipeline);

/* keel_mpi_open_sweep: defer, settle. */
bool keel_mpi_strips_defer(void *pipeline, const uint64_t *shares, uint64_t ahead, uint64_t *moved);
void keel_mpi_strips_settle(void *pipeline);

/* Rows move whose movement was deferred to this hook, if all ranks are ready. */
void keel_mpi_strips_hand_over(struct keel_mpi_pipeline *pipeline);

/* Rows have moved on all ranks at this hook: the sweep goes on with those that are here now.
 * Collective. */
void keel_mpi_strips_resume(struct keel_mpi_pipeline *pipeline);

/* Whether rows are late: swept less far than others here, or not here yet. */
static inline bool keel_mpi_strips_are_late(const struct keel_mpi_sweep *sweep)
{
    return sweep->late.first < sweep->late.last;
}

/* The next block of late rows, in sweep->given. False: there is none, or none yet. waits: until
 * these rows have come. */
bool keel_mpi_strips_catch_up(struct keel_mpi_pipeline *pipeline, bool waits);

/* Own rows without those that are late: up to there most blocks are swept. */
void keel_mpi_strips_main_rows(const struct keel_mpi_sweep *sweep, uint64_t *first, uint64_t *last);

/* Waits until rows that were given to the rank before have gone. */
void keel_mpi_strips_await_before(struct keel_mpi_pipeline *pipeline);

/* At the end of a sweep: waits for all rows that have moved, and gives back their memory. */
void keel_mpi_strips_end(struct keel_mpi_pipeline *pipeline);

/* --- sizes.c: the size of a sweep's blocks, chosen by the first rank of the sweep ---
 *
 *   times of blocks and waiting -> figures of a sweep ~~> maxima of all ranks (async_reduce.c)
 *        -> block_size.h -> size of the blocks of a later sweep. */

/* Measures messages; reductions may begin. Collective. */
void keel_mpi_sizes_open(struct keel_mpi_pipeline *pipeline, MPI_Comm comm);

/* A sweep begins. Where rows have moved since the last one did, blocks take less time than they
 * took, and are reckoned with that until the figures of this sweep come: grain follows balance. */
void keel_mpi_sizes_follow_rows(struct keel_mpi_pipeline *pipeline);

/* Takes the results of reductions that are complete. Waits for nothing. */
void keel_mpi_sizes_receive(struct keel_mpi_pipeline *pipeline);

/* Of the first rank of a sweep: the size of its blocks, >= 1. */
uint64_t keel_mpi_sizes_choose(struct keel_mpi_pipeline *pipeline);

/* Cuts the present sweep into blocks of that size. */
void keel_mpi_sizes_cut(struct keel_mpi_pipeline *pipeline, uint64_t size);

/* At the end of a sweep, on all ranks: its figures; begins a reduction if one is due. */
void keel_mpi_sizes_note_sweep(struct keel_mpi_pipeline *pipeline);

/* Fills in pipeline->report for the sweep that has ended. */
void keel_mpi_sizes_report(struct keel_mpi_pipeline *pipeline);

#endif
