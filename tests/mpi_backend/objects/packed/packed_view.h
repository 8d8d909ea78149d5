/* What the receiver knows, in tests of what comes about objects. */
#ifndef KEEL_TESTS_PACKED_VIEW_H
#define KEEL_TESTS_PACKED_VIEW_H

#include "mpi_backend/objects/records/packed_check.h"
#include "mpi_backend/objects/objects_state.h"

enum { RANKS = 5, RANK = 1, HANDLERS = 2, QUESTIONS = 3, PHASE = 7 };

static const struct keel_mpi_packed_view packed_view = {
    .rank = RANK,
    .ranks = RANKS,
    .handlers = HANDLERS,
    .questions = QUESTIONS,
    .pace = sizeof(struct keel_mpi_objects_pace),
    .digest = sizeof(struct keel_mpi_objects_digest),
};

#endif
