/* Functions that the files of this room share; they work on the rows of a rank (rows_state.h). */
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
#include "mpi_backend/rows/weighted_rows.h"
#include "mpi_backend/rows/rows_state.h"
#include "schedules/rows/row_weights.h"

/* --- rows.c ---
 *
 * Queries of distributed rows: which rows are here, which array an address belongs to.
 *
 *   placement, arrays -> [rows] -> bounds, list, owner, report (public); queries of this room */

/* Returns the array that begins at `base`, or NULL after a message. */
struct keel_mpi_array *keel_mpi_rows_find_array(const struct keel_mpi_rows *rows, const void *base);

/* The number of an array, by which ranks compare it: arrays added before; NULL: of all arrays. */
uint64_t keel_mpi_rows_array_number(const struct keel_mpi_rows *rows,
                                    const struct keel_mpi_array *array);

/* Lists the own rows as ranges. False if memory for some of them is missing. */
bool keel_mpi_rows_own_ranges(const struct keel_mpi_rows *rows, struct keel_mpi_range_list *own);

/* To be called when the placement has changed: drops the list of own rows, sums up their work. */
void keel_mpi_rows_update(struct keel_mpi_rows *rows);

/* --- agree.c ---
 *
 * Checks a call, and whether all ranks make the same one.
 *
 *   public function -> keel_mpi_rows_check() -> code of this rank -> keel_mpi_rows_agree()
 *        ~~> the highest code of all ranks, which all of them return
 *
 * Called by the thread that uses the distribution. */

/* True, after a message, if `rows` is NULL. */
bool keel_mpi_rows_is_missing(const struct keel_mpi_rows *rows);

/* Returns KEEL_MPI_OK if MPI may be called for `rows` here and now. Otherwise returns the error of
 * this call, or the permanent one of the distribution, after a message. */
int keel_mpi_rows_check(const struct keel_mpi_rows *rows);

/* Waits for `request`, of an operation of all ranks, without keeping a processor busy: for
 * KEEL_MPI_DEADLINE, or for ten times the time since all ranks last met, whichever is longer. False
 * if it is not complete: this rank has withdrawn, of which the others are informed, or another one
 * has. Memory that the request reads or writes must then never be freed. */
bool keel_mpi_rows_await(struct keel_mpi_rows *rows, MPI_Request *request);

/* The same for messages between some ranks, and for several requests. where: for messages to the
 * user. Returns KEEL_MPI_OK, KEEL_MPI_LATE, or the permanent error. */
int keel_mpi_rows_await_messages(struct keel_mpi_rows *rows, const char *where, int count,
                                 MPI_Request *request);

/* True if no rank is known to have withdrawn; otherwise prints a message, and
 * keel_mpi_rows_late_code() is the reason. Does not wait. */
bool keel_mpi_rows_all_are_there(struct keel_mpi_rows *rows);

/* Returns why keel_mpi_rows_await() failed: KEEL_MPI_LATE, or the permanent error. */
int keel_mpi_rows_late_code(const struct keel_mpi_rows *rows);

/* Returns the highest code of all ranks; KEEL_MPI_LATE if a rank was too late; KEEL_MPI_MISMATCH if
 * all codes are KEEL_MPI_OK, but numbers differ. Collective. */
int keel_mpi_rows_agree(struct keel_mpi_rows *rows, int code, uint64_t number);

/* The meeting after which all ranks are bound (round.c), once all were ready: no rank withdraws
 * from it. Collective. */
int keel_mpi_rows_agree_bound(struct keel_mpi_rows *rows);

/* As keel_mpi_rows_agree(), for calls that leave no usable state if a rank is too late: then
 * KEEL_MPI_LATE is the code of all later calls on all ranks. Collective. */
int keel_mpi_rows_agree_for_good(struct keel_mpi_rows *rows, int code, uint64_t number);

/* The same with `count` numbers, the arguments of a function; rank 0 prints a message if they
 * differ. Collective. */
int keel_mpi_rows_agree_on(struct keel_mpi_rows *rows, int code, const uint64_t *number,
                           size_t count);

