/* Who watches ranks on other machines. */
#include "mpi_backend/job/processes/watchers.h"

#include <stdlib.h>

struct place {
    uint64_t machine;
    uint32_t rank;
};

static int compare(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->machine != b->machine) {
        return a->machine < b->machine ? -1 : 1;
    }
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Where machines begin among places in order, and behind the last one. Returns how many machines
 * there are. */
static uint32_t find_machines(const struct place *place, uint32_t count, uint32_t *begin)
{
    uint32_t machines = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || place[i].machine == 0 || place[i].machine != place[i - 1].machine) {
            begin[machines++] = i;
        }
    }
    begin[machines] = count;
    return machines;
}

static void mark(const struct place *place, uint32_t count, uint32_t *begin, uint32_t own,
                 bool *watched)
{
    uint32_t machines = find_machines(place, count, begin), machine = 0, at = 0;

    while (place[at].rank != own) {
        at++;
    }
    while (begin[machine + 1] <= at) {
        machine++;
    }
    uint32_t companions = begin[machine + 1] - begin[machine], number = at - begin[machine];
    for (uint32_t ahead = 1; ahead < machines; ahead *= 2) {
        uint32_t other = (machine + ahead) % machines;
        for (uint32_t i = begin[other] + number; i < begin[other + 1]; i += companions) {
            watched[place[i].rank] = true;
        }
    }
}

bool keel_mpi_watchers_plan(const uint64_t *machine, uint32_t count, uint32_t own, bool *watched)
{
    struct place *place = malloc(count * sizeof *place);
    uint32_t *begin = malloc((count + 1) * sizeof *begin);
    bool room = place != NULL && begin != NULL;

    if (room) {
        for (uint32_t i = 0; i < count; i++) {
            place[i] = (struct place){machine[i], i};
        }
        qsort(place, count, sizeof *place, compare);
        mark(place, count, begin, own, watched);
    }
    free(place);
    free(begin);
    return room;
}
