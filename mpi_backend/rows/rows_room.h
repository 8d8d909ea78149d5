/* What the files of this room do for each other, with the rows of a rank (rows_state.h). */
#ifndef MPI_BACKEND_ROWS_ROWS_ROOM_H
#define MPI_BACKEND_ROWS_ROWS_ROOM_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/job/peers.h"
#include "mpi_backend/report/mpi_report.h"
#include "mpi_backend/results/range_list.h"
#include "mpi_backend/rows/balance/weighted_rows.h"
#include "mpi_backend/rows/rows_state.h"
#include "schedules/rows/row_weights.h"

/* --- rows.c ---
 *
 * Questions about distributed rows: which are here, which array is meant.
 *
 *   placement, arrays -> [rows] -> bounds, list, owner, report (public); what others here ask */

/* The array that begins there; NULL: none does, which has been said. */
struct keel_mpi_array *keel_mpi_rows_find_array(const struct keel_mpi_rows *rows, const void *base);

/* How many arrays were added before it, or without one, at all: ranks know an array by that. */
uint64_t keel_mpi_rows_array_number(const struct keel_mpi_rows *rows,
                                    const struct keel_mpi_array *array);

/* The own rows as ranges. False: no memory for some. */
bool keel_mpi_rows_own_ranges(const struct keel_mpi_rows *rows, struct keel_mpi_range_list *own);

/* To be called when the placement has changed: forgets the list of own rows, adds up their work. */
void keel_mpi_rows_update(struct keel_mpi_rows *rows);

/* --- agree.c ---
 *
 * Whether a call is right, and whether all ranks make the same one.
 *
 *   public function -> keel_mpi_rows_check() -> what is wrong here -> keel_mpi_rows_agree()
 *        ~~> the highest code of all ranks, which all of them return
 *
 * Called by the thread that uses the distribution. */

/* Whether there is no distribution, which is then said. */
bool keel_mpi_rows_is_missing(const struct keel_mpi_rows *rows);

/* KEEL_MPI_OK: MPI may be called for `rows` here and now. Else what is wrong with that, or what has
 * gone wrong for good; it has been said. */
int keel_mpi_rows_check(const struct keel_mpi_rows *rows);

/* Waits for `request`, to which all ranks come, without keeping a processor busy: for
 * KEEL_MPI_DEADLINE, or for ten times as long as ranks have not met, whichever is longer. False: it
 * is not complete, and this rank waits for others no more, which they learn; or it has learned that
 * of another. What the request reads and writes has to stay for ever. */
bool keel_mpi_rows_await(struct keel_mpi_rows *rows, MPI_Request *request);

/* The same for messages between some ranks, and for what is not waited for alone. where: for
 * messages of Keel. KEEL_MPI_OK, KEEL_MPI_LATE, or what has gone wrong for good. */
int keel_mpi_rows_await_messages(struct keel_mpi_rows *rows, const char *where, int count,
                                 MPI_Request *request);

/* Whether no rank has withdrawn, as far as is known here: it has been said otherwise, and
 * keel_mpi_rows_late_code() is why. Waits for nothing. */
bool keel_mpi_rows_all_are_there(struct keel_mpi_rows *rows);

/* Why keel_mpi_rows_await() was in vain: KEEL_MPI_LATE, or what has gone wrong for good. */
int keel_mpi_rows_late_code(const struct keel_mpi_rows *rows);

/* The highest code of all ranks; KEEL_MPI_LATE where one has not come in time. KEEL_MPI_MISMATCH
 * where all are KEEL_MPI_OK, but ranks came with different numbers. Collective. */
int keel_mpi_rows_agree(struct keel_mpi_rows *rows, int code, uint64_t number);

/* The meeting in which all ranks, that were ready, are bound (round.c): no rank withdraws from it.
 * Collective. */
int keel_mpi_rows_agree_bound(struct keel_mpi_rows *rows);

/* As keel_mpi_rows_agree() where there is nothing to stay with, if a rank does not come in time:
 * KEEL_MPI_LATE is the code of all later calls on all ranks then. Collective. */
int keel_mpi_rows_agree_for_good(struct keel_mpi_rows *rows, int code, uint64_t number);

/* The same with `count` numbers, the arguments of a function; rank 0 says where they differ.
 * Collective. */
int keel_mpi_rows_agree_on(struct keel_mpi_rows *rows, int code, const uint64_t *number,
                           size_t count);

/* One number for several, so that ranks can compare them (a digest). */
uint64_t keel_mpi_rows_digest(const uint64_t *number, size_t count);