/* Returns one number for several, by which ranks can compare them (a digest). */
uint64_t keel_mpi_rows_digest(const uint64_t *number, size_t count);

/* Replaces each value, >= 0, by the largest one of all ranks; up to KEEL_MPI_MAXIMA_MAX of them.
 * where: for messages to the user. Returns the code of keel_mpi_peers_maxima(). Collective. */
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

/* Adds the arrays and items of `from` to `rows`, which has a placement but none of them yet. False:
 * no memory. Local. */
bool keel_mpi_arrays_take_over(struct keel_mpi_rows *rows, const struct keel_mpi_rows *from);

/* --- distribution.c ---
 *
 * Makes and frees distributions of rows, in steps.
 *
 *   [open] -> [place], or copies/recover.c -> ranks agree -> [begin] -> public functions */

/* Returns KEEL_MPI_OK if rows can be distributed over it, otherwise an error after a message. */
int keel_mpi_rows_look_at_communicator(MPI_Comm comm);

/* Returns an empty distribution; NULL: see *code. where: for messages. Collective. */
struct keel_mpi_rows *keel_mpi_rows_open(MPI_Comm comm, const char *where, int *code);

/* Places rows in the initial blocks. False: no memory. Local. */
bool keel_mpi_rows_place_first(struct keel_mpi_rows *rows, uint64_t count);

/* To be called when all ranks have allocated the distribution. Local. */
void keel_mpi_rows_begin(struct keel_mpi_rows *rows);

/* Keeps its measurements for the report, before the data that they are made from is freed. */
void keel_mpi_rows_keep_measurements(const struct keel_mpi_rows *rows);

/* Frees a distribution without arrays and items. After a permanent error nothing is freed.
 * Collective. */
void keel_mpi_rows_release(struct keel_mpi_rows *rows);

/* --- agree.c: messages ---
 *
 * Point-to-point messages of distributed rows: tags, datatypes, starting a message.
 *
 *   arrays.c, movement/, sweep/ -> [a message] ~~> memory of the other rank
 *
 * Messages go from array to array; nothing is copied. */

/* Tags of one communicator. Messages of one kind between two ranks are sent and received in the
 * same order. 0 is reserved for results/gather.c. */
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

/* The tag of message `number` of that kind between two ranks, both of which number them alike: SMPI
 * matches messages of one tag out of order if only some of them are long. MPI guarantees tags up to
 * 32767. */
#define KEEL_MPI_TAG_KINDS 16
static inline int keel_mpi_rows_tag(enum keel_mpi_rows_tag kind, size_t number)
{
    return (int)kind + KEEL_MPI_TAG_KINDS * (int)(number % 2048);
}

struct keel_mpi_rows_message {
    bool sends;     /* otherwise it is received */
    void *at;       /* stays until the message is complete */
    uint64_t bytes; /* any number */
    uint64_t parts; /* number of parts of `bytes` each; 0: one */
    uint64_t apart; /* bytes from the beginning of a part to that of the next one */
    int rank, tag;  /* of the other side */
    MPI_Comm comm;
};

/* Starts the message; *request is MPI_REQUEST_NULL if MPI has failed: see the code of `peers`. */
void keel_mpi_rows_message_start(struct keel_mpi_peers *peers,
                                 const struct keel_mpi_rows_message *message, MPI_Request *request);

/* --- rows.c: events ---
 *
 * Events of distributed rows in the trace: rows received.
 *
 *   movement/round.c -> [events] -> report/reported.c
 *
 * By the thread that uses the distribution. */

/* Returns the time of the trace's clock, for the begin of an event; 0 if there is no trace. */
uint64_t keel_mpi_rows_event_now(const struct keel_mpi_rows *rows);

/* Rows [first, last) were received from that rank, beginning at `began`. */
void keel_mpi_rows_event_move(const struct keel_mpi_rows *rows, uint32_t from, uint64_t first,
                              uint64_t last, uint64_t bytes, uint64_t began);

