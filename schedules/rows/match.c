/* Which loops are over rows. */
#include "schedules/rows/match.h"

/* --- values are numbers of rows --- */

/* Values [low, high) of the loop's variable. False: they are no numbers of rows. */
static bool values_of(const struct keel_own_rows *own, const struct keel_row_loop *loop,
                      uint64_t *low, uint64_t *high)
{
    uint64_t step = loop->step > 0 ? (uint64_t)loop->step : -(uint64_t)loop->step;

    if (loop->start > own->all || step > own->all || loop->iterations > own->all + 1) {
        return false;
    }
    uint64_t span = (loop->iterations - 1) * step;
    if (loop->iterations > 1 && span / (loop->iterations - 1) != step) {
        return false;
    }
    if (loop->step < 0 && span > loop->start) {
        return false;
    }
    *low = loop->step > 0 ? loop->start : loop->start - span;
    *high = *low + span + 1;
    return true;
}

/* 1 where values count rows from 1, else 0: by the bounds. Inner rows alone, which leave out the
 * first and the last of all, look alike in both but for the first rank's. */
static uint64_t base_of(const struct keel_own_rows *own, uint64_t low, uint64_t high)
{
    uint64_t end = own->first + own->count;
    bool beyond = high == end + 1 && low > own->first;
    bool last = own->first > 0 && end == own->all && low == own->first + 1 && high == end;

    return beyond || last;
}

static bool match_numbers(const struct keel_own_rows *own, const struct keel_row_loop *loop,
                          struct keel_row_match *match)
{
    uint64_t low, high;

    if (!own->block || !values_of(own, loop, &low, &high)) {
        return false;
    }
    uint64_t base = base_of(own, low, high);
    if (low < own->first + base || high > own->first + own->count + base ||
        (high - low) < own->count / 2) {
        return false;
    }
    *match = (struct keel_row_match){
        .place = (double)(loop->start - base - own->first) + (loop->step < 0 ? 1 : 0),
        .pace = (double)loop->step,
    };
    return true;
}

/* --- values are places, or there are several for a row --- */

static bool match_multiple(const struct keel_own_rows *own, const struct keel_row_loop *loop,
                           struct keel_row_match *match)
{
    uint64_t each = loop->iterations / own->count;

    if (loop->step != 1 || each == 0 || loop->iterations % own->count != 0 ||
        (each > 1 && (own->count < KEEL_ROW_MATCH_LEAST || loop->iterations == own->all))) {
        return false;
    }
    bool places = loop->start <= 1;
    bool numbers =
        own->block && (loop->start == own->first * each || loop->start == own->first * each + 1);
    *match = (struct keel_row_match){.place = 0, .pace = 1 / (double)each};
    return places || numbers;
}

bool keel_row_match(const struct keel_own_rows *own, const struct keel_row_loop *loop,
                    struct keel_row_match *match)
{
    return own->count > 0 && loop->iterations > 0 && loop->step != 0 &&
           (match_numbers(own, loop, match) || match_multiple(own, loop, match));
}