/* The largest values of all ranks, each >= 0, in place; up to KEEL_MPI_MAXIMA_MAX. where: for
 * messages, as of keel_mpi_peers_maxima(), whose code is returned. Collective. */
int keel_mpi_rows_largest(struct keel_mpi_peers *peers, const char *where, double *value,
                          int count);

/* The same, with waiting as keel_mpi_rows_await_messages() does. Collective. */
int keel_mpi_rows_largest_in_time(struct keel_mpi_rows *rows, const char *where, double *value,
                                  int count);

/* --- arrays.c ---
 *
 * Arrays and items of a distribution: adding them, and freeing all. */

/* Frees all arrays and items. An exchange of halos that is pending is completed first. */
void keel_mpi_arrays_free(struct keel_mpi_rows *rows);

/* Arrays and items as `from` has them, for the placement of `rows`, which has none yet. False: no
 * memory. Local. */
bool keel_mpi_arrays_take_over(struct keel_mpi_rows *rows, const struct keel_mpi_rows *from);

/* --- distribution.c ---
 *
 * Makes and frees distributions of rows, in steps.
 *
 *   [open] -> [place], or copies/recover.c -> ranks agree -> [begin] -> public functions */

/* KEEL_MPI_OK: rows can be distributed over it. Else that has been said. */
int keel_mpi_rows_look_at_communicator(MPI_Comm comm);

/* An empty distribution; NULL: *code says why. where: for messages. Collective. */
struct keel_mpi_rows *keel_mpi_rows_open(MPI_Comm comm, const char *where, int *code);

/* Places rows in blocks, as they are at first. False: no memory. Local. */
bool keel_mpi_rows_place_first(struct keel_mpi_rows *rows, uint64_t count);

/* To be called when all ranks have all that it needs. Local. */
void keel_mpi_rows_begin(struct keel_mpi_rows *rows);

/* Keeps its measurements for the report, before what they are made from goes. */
void keel_mpi_rows_keep_measurements(const struct keel_mpi_rows *rows);

/* Frees one without arrays and items. Where something has gone wrong for good, nothing is freed.
 * Collective. */
void keel_mpi_rows_release(struct keel_mpi_rows *rows);

/* --- agree.c: messages ---
 *
 * Point-to-point messages of distributed rows: their tags, their datatypes, starting one.
 *
 *   arrays.c, movement/, sweep/ -> [a message] ~~> memory of the other rank
 *
 * Messages go from array to array; nothing is copied. */

/* Over one communicator. Messages of one kind between two ranks are sent and received in the same
 * order. 0 is left to results/gather.c. */
enum keel_mpi_rows_tag {
    KEEL_MPI_TAG_HALO = 1,
    KEEL_MPI_TAG_SIZES, /* of the items of rows that move */
    KEEL_MPI_TAG_ROWS,
    KEEL_MPI_TAG_ITEMS,
    KEEL_MPI_TAG_SWEEP, /* borders of a pipelined sweep */
    KEEL_MPI_TAG_PROBE, /* measures messages */
    KEEL_MPI_TAG_COPY_SIZES,
    KEEL_MPI_TAG_COPIES /* of rows */
};

/* The tag of message `number` of that kind between two ranks, both of which number them alike:
 * SMPI takes messages of one tag out of turn where only some of them are long. MPI promises tags up
 * to 32767. */
#define KEEL_MPI_TAG_KINDS 16
static inline int keel_mpi_rows_tag(enum keel_mpi_rows_tag kind, size_t number)
{
    return (int)kind + KEEL_MPI_TAG_KINDS * (int)(number % 2048);
}

struct keel_mpi_rows_message {
    bool sends;     /* else it is received */
    void *at;       /* stays until the message is complete */
    uint64_t bytes; /* any number */
    uint64_t parts; /* of so many bytes each, 1 or more; 0: one */
    uint64_t apart; /* bytes from the beginning of a part to that of the next one */
    int rank, tag;  /* of the other side */
    MPI_Comm comm;
};

/* Starts it. MPI_REQUEST_NULL in *request: MPI has failed, which the code of `peers` says. */
void keel_mpi_rows_message_start(struct keel_mpi_peers *peers,
                                 const struct keel_mpi_rows_message *message, MPI_Request *request);

/* --- rows.c: events ---
 *
 * Events of distributed rows in the trace: decisions, rows that have come, rates and shares.
 *
 *   balance/balance_call.c, movement/round.c -> [events] -> report/reported.c
 *
 * By the thread that uses the distribution. */

/* When something begins; 0: nothing is traced. */
uint64_t keel_mpi_rows_event_now(const struct keel_mpi_rows *rows);

