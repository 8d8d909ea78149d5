/* Functions that the files of this room share, for the objects of a rank (objects_state.h). */
#ifndef MPI_BACKEND_OBJECTS_OBJECTS_H
#define MPI_BACKEND_OBJECTS_OBJECTS_H

#include <stdint.h>

#include "mpi_backend/objects/records.h"
#include "mpi_backend/objects/objects_state.h"
#include "mpi_backend/report/mpi_report.h"
#include "mpi_backend/rows/copies/generations.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- object_delivery.c ---
 *
 * Messages to objects find them on any rank, in the order of each sender.
 *
 *   send -> the object is here: its list
 *        -> elsewhere: a number -> known rank, or home rank ~~> arrive -> due? -> its list
 *
 * Order. A message to an object that is here goes to the end of the object's list if no message
 * from this rank to it can be on its way: earlier ones are in front of it, or have been handled.
 * All others are numbered, by sender and object, from 0 in each phase; wherever they arrive, the
 * object's list takes only the one that is due, and keeps the others until it arrives. The list and
 * the next numbers due move with the object. While an object leaves, messages to it wait beside its
 * list, and follow it, or join the list if it could not move. When a phase ends no message is on
 * its way, so that numbers restart at 0 on all ranks.
 *
 * Called under the set's lock. */

/* Puts and counts a record, with a copy of its payload of any size. False: no memory. */
bool keel_mpi_delivery_put(struct keel_mpi_objects *objects, uint32_t rank,
                           const struct keel_mpi_object_record *record, const void *payload);

/* The same with a payload from malloc(), which it always takes over. */
bool keel_mpi_delivery_put_own(struct keel_mpi_objects *objects, uint32_t rank,
                               const struct keel_mpi_object_record *record, void *payload);

/* The same without a payload; if there is no memory, the set fails. */
void keel_mpi_delivery_notify(struct keel_mpi_objects *objects, uint32_t rank,
                              const struct keel_mpi_object_record *record);

/* If memory was missing, informs the others that nothing is collective any more. By a thread that
 * may call MPI. */
void keel_mpi_delivery_report_failure(struct keel_mpi_objects *objects);

/* Sends a message of this rank. Returns KEEL_MPI_OK or KEEL_MPI_NO_ROOM. */
int keel_mpi_delivery_send(struct keel_mpi_objects *objects, uint64_t index, uint32_t handler,
                           const void *message, uint64_t bytes);

/* Passes a numbered message that is on this rank to its object, or on. Takes it over. */
void keel_mpi_delivery_route(struct keel_mpi_objects *objects,
                             struct keel_mpi_object_message *message);

/* Handles records MESSAGE and RETURNED. */
void keel_mpi_delivery_take(struct keel_mpi_objects *objects,
                            const struct keel_mpi_object_record *record, const void *payload);

/* To be called when an object has arrived or was added: sets whether messages to it from here are
 * numbered, and passes held messages to it. */
