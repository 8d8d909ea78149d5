/* How far another clock is ahead of one's own. */
#include "mpi_backend/job/clock_offset.h"

#include <stdbool.h>

static bool overlaps(const struct keel_mpi_clock_offset *offset, int64_t least, int64_t most)
{
    return least <= offset->most && most >= offset->least;
}

void keel_mpi_clock_offset_note(struct keel_mpi_clock_offset *offset, int64_t sent, int64_t remote,
                                int64_t received)
{
    int64_t least = remote - received, most = remote - sent;
    bool first = offset->exchanges == 0;

    if (received < sent) {
        return;
    }
    offset->exchanges++;
    if (!first && overlaps(offset, least, most)) {
        offset->least = least > offset->least ? least : offset->least;
        offset->most = most < offset->most ? most : offset->most;
    } else if (first || most - least < offset->most - offset->least) {
        offset->least = least;
        offset->most = most;
    }
}

int64_t keel_mpi_clock_offset_ns(const struct keel_mpi_clock_offset *offset)
{
    return offset->least + (offset->most - offset->least) / 2;
}

uint64_t keel_mpi_clock_offset_error_ns(const struct keel_mpi_clock_offset *offset)
{
    return (uint64_t)(offset->most - offset->least + 1) / 2;
}
