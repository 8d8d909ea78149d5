/* A report as people read it: plain ASCII, at most 100 columns.
 *
 *   processes -> jobs -> head, efficiencies, loops, ranks, shared loops, rows, notes
 */
#ifndef OMP_EXT_REPORT_TEXT_REPORT_TEXT_H
#define OMP_EXT_REPORT_TEXT_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "omp_ext/report/report_document.h"
#include "omp_ext/report/report_data.h"

struct keel_report_text_options {
    bool all;     /* loops, ranks and decisions that matter little, too */
    uint64_t top; /* at most so many loops; 0: no limit */
    int signal;   /* what ended processes that are not complete; 0: not known */
    bool node;    /* the ranks are those of one node, others print theirs: none is called missing */
};

/* The text, to be freed; NULL: memory is short. The processes are sorted as by
 * keel_report_job_sort(). Any thread. */
char *keel_report_text(const struct keel_report_process *const *process, size_t count,
                       struct keel_report_text_options options, size_t *length);

/* --- parts --- */

/* Prints the loops by what they lose; those that lose little in one line together, unless `all`. At
 * most `top` of them; 0: no limit. */
void keel_report_print_loops(FILE *stream, const struct keel_report_job *job,
                             const struct keel_report_summary *summary, bool all, size_t top);

/* Prints nodes and ranks, by what they lose; of many ranks those that lose most, unless `all`. */
void keel_report_print_ranks(FILE *stream, const struct keel_report_job *job, bool all);

/* Prints the program's calls of MPI by the time that they took, those that took most unless `all`,
 * and whom they waited for. */
void keel_report_print_calls(FILE *stream, const struct keel_report_job *job, bool all);

#define KEEL_RANK_ADVICE_MAX 200 /* bytes that hold any of these texts, terminator included */

/* Writes what to do, and what that gains at most: to share the cores of a node, where its ranks
 * have unequal work, or to balance the ranks, where nodes have. "": MPI takes less than 5 % of the
 * job, or not all is known of all ranks. In the C locale. */
void keel_rank_advice_write(const struct keel_report_job *job, char *text);

/* Prints for each loop that ranks share, and each set of rows or objects, what each rank has done,
 * sent and got, and the last decisions and phases, or `all`. */
void keel_report_print_moving(FILE *stream, const struct keel_report_job *job, bool all);

/* Prints a note where recording has taken 1 % of a process's time or more: of short regions some
 * instances stand for the others, but what is within a longer region is all recorded. */
void keel_report_print_recording(FILE *stream, const struct keel_report_job *job);

/* Prints a note for the job where a team of T threads may use fewer cores than T, or the ranks of a
 * node together have more threads than it has cores; nothing otherwise. */
void keel_report_print_cores(FILE *stream, const struct keel_report_job *job);

/* --- numbers and lines --- */

#define KEEL_REPORT_NUMBER_MAX 32 /* bytes, terminator included */

struct keel_report_number {
    char text[KEEL_REPORT_NUMBER_MAX];
};

/* Seconds by three or four digits: "0.0123", "1.234", "123.4", "12345". In the C locale. */
struct keel_report_number keel_report_seconds(double seconds);

/* "1234", "123.4k", "1.2M", "3.4G". In the C locale. */
struct keel_report_number keel_report_count(uint64_t count);

#define KEEL_REPORT_COLUMNS 100

/* Prints `text` on lines of KEEL_REPORT_COLUMNS, broken between words; the first one begins in
 * column `first`, all others in column `others`. "": prints nothing. */
void keel_report_print_wrapped(FILE *stream, const char *text, int first, int others);

#endif