void keel_mpi_delivery_welcome(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* Records where an object is, as its home rank (home) or as another one. */
void keel_mpi_delivery_note(struct keel_mpi_objects *objects, uint64_t index,
                            struct keel_location location, bool home);

/* An object was deleted here: returns its messages to their senders. */
void keel_mpi_delivery_forget(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* To be called when only waiting messages are left: returns those to objects that no rank has, and
 * takes early ones as due if messages before them were returned. */
void keel_mpi_delivery_give_up(struct keel_mpi_objects *objects);

/* The phase has ended, and nothing waits: restarts numbers, and discards hints. */
void keel_mpi_delivery_reset(struct keel_mpi_objects *objects);

/* Returns the home rank of an object. */
uint32_t keel_mpi_delivery_home(const struct keel_mpi_objects *objects, uint64_t index);

/* Adds an object of the program, as described for keel_mpi_objects_insert(). */
int keel_mpi_delivery_insert(struct keel_mpi_objects *objects, uint64_t index, void *data);

/* --- tables.c ---
 *
 * The list of ready objects, and lists of messages. Called under the set's lock. */

/* Returns a copy of a message; NULL: no memory. */
struct keel_mpi_object_message *keel_mpi_object_message_make(uint64_t index, uint32_t handler,
                                                             const void *message, uint64_t bytes);

void keel_mpi_object_messages_append(struct keel_mpi_object_message_list *list,
                                     struct keel_mpi_object_message *message);

/* Takes out the first message; NULL: there is none. */
struct keel_mpi_object_message *
keel_mpi_object_messages_take(struct keel_mpi_object_message_list *list);

/* Frees all messages. */
void keel_mpi_object_messages_free(struct keel_mpi_object_message_list *list);

/* Returns object->network, made if it is NULL; NULL: no memory. */
struct keel_mpi_object_network *keel_mpi_object_network_of(struct keel_mpi_objects *objects,
                                                           struct keel_mpi_object *object);

/* Frees object->network. */
void keel_mpi_object_network_free(struct keel_mpi_object *object);

/* Appends the object's next message. */
void keel_mpi_object_append(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                            struct keel_mpi_object_message *message);

/* The object is here and rests: makes it ready if it has work, also in phases that compute nothing,
 * where it waits. */
void keel_mpi_object_settle(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* Takes the first ready object, to be worked on; NULL: there is none. */
struct keel_mpi_object *keel_mpi_ready_take(struct keel_mpi_objects *objects);

/* Moves a ready object to the front of the list. */
void keel_mpi_ready_go_first(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* Takes a ready object out of the list; it rests. */
void keel_mpi_ready_remove(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* --- objects_forecast.c ---
 *
 * Times of the phases of an object set, compared with the model, for reports.
 *
 *   phase begins -> work of each rank; phase ends -> measurements of all ranks -> objects_terms.h
 *        -> bounds of this phase, by its measurements, and of the next one -> report/mpi_report.h
 *
 * Only if some rank wants a report: then ranks exchange measurements at the end of phases that
 * compute objects. By the thread that called the phase's function. */

/* Returns KEEL_MPI_OK or KEEL_MPI_NO_ROOM, on which all ranks have to agree. read: reads the
 * measurements of a set. */
int keel_mpi_model_open(struct keel_mpi_objects *objects, keel_mpi_reader *read);

/* To be called when a phase begins. */
void keel_mpi_model_begin(struct keel_mpi_objects *objects);

/* To be called when the objects that the phase computes are known. */
void keel_mpi_model_note_work(struct keel_mpi_objects *objects);

/* Returns how long the phase has lasted; 0: no report is wanted. */
uint64_t keel_mpi_model_took_ns(const struct keel_mpi_objects *objects);

/* A phase that computes objects has ended, on all ranks. took_ns, longest_ns: the maxima of all
 * ranks, of the phase and of an object. Returns KEEL_MPI_OK, or the error of the ranks.
 * Collective. */
int keel_mpi_model_end(struct keel_mpi_objects *objects, const char *where, uint64_t took_ns,
                       uint64_t longest_ns);

/* The set is about to be freed: keeps its measurements for the report. */
void keel_mpi_model_forget(struct keel_mpi_objects *objects);

void keel_mpi_model_free(struct keel_mpi_objects *objects);

/* --- asking.c ---
 *
 * An idle rank asks others for objects; the asked rank gives some if both then end earlier.
 *
 *   idle, or soon -> schedules/balance/victim.h: which rank -> ASK ~~> schedules/objects/gift.h
 *        -> objects ~~> GAVE ~~> another round, or a pause
 *
 * Called under the set's lock, in phases. */

/* Begins the search by objects->policy, for a new set or policy. KEEL_MPI_OK or
 * KEEL_MPI_NO_ROOM. */
int keel_mpi_asking_open(struct keel_mpi_objects *objects);

/* Whether idle ranks ask others, and objects can move. */
bool keel_mpi_asking_is_on(const struct keel_mpi_objects *objects);

/* To be called when a phase begins. */
void keel_mpi_asking_begin(struct keel_mpi_objects *objects);

/* Asks, if the rank has too little work and no answer is pending. */
void keel_mpi_asking_if_due(struct keel_mpi_objects *objects);

/* Whether the rank does not begin its remaining objects before answers have arrived, or some time
 * has passed: if other ranks are known to have heavier objects that wait. Also after a rank's first
 * object, as nothing can be known before. */
bool keel_mpi_asking_holds(struct keel_mpi_objects *objects);

/* Handles records ASK and LOOK, and GAVE. */
void keel_mpi_asking_answer(struct keel_mpi_objects *objects,
                            const struct keel_mpi_object_record *record, const void *payload);
void keel_mpi_asking_take(struct keel_mpi_objects *objects,
                          const struct keel_mpi_object_record *record, const void *payload);

/* Moves an object that has arrived, if not NULL, before lighter ones. */
void keel_mpi_asking_place(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* To be called before an object is taken from the list: if few are left, moves the last one to the
 * front, once in a phase. Neighbouring objects are often alike: it shows how long those before it
 * may take while other ranks can still get them. */
void keel_mpi_asking_sample(struct keel_mpi_objects *objects);

/* --- object_movement.c ---
 *
 * Moving an object to another rank.
 *
 *   packed, with its messages ~~> unpacked there: TAKEN ~~> dropped here, late messages follow
 *                              or no memory, unpack() failed: STAYS ~~> stays here
 *
 * The giver keeps the object until the answer arrives, so that it is never lost. It belongs to the
 * receiver once that has unpacked it. Until the answer the giver does not work on it. An answer is
 * identified by its epoch: the object may have come back, and left again, before it.
 *
 * A phase ends without error only when every record has arrived, so both know by then whether the
 * object has moved. If a rank is late, they know later; if it has ended or is stopped for good, the
 * phase ends with an error on all ranks, and only the giver may be in doubt: it does not work on
 * the object any more, and still has its data. Model checking of tests/models/movement.pml searches
 * for a case in which an object is lost, or on two ranks. Called under the set's lock. */

/* Bytes of an object when packed, by the program's size(), with its messages. */
double keel_mpi_movement_bytes(const struct keel_mpi_objects *objects,
                               const struct keel_mpi_object *object);

/* Whether there are other ranks, and the program has functions to move objects. */
bool keel_mpi_movement_is_possible(const struct keel_mpi_objects *objects);

/* The computed work of this rank, with the running object unless that has a known_s. */
struct keel_work keel_mpi_movement_computing(const struct keel_mpi_objects *objects);

/* Returns how many bytes pack() will write; less if that is more than there can be, so that sums
 * with it do not overflow. */
static inline uint64_t keel_mpi_object_bytes(const struct keel_mpi_objects *objects,
                                             const struct keel_mpi_object *object)
{
    return min_u64(objects->call.size(objects->call.context, object->index, object->data),
                   UINT64_C(1) << 62);
}

/* Sends an object that rests or is ready. False: it could not be packed or sent, and stays. */
bool keel_mpi_movement_give(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                            uint32_t rank);

/* Handle records OBJECT, TAKEN and STAYS. The first returns the object; NULL: it could not be
 * taken. */
struct keel_mpi_object *keel_mpi_movement_take(struct keel_mpi_objects *objects,
                                               const struct keel_mpi_object_record *record,
                                               const void *payload);
void keel_mpi_movement_taken(struct keel_mpi_objects *objects,
                             const struct keel_mpi_object_record *record);
void keel_mpi_movement_stays(struct keel_mpi_objects *objects,
                             const struct keel_mpi_object_record *record);

/* --- object_progress.c ---
 *
 * Receiving from other ranks, and answering them. By threads that may call MPI. */

/* Handles a received record (keel_mpi_transport's take). Under the lock. */
void keel_mpi_progress_take_record(void *context, const struct keel_mpi_object_record *record,
                                   const void *payload);

/* Receives, answers and sends; asks if due. Under the lock. True if anything was received. */
bool keel_mpi_objects_progress(struct keel_mpi_objects *objects, double now_s);

/* The same, but not too often, and only if the lock is free. now_s: of keel_mpi_clock_s(). */
void keel_mpi_objects_progress_if_due(struct keel_mpi_objects *objects, double now_s);

/* Add a set to those that keel_mpi_poll() serves, and remove it. */
void keel_mpi_objects_enlist(struct keel_mpi_objects *objects);
void keel_mpi_objects_unlist(struct keel_mpi_objects *objects);

/* --- phase.c ---
 *
 * A phase: all ranks work on objects, and answer each other, until no work is left.
 *
 *   begin -> ready objects -> idle: ask, receive, join a wave of schedules/objects/object_route.h
 *     ^                          |
 *     +---- objects, messages ---+--> ended: codes of all ranks -> between phases */

/* True, after a message, if `objects` is NULL. */
bool keel_mpi_objects_are_missing(const struct keel_mpi_objects *objects, const char *where);

/* Returns KEEL_MPI_OK if a function may begin a phase, or work between phases. where: its name, for
 * messages. */
int keel_mpi_phase_check(const struct keel_mpi_objects *objects, const char *where);

/* Begins a phase: from here on, records of other ranks are handled. */
void keel_mpi_phase_begin(struct keel_mpi_objects *objects, enum keel_mpi_objects_phase kind);

/* Runs the phase to its end. Returns the highest code of all ranks. Collective. */
int keel_mpi_phase_run(struct keel_mpi_objects *objects, const char *where);

/* --- objects_run.c ---
 *
 * Working on ready objects: computing them, and handling their messages. */

/* Works on objects until none is ready, and on returned messages; by a team, if objects->threads >
 * 1. Without the lock. */
void keel_mpi_run_ready(struct keel_mpi_objects *objects);

/* Returns how many threads a team would have; 1 if there is no OpenMP in the process, MPI is not
 * initialised for threads, or this is within a parallel region. */
uint32_t keel_mpi_team_size(void);

/* --- object_copies.c ---
 *
 * Copies of objects on other ranks, so that objects survive the end of their ranks.
 *
 *   a phase ends -> is a copy due? -> a piece of memory ~~> its holder
 *        (rows/copies/generations.h, as for rows)
 *   a rank ends -> recover_objects.c */

/* A phase has ended without error: counts it, and takes a copy if one is due. Returns KEEL_MPI_OK,
 * or why there is no copy, on all ranks. Collective. */
int keel_mpi_objects_copies_note_phase(struct keel_mpi_objects *objects);

/* Takes a copy. Collective. */
int keel_mpi_objects_copies_take(struct keel_mpi_objects *objects);

/* Adds the objects of a copy to `objects`. After an error some of them are there. Local. */
int keel_mpi_objects_snapshot_restore(struct keel_mpi_objects *objects,
                                      const struct keel_mpi_copy_memory *snapshot);

/* Drops all objects that are here, with their waiting messages. Local. */
void keel_mpi_objects_drop_all(struct keel_mpi_objects *objects);

#endif
