/* Events of distributed rows in the trace. */
#include "mpi_backend/rows/rows_room.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/report/mpi_report.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/trace_file.h"
#include "schedules/text/text.h"

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

#define FIGURES 9 /* of a decision, before those of the candidates */

void keel_mpi_rows_event_decision(const struct keel_mpi_rows *rows,
                                  const struct keel_mpi_decision *decision)
{
    const struct keel_trace_ranks *events = keel_mpi_events();
    const struct keel_mpi_rows_report *report = &rows->report;
    char reason[KEEL_MPI_DECISION_TEXT];
    size_t count = FIGURES;

    if (events == NULL) {
        return;
    }
    keel_mpi_decision_text(decision, reason);
    struct keel_trace_number number[FIGURES + KEEL_CANDIDATES] = {
        {"hook", (double)decision->hook},
        {"gain", decision->gain},
        {"moved", (double)decision->moved},
        {"work", rows->work},
        {"rate", report->rate},
        {"filtered_rate", report->filtered_rate},
        {"decision_s", report->decision_s},
        {"waiting_s", report->waiting_s},
        {"movement_s", report->movement_s},
    };
    for (unsigned j = 0; decision->followed < KEEL_CANDIDATES && j < KEEL_CANDIDATES; j++) {
        number[count++] =
            (struct keel_trace_number){keel_candidates[j].name, decision->candidate_s[j]};
    }
    events->decision(&(struct keel_trace_decision){
        .name = decision->moved > 0 ? "rows move" : "rows stay",
        .about = "rows",
        .object = rows->observed->of.name,
        .reason = reason,
        .count = count,
        .number = number,
    });
    events->counter("rate", report->filtered_rate);
    events->counter("share", (double)rows->placement.owned[rows->rank]);
}

/* --- lines of KEEL_MPI_TRACE --- */

/* FILE.RANK, by the rank in the whole job; further distributions of it have FILE.RANK.2 and so on.
 */
static bool name_file(const char *file, char *path, size_t size)
{
    static unsigned distributions;
    int rank, length;

    if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) { /* costs a name, no more */
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

/* Lines go out whole: a job that is killed has left those of its past. So they go to the file
 * itself, not to one that takes its place at the end. */
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

/* Whom the decision followed, and how long what was done would have taken each candidate. */
static void write_candidates(FILE *trace, const struct keel_mpi_decision *decision)
{
    if (decision->followed >= KEEL_CANDIDATES) {
        fprintf(trace, ",,\n");
        return;
    }
    fprintf(trace, ",%s,", keel_candidates[decision->followed].name);
    for (unsigned j = 0; j < KEEL_CANDIDATES; j++) {
        fprintf(trace, "%s%s=%.6g", j > 0 ? " " : "", keel_candidates[j].name,
                decision->candidate_s[j]);
    }
    fprintf(trace, "\n");
}

void keel_mpi_rows_trace_note(const struct keel_mpi_rows *rows, double time_s,
                              const struct keel_mpi_decision *decision)
{
    const struct keel_mpi_rows_report *report = &rows->report;
    char reason[KEEL_MPI_DECISION_TEXT];

    if (rows->trace != NULL) {
        keel_mpi_decision_text(decision, reason);
        locale_t previous = keel_c_locale_enter();
        fprintf(rows->trace, "%llu,%.6f,%.9g,%.9g,%.9g,%.6g,%llu,%s,%s",
                (unsigned long long)decision->hook, time_s, rows->work, report->rate,
                report->filtered_rate, decision->gain, (unsigned long long)decision->moved,
                decision->policy, reason);
        write_candidates(rows->trace, decision);
        keel_c_locale_leave(previous);
    }
}

void keel_mpi_rows_trace_close(struct keel_mpi_rows *rows)
{
    if (rows->trace != NULL && (ferror(rows->trace) | fclose(rows->trace)) != 0) {
        keel_message("KEEL_MPI_TRACE: not all could be written; the trace is not complete");
    }
    rows->trace = NULL;
}
