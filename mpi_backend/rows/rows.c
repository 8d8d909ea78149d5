/* Queries of distributed rows, gathering, and their events in the trace. */
#include "mpi_backend/rows/rows_room.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/report/mpi_report.h"
#include "mpi_backend/results/range_list.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/trace_file.h"
#include "schedules/text/text.h"

/* --- where rows are --- */

KEEL_MPI_PUBLIC int keel_mpi_rows_bounds(const struct keel_mpi_rows *rows, uint64_t *first,
                                         uint64_t *last)
{
    uint64_t before = 0;

    *first = *last = 0;
    if (keel_mpi_rows_is_missing(rows)) {
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

    for (uint64_t row = 0, end = 0;
         list != NULL && keel_mpi_placement_next(placement, rows->rank, end, &row, &end);) {
        for (; row < end; row++) {
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
    if (keel_mpi_rows_is_missing(rows)) {
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
    if (keel_mpi_rows_is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    if (row >= rows->placement.rows) {
        keel_mpi_misuse("keel_mpi_rows_owner(): there is no row %llu, expected one below %llu",
                        (unsigned long long)row, (unsigned long long)rows->placement.rows);
        return KEEL_MPI_ARGUMENT;
    }
    *rank = (int)rows->placement.run[keel_mpi_placement_find(&rows->placement, row)].owner;
    return KEEL_MPI_OK;
}

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

void keel_mpi_rows_update(struct keel_mpi_rows *rows)
{
    free(rows->list);
    rows->list = NULL;
    rows->placements++;
    rows->work = rows->report.work = keel_mpi_weights_sum(rows);
}

/* --- arrays --- */

struct keel_mpi_array *keel_mpi_rows_find_array(const struct keel_mpi_rows *rows, const void *base)
{
    for (struct keel_mpi_array *array = rows->arrays; array != NULL; array = array->next) {
        if (array->store.base == base) {
            return array;
        }
    }
    keel_mpi_misuse(
        "there is no array at %p, expected the address that keel_mpi_rows_array() gave; "
        "nothing is done",
        base);
    return NULL;
}

uint64_t keel_mpi_rows_array_number(const struct keel_mpi_rows *rows,
                                    const struct keel_mpi_array *array)
{
    uint64_t number = 0;

    for (const struct keel_mpi_array *other = rows->arrays; other != array; other = other->next) {
        number++;
    }
    return number;
}

/* --- measurements --- */

KEEL_MPI_PUBLIC int keel_mpi_rows_report(const struct keel_mpi_rows *rows,
                                         struct keel_mpi_rows_report *report)
{
    struct keel_mpi_rows_report own = {0};

    if (!keel_mpi_sized_check(report, sizeof report->struct_size, "keel_mpi_rows_report")) {
        return KEEL_MPI_ARGUMENT;
    }
    if (keel_mpi_rows_is_missing(rows)) {
        keel_mpi_sized_give(report, &own, sizeof own);
        return KEEL_MPI_ARGUMENT;
    }
    own = rows->report;
    own.busy_s += keel_mpi_work_busy(rows);
    own.hooks = rows->calls;
    own.work = rows->work;
    keel_mpi_sized_give(report, &own, sizeof own);
    return KEEL_MPI_OK;
}

/* --- all rows together --- */

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

/* True if the rank has a buffer or needs none; otherwise prints a message. */
static bool has_buffer(const struct keel_mpi_rows *rows, const void *buffer, bool takes)
{
    bool has = !takes || (buffer != NULL && buffer != MPI_IN_PLACE) || rows->placement.rows == 0;

    if (!has) {
        keel_message("rows are to be brought together on rank %u in a buffer that is %s, "
                     "expected room for all %llu; nothing is done",
                     rows->rank, buffer == NULL ? "NULL" : "MPI_IN_PLACE",
                     (unsigned long long)rows->placement.rows);
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
    const uint64_t number[] = {(uint64_t)root, keel_mpi_rows_array_number(rows, array)};
    code = keel_mpi_rows_agree_for_good(rows, code, keel_mpi_rows_digest(number, 2));
    if (code == KEEL_MPI_MISMATCH && rows->rank == 0) {
        keel_message(
            "ranks want different arrays of rows, or at different roots, expected the same "
            "on all of them; nothing is brought together");
    }
    if (code == KEEL_MPI_OK) {
        if (takes && buffer != NULL) {
            copy_own(array, &own, buffer);
        }
        code = keel_mpi_gather_ranges(&rows->peers, rows->placement.rows, &own,
                                      takes ? buffer : array->store.base,
                                      keel_mpi_array_row_bytes(array), MPI_BYTE, root);
    }
    if (keel_mpi_peers_code(&rows->peers) == KEEL_MPI_OK) { /* if not, operations use it */
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

/* --- events ---
 *
 * Events of distributed rows in the trace. */

uint64_t keel_mpi_rows_event_now(const struct keel_mpi_rows *rows)
{
    const struct keel_trace_ranks *events = rows->observed != NULL ? keel_mpi_events() : NULL;

    return events != NULL ? events->now() : 0;
}

void keel_mpi_rows_event_move(const struct keel_mpi_rows *rows, uint32_t from, uint64_t first,
                              uint64_t last, uint64_t bytes, uint64_t began)
{
    const struct keel_trace_ranks *events = keel_mpi_events();

    if (events != NULL) {
        events->move(&(struct keel_trace_move){
            .what = "rows",
            .name = rows->observed->of.name,
            .from = (int)from,
            .to = (int)rows->rank,
            .first = first,
            .last = last,
            .bytes = bytes,
            .began = began,
            .ended = events->now(),
        });
    }
}

/* --- lines of KEEL_MPI_TRACE --- */

/* FILE.RANK, by the rank in MPI_COMM_WORLD; its further distributions get FILE.RANK.2 and so on. */
static bool name_file(const char *file, char *path, size_t size)
{
    static unsigned distributions;
    int rank, length;

    if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) { /* only the name suffers */
        rank = -1;
    }
    if (++distributions == 1) {
        length = snprintf(path, size, "%s.%d", file, rank);
    } else {
        length = snprintf(path, size, "%s.%d.%u", file, rank, distributions);
    }
    errno = ENAMETOOLONG;
    return (size_t)length < size;
}

/* Lines are written at once, so that those of a job that is killed remain. So they go to the file
 * itself, not to one that replaces it at the end. */
void keel_mpi_rows_trace_open(struct keel_mpi_rows *rows)
{
    const char *file = keel_mpi_settings()->trace_file;
    char path[PATH_MAX];

    if (file == NULL) {
        return;
    }
    int descriptor = name_file(file, path, sizeof path) ? keel_trace_file_open(path) : -1;
    rows->trace = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (rows->trace != NULL) {
        setvbuf(rows->trace, NULL, _IOLBF, BUFSIZ);
        fprintf(
            rows->trace,
            "hook,time_s,work,rate,filtered_rate,gain,moved,policy,reason,followed,candidates\n");
    } else if (keel_mpi_settings()->prints_common) {
        keel_message("KEEL_MPI_TRACE: '%.200s' cannot be written: %s; nothing is traced", path,
                     keel_trace_file_reason(errno));
    }
}

#define MEASUREMENTS 9 /* values of a decision, before those of the candidates */

static void write_line(FILE *trace, double time_s, const struct keel_mpi_decision *decision,
                       const struct keel_trace_decision *event)
{
    const struct keel_trace_number *number = event->number;
    bool follows = event->count > MEASUREMENTS;
    locale_t previous = keel_c_locale_enter();

    fprintf(trace, "%.0f,%.6f,%.9g,%.9g,%.9g,%.6g,%.0f,%s,%s,%s,", number[0].value, time_s,
            number[3].value, number[4].value, number[5].value, number[1].value, number[2].value,
            decision->policy, event->reason,
            follows ? keel_candidates[decision->followed].name : "");
    for (size_t j = MEASUREMENTS; j < event->count; j++) {
        fprintf(trace, "%s%s=%.6g", j > MEASUREMENTS ? " " : "", number[j].name, number[j].value);
    }
    fprintf(trace, "\n");
    keel_c_locale_leave(previous);
}

void keel_mpi_rows_note_decision(const struct keel_mpi_rows *rows, double time_s,
                                 const struct keel_mpi_decision *decision)
{
    const struct keel_trace_ranks *events = rows->observed != NULL ? keel_mpi_events() : NULL;
    const struct keel_mpi_rows_report *report = &rows->report;
    char reason[KEEL_MPI_DECISION_TEXT];
    struct keel_trace_number number[MEASUREMENTS + KEEL_CANDIDATES] = {
        {"hook", (double)decision->call},
        {"gain", decision->gain},
        {"moved", (double)decision->moved},
        {"work", rows->work},
        {"rate", report->rate},
        {"filtered_rate", report->filtered_rate},
        {"decision_s", report->decision_s},
        {"waiting_s", report->waiting_s},
        {"movement_s", report->movement_s},
    };
    struct keel_trace_decision event = {
        .name = decision->moved > 0 ? "rows move" : "rows stay",
        .about = "rows",
        .object = rows->observed != NULL ? rows->observed->of.name : NULL,
        .reason = reason,
        .count = MEASUREMENTS,
        .number = number,
    };

    if (rows->observed != NULL) {
        keel_mpi_distribution_note(rows->observed, decision);
    }
    if (events == NULL && rows->trace == NULL) {
        return;
    }
    keel_mpi_decision_text(decision, reason);
    for (unsigned j = 0; decision->followed < KEEL_CANDIDATES && j < KEEL_CANDIDATES; j++) {
        number[event.count++] =
            (struct keel_trace_number){keel_candidates[j].name, decision->candidate_s[j]};
    }
    if (rows->trace != NULL) {
        write_line(rows->trace, time_s, decision, &event);
    }
    if (events != NULL) {
        events->decision(&event);
        events->counter("rate", report->filtered_rate);
        events->counter("share", (double)rows->placement.owned[rows->rank]);
    }
}

void keel_mpi_rows_trace_close(struct keel_mpi_rows *rows)
{
    if (rows->trace != NULL && (ferror(rows->trace) | fclose(rows->trace)) != 0) {
        keel_message("KEEL_MPI_TRACE: not all could be written; the trace is not complete");
    }
    rows->trace = NULL;
}