/* Rows [first, last) have come from that rank since `began`. */
void keel_mpi_rows_event_move(const struct keel_mpi_rows *rows, uint32_t from, uint64_t first,
                              uint64_t last, uint64_t bytes, uint64_t began);

/* A decision, and this rank's rate and share after it. Of distributions that are observed. */
void keel_mpi_rows_event_decision(const struct keel_mpi_rows *rows,
                                  const struct keel_mpi_decision *decision);

/* --- KEEL_MPI_TRACE ---
 *
 * KEEL_MPI_TRACE: a line for each exchange of measurements, as a rank saw it.
 *
 *   balance_call.c, once a decision has been carried out --> [a line] --> FILE.RANK */

/* At the first balance call. If the file cannot be written, that is said, and nothing is traced. */
void keel_mpi_rows_trace_open(struct keel_mpi_rows *rows);

/* time_s: since the first balance call. */
void keel_mpi_rows_trace_note(const struct keel_mpi_rows *rows, double time_s,
                              const struct keel_mpi_decision *decision);

void keel_mpi_rows_trace_close(struct keel_mpi_rows *rows);

/* --- work.c: weights ---
 *
 * Weights of rows: how much work a row is, beside others.
 *
 *   keel_mpi_rows_weigh() -> [weights of own rows] -> rows->work -> rates, decisions
 *
 * Kept encoded (balance/weighted_rows.h), so that new memory, which is 0, means weight 1. */

/* The weight of an own row. */
static inline double keel_mpi_weights_of(const struct keel_mpi_rows *rows, uint64_t row)
{
    return keel_mpi_weight_decode(((const double *)(const void *)rows->weights.base)[row]);
}

/* Addresses for the weights of all rows, and memory for those of own ones. False: there is none. */
bool keel_mpi_weights_open(struct keel_mpi_rows *rows);

/* The weights of all own rows, added up afresh. O(rows), if any was weighed. */
double keel_mpi_weights_sum(const struct keel_mpi_rows *rows);

/* --- work.c ---
 *
 * How long this rank has computed on rows, in the present span of time. */

/* A new span of time begins. */
void keel_mpi_work_begin_span(struct keel_mpi_rows *rows);

/* Time of computing in it so far, s: marked work if any was marked in it, else what libkeel.so has
 * seen of scheduled loops. */
double keel_mpi_work_busy(const struct keel_mpi_rows *rows);

/* --- arrays.c ---
 *
 * The halo of an array: the rows around own ones, which other ranks have. */

/* Makes the plan of `array` for `placement`, and memory for the own rows and halo that it has
 * there; the present plan stays until keel_mpi_halo_take(). False: no memory, or MPI has failed. */
bool keel_mpi_halo_prepare(struct keel_mpi_rows *rows, struct keel_mpi_array *array,
                           const struct keel_mpi_placement *placement);

/* The plan that was prepared last counts from now on. */
void keel_mpi_halo_take(struct keel_mpi_array *array);

/* Gives memory of rows back that are not here. */
void keel_mpi_halo_trim(struct keel_mpi_array *array);

/* --- work.c: windows ---
 *
 * Windows: what loops over the rows of a distribution have taken, row by row.
 *
 *   watch_loops() of libkeel.so (lending.h): threads of loops -> match -> [window] -> row_costs.c
 *
 * There is a fixed number of windows in a process, which are never freed: a thread that is still in
 * a loop finds the one that it has begun with. Distributions beyond that are not measured. */

#define KEEL_MPI_ROW_WINDOWS 8

struct keel_mpi_row_window {
    atomic_bool used;
    atomic_bool open;         /* loops that begin now are measured */
    struct keel_own_rows own; /* written while it is shut */
    /* Written by all threads of loops. */
    _Alignas(64) _Atomic uint64_t pieces;
    _Atomic uint64_t time_ns[KEEL_ROW_PARTS]; /* of loops of teams of n threads, 1/n of it */
};

/* One for the calling process to keep; NULL: there is none left, or no libkeel.so. */
struct keel_mpi_row_window *keel_mpi_row_window_take(void);

/* Gives it back; NULL: nothing. */
void keel_mpi_row_window_release(struct keel_mpi_row_window *window);

/* Opens or shuts it for loops that begin from now on. */
static inline void keel_mpi_row_window_open(struct keel_mpi_row_window *window, bool open)
{
    /* release: pairs with the acquire in begin(), which reads `own` */
    atomic_store_explicit(&window->open, open, memory_order_release);
}

#endif
