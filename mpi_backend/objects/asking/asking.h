/* An idle rank asks others for objects; the asked one gives some, if both end earlier for it.
 *
 *   idle, or soon -> schedules/balance/victim.h: whom -> ASK ~~> what to give (objects/gift.h)
 *        -> objects ~~> GAVE ~~> another round, or a pause
 *
 * Called under the set's lock, in phases. */
#ifndef MPI_BACKEND_OBJECTS_ASKING_ASKING_H
#define MPI_BACKEND_OBJECTS_ASKING_ASKING_H

#include "mpi_backend/objects/objects_state.h"

/* Takes the policy that holds, once, before the first phase. KEEL_MPI_OK or KEEL_MPI_NO_ROOM. */
int keel_mpi_asking_open(struct keel_mpi_objects *objects);

/* Whether idle ranks ask others, and objects can go there. */
bool keel_mpi_asking_is_on(const struct keel_mpi_objects *objects);

/* A phase begins. */
void keel_mpi_asking_begin(struct keel_mpi_objects *objects);

/* Asks, if the rank has too little work and nobody is asked already. */
void keel_mpi_asking_if_due(struct keel_mpi_objects *objects);

/* Whether what is left is not begun yet, but after answers, or as soon as some time has passed: as
 * the one before is done, others are known to have heavier ones that wait. After a rank's first
 * object others are looked at, too, as nothing can be known before. */
bool keel_mpi_asking_holds(struct keel_mpi_objects *objects);

/* An object begins at now_s: tells a rank that is known to have nothing of those that wait behind
 * it. */
void keel_mpi_asking_offer(struct keel_mpi_objects *objects, double now_s);

/* Records ASK, LOOK, GAVE and OFFER. */
void keel_mpi_asking_answer(struct keel_mpi_objects *objects,
                            const struct keel_mpi_object_record *record, const void *payload);
void keel_mpi_asking_take(struct keel_mpi_objects *objects,
                          const struct keel_mpi_object_record *record, const void *payload);
void keel_mpi_asking_hear(struct keel_mpi_objects *objects,
                          const struct keel_mpi_object_record *record, const void *payload);

/* An object has come, unless it is NULL: it goes before those that take less. */
void keel_mpi_asking_place(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* An object is about to be taken from the list: where those left are few, the last one is the next,
 * once in a phase. Objects that lie together are often alike: it shows what those before it may
 * take while others still can have them. */
void keel_mpi_asking_sample(struct keel_mpi_objects *objects);

/* --- rank_status.c ---
 *
 * What a rank tells others with questions and answers: how fast it is, what it has left, and what
 * it knows of others.
 *
 *   work measured, objects that wait, news -> [digest]
 *        ~~> news of the others and who of them is done soon (objects/news.h)
 *
 * Called under the set's lock, in phases. */

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
