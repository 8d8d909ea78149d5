/* How many ranks an idle rank looks at, at a time.
 *
 *   what a look costs, how long answers take, how many ranks have nothing -> [neighbourhood] -> d
 *
 * Looks at a neighbourhood of d ranks are sent one after the other, and their answers come together
 * after a wait (PAPERS.md R4, section 4.4 of the paper). The first neighbourhood has a rank with
 * objects at best; at worst all N_beta ranks that have none are looked at before. On average of
 * both bounds a search takes
 *
 *   T(d) = (1 + ceil(N_beta / d)) / 2 * (d * message_s + wait_s)
 *
 * so that neighbourhoods are small where looks cost much, and large where answers are late or few
 * ranks have objects. Pure. */
#ifndef SCHEDULES_OBJECTS_NEIGHBOURHOOD_H
#define SCHEDULES_OBJECTS_NEIGHBOURHOOD_H

#include <stdint.h>

struct keel_neighbourhood_case {
    uint32_t others;  /* P - 1 */
    double empty;     /* part of the ranks looked at so far that had nothing to give, 0 .. 1 */
    double message_s; /* to send a look, and to answer it */
    double wait_s;    /* until an answer comes, beside that: the asked rank computes */
};

/* 1 .. min(most, others), and 1 where there are no others: where T(d) is least, the first of
 * several. `otherwise`, within these bounds, where a cost is not known: it is not positive or not
 * finite. most >= 1. */
uint32_t keel_neighbourhood(const struct keel_neighbourhood_case *measured, uint32_t most,
                            uint32_t otherwise);

#endif