/* --- decisions ---
 *
 *   balance_call.c, once a decision has been carried out -> [decisions] -> the report, the trace,
 *     and KEEL_MPI_TRACE: a line of each rank in FILE.RANK */

/* At the first balance call. If the file cannot be written: a message, and no trace. */
void keel_mpi_rows_trace_open(struct keel_mpi_rows *rows);

/* Notes a decision, and in the trace this rank's rate and share after it. time_s: since the first
 * balance call. */
void keel_mpi_rows_note_decision(const struct keel_mpi_rows *rows, double time_s,
                                 const struct keel_mpi_decision *decision);

void keel_mpi_rows_trace_close(struct keel_mpi_rows *rows);

/* --- work.c: weights ---
 *
 * Weights of rows: how much work a row is, relative to others.
 *
 *   keel_mpi_rows_weigh() -> [weights of own rows] -> rows->work -> rates, decisions
 *
 * Kept encoded (balance/weighted_rows.h), so that new memory, which is 0, means weight 1. */

/* The weight of an own row. */
static inline double keel_mpi_weights_of(const struct keel_mpi_rows *rows, uint64_t row)
{
    return keel_mpi_weight_decode(((const double *)(const void *)rows->weights.base)[row]);
}

/* Reserves addresses for the weights of all rows, and memory for own ones. False: no memory. */
bool keel_mpi_weights_open(struct keel_mpi_rows *rows);

/* Returns the sum of the weights of all own rows. O(own rows) if rows of any rank were weighed. */
double keel_mpi_weights_sum(const struct keel_mpi_rows *rows);

/* --- work.c ---
 *
 * How long this rank has computed on rows, in the current span of time. */

/* A new span of time begins. */
void keel_mpi_work_begin_span(struct keel_mpi_rows *rows);

/* Returns the computing time in it so far, in s: of marked work if any was marked in it, otherwise
 * of the scheduled loops that libkeel.so has timed. */
double keel_mpi_work_busy(const struct keel_mpi_rows *rows);

/* --- arrays.c ---
 *
 * The halo of an array: the rows around own ones, which other ranks own. */

/* Makes the plan of `array` for `placement`, and memory for its own rows and halo there; the
 * current plan stays in use until keel_mpi_halo_take(). False: no memory, or MPI has failed. */
bool keel_mpi_halo_prepare(struct keel_mpi_rows *rows, struct keel_mpi_array *array,
                           const struct keel_mpi_placement *placement);

/* Makes the plan that was prepared last the current one. */
void keel_mpi_halo_take(struct keel_mpi_array *array);

/* Releases the memory of rows that are neither own nor in the halo. */
void keel_mpi_halo_trim(struct keel_mpi_array *array);

/* --- work.c: windows ---
 *
 * Measuring windows: the time of loops over the rows of a distribution, row by row.
 *
 *   time_loops() of libkeel.so (lending.h): threads of loops -> match -> [window] -> row_costs.c
 *
 * A process has a fixed number of windows, which are never freed: a thread that is still in a loop
 * can use the window with which it began. Further distributions are not measured. */

#define KEEL_MPI_ROW_WINDOWS 8

struct keel_mpi_row_window {
    atomic_bool used;
    atomic_bool open;         /* loops that begin now are measured */
    struct keel_own_rows own; /* written while it is closed */
    /* Written by all threads of loops. */
    _Alignas(64) _Atomic uint64_t pieces;
    _Atomic uint64_t time_ns[KEEL_ROW_PARTS]; /* 1/n of the time, for teams of n threads */
};

/* Returns a window for a distribution; NULL: none is left, or there is no libkeel.so. */
struct keel_mpi_row_window *keel_mpi_row_window_take(void);

/* Releases a window; NULL: no effect. */
void keel_mpi_row_window_release(struct keel_mpi_row_window *window);

/* Opens or closes it for loops that begin from now on. */
static inline void keel_mpi_row_window_open(struct keel_mpi_row_window *window, bool open)
{
    /* release: pairs with the acquire in begin(), which reads `own` */
    atomic_store_explicit(&window->open, open, memory_order_release);
}

#endif
