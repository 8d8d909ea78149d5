/* What own rows have taken in the last phases, in as many parts as are told apart.
 *
 *   times of parts in each measured phase -> [times] -> what is common to them -> measure.h
 *
 * In a single phase the processor may have been somebody else's during any part, for a quantum of
 * time, which may be many times as long as the part. So a part takes what it took in most phases;
 * where its cost has changed, what it took in the last two. Pure. */
#ifndef SCHEDULES_ROWS_TIMES_H
#define SCHEDULES_ROWS_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#define KEEL_ROW_PARTS 128 /* at most, of a rank's rows */
#define KEEL_ROW_PHASES 5  /* the last ones that count */

/* Rows in a part; the last part may have fewer. rows >= 1. */
static inline uint64_t keel_row_part_rows(uint64_t rows)
{
    return (rows + KEEL_ROW_PARTS - 1) / KEEL_ROW_PARTS;
}

/* Number of parts of so many rows, 1 .. KEEL_ROW_PARTS. */
static inline unsigned keel_row_parts(uint64_t rows)
{
    uint64_t each = keel_row_part_rows(rows);

    return (unsigned)((rows + each - 1) / each);
}

/* Begins as {0}. */
struct keel_row_times {
    unsigned phases; /* noted so far */
    double time_s[KEEL_ROW_PHASES][KEEL_ROW_PARTS];
};

/* Takes in a phase: time of each of `parts` parts, s. */
void keel_row_times_note(struct keel_row_times *times, const double *time_s, unsigned parts);

/* Whether phases tell what rows take: three of them, or one that is so long that quanta of time
 * are short beside it. */
bool keel_row_times_are_known(const struct keel_row_times *times, unsigned parts);

/* Writes what each part takes in a phase, s, and what that may be off by: the median of the last
 * phases, or the last two where these agree and differ from all before; of one or two phases, the
 * median of the part's and its neighbours'. */
void keel_row_times_common(const struct keel_row_times *times, unsigned parts, double *time_s,
                           double *error_s);

#endif
