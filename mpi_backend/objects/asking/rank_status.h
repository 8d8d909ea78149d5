/* What a rank tells others with questions and answers: how fast it is, what it has left, and what
 * it knows of others.
 *
 *   work measured, objects that wait, news -> [digest]
 *        ~~> news of the others and who of them is done soon (objects/news.h)
 *
 * Called under the set's lock, in phases. */
#ifndef MPI_BACKEND_OBJECTS_ASKING_RANK_STATUS_H
#define MPI_BACKEND_OBJECTS_ASKING_RANK_STATUS_H

#include "mpi_backend/objects/objects_state.h"

/* Of this rank, by now. */
struct keel_mpi_objects_pace keel_mpi_digest_pace(const struct keel_mpi_objects *objects);

/* Weight that this rank computes per s. Where nothing has been computed, what the first object that
 * runs lets expect; 0: none does. */
double keel_mpi_digest_weight_per_s(const struct keel_mpi_objects *objects);

/* Time of an object that waits, with its messages, in s; weight_s, pace: the two above. */
double keel_mpi_digest_work_s(const struct keel_mpi_object *object, double weight_s,
                              const struct keel_mpi_objects_pace *pace);

/* The same of the object that is begun next; 0: none waits. */
double keel_mpi_digest_next_s(const struct keel_mpi_objects *objects,
                              const struct keel_mpi_objects_pace *pace);

/* The same of one that others may have. The first one is about to be begun here, so it is the one
 * behind it, if there is one. */
double keel_mpi_digest_spare_s(const struct keel_mpi_objects *objects,
                               const struct keel_mpi_objects_pace *pace);

/* Two ranks have nobody else to tell of; other policies than `diffuse` don't ask by news. */
bool keel_mpi_digest_tells_news(const struct keel_mpi_objects *objects);

/* pace: the rank's own. */
struct keel_mpi_objects_digest keel_mpi_digest_make(const struct keel_mpi_objects *objects,
                                                    const struct keel_mpi_objects_pace *pace);

/* That are sent. */
uint64_t keel_mpi_digest_bytes(const struct keel_mpi_objects_digest *digest);

/* Takes the news that have come with a record of that rank, if there are any. */
void keel_mpi_digest_take(struct keel_mpi_objects *objects, uint32_t sender, const void *payload,
                          uint64_t bytes);

#endif
