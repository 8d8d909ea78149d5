/* A report as text: plain ASCII, at most 100 columns.
 *
 *   processes -> jobs -> head, efficiencies, loops, ranks, shared loops, rows, notes
 */
#ifndef OMP_EXT_REPORT_REPORT_TEXT_H
#define OMP_EXT_REPORT_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "omp_ext/report/report_document.h"
#include "omp_ext/report/report_data.h"

struct keel_report_text_options {
    bool all;     /* also loops, ranks and decisions of little effect */
    uint64_t top; /* most loops; 0: no limit */
    int signal;   /* that ended incomplete processes; 0: not known */
    bool node;    /* the ranks are those of one node: ranks of others are not called missing */
};

/* Returns the text, to be freed; NULL if memory is short. The processes are sorted as by
 * keel_report_job_sort(). Any thread. */
char *keel_report_text(const struct keel_report_process *const *process, size_t count,
                       struct keel_report_text_options options, size_t *length);

/* --- parts --- */

/* Prints the loops in descending order of lost time; those that lose little are summed up in one
 * line unless `all`. top: most loops; 0: no limit. */
void keel_report_print_loops(FILE *stream, const struct keel_report_job *job,
                             const struct keel_report_summary *summary, bool all, size_t top);

/* Prints nodes and ranks; of many ranks those that lose most, unless `all`. */
void keel_report_print_ranks(FILE *stream, const struct keel_report_job *job, bool all);

/* Prints the program's calls of MPI in descending order of time, the longest unless `all`, and the
 * ranks that they waited for. */
void keel_report_print_calls(FILE *stream, const struct keel_report_job *job, bool all);

#define KEEL_RANK_ADVICE_MAX 200 /* bytes that hold any of these texts, terminator included */

/* Writes advice and its largest gain: to share the cores of a node if its ranks have unequal work,
 * or to balance the ranks if nodes have. Writes "" if MPI takes less than 5 % of the job, or if
 * ranks or their MPI times are missing. In the C locale. */
void keel_rank_advice_write(const struct keel_report_job *job, char *text);

/* Prints for each shared loop, and each set of rows or objects, the work and transfers of each
 * rank, and the last decisions and phases, or `all`. */
void keel_report_print_moving(FILE *stream, const struct keel_report_job *job, bool all);

/* Prints a note if recording took 1 % of a process's time or more: short regions are sampled, but
 * all loops and parts within longer regions are recorded. */
void keel_report_print_recording(FILE *stream, const struct keel_report_job *job);

/* Prints a note for the job if a team of T threads may use fewer cores than T, or if the ranks of a
 * node have more threads in sum than it has cores. */
void keel_report_print_cores(FILE *stream, const struct keel_report_job *job);

/* --- numbers and lines --- */

#define KEEL_REPORT_NUMBER_MAX 32 /* bytes, terminator included */

struct keel_report_number {
    char text[KEEL_REPORT_NUMBER_MAX];
};

/* Seconds with three or four digits: "0.0123", "1.234", "123.4", "12345". In the C locale. */
struct keel_report_number keel_report_seconds(double seconds);

/* "1234", "123.4k", "1.2M", "3.4G". In the C locale. */
struct keel_report_number keel_report_count(uint64_t count);

#define KEEL_REPORT_COLUMNS 100

/* Prints `text` on lines of KEEL_REPORT_COLUMNS, broken between words; the first one begins in
 * column `first`, all others in column `others`. Prints nothing for "". */
void keel_report_print_wrapped(FILE *stream, const char *text, int first, int others);

#endif
