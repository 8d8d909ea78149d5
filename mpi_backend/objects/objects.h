/* What the files of this room do for each other, with the objects of a rank (objects_state.h). */
#ifndef MPI_BACKEND_OBJECTS_OBJECTS_H
#define MPI_BACKEND_OBJECTS_OBJECTS_H

#include <stdint.h>

#include "mpi_backend/objects/records/records.h"
#include "mpi_backend/objects/objects_state.h"
#include "mpi_backend/report/mpi_report.h"
#include "mpi_backend/rows/copies/generations.h"

/* --- object_delivery.c ---
 *
 * Messages to objects: they find them wherever they are, in the order of each sender.
 *
 *   send -> the object is here: its list
 *        -> else a number -> what is known of it, or its home rank ~~> arrive -> due? -> its list
 *
 * Order. A message to an object that is here, none of whose messages from this rank can be on their
 * way, goes to the end of the object's list: what this rank sent before is in front of it, or has
 * been handled. All others are numbered, by sender and object, from 0 in each phase; wherever they
 * arrive, the object's list takes only the one that is due, and keeps the others until it comes.
 * The list and the counts of what was due move with the object. While an object leaves, what comes
 * for it waits beside its list, and follows it, or joins the list if it could not go. When a phase
 * ends no message is on its way, so that numbers begin again on all ranks alike.
 *
 * Called under the set's lock. */

/* Puts a record whose payload is copied; large ones, too. Counts it. False: no memory. */
bool keel_mpi_delivery_put(struct keel_mpi_objects *objects, uint32_t rank,
                           const struct keel_mpi_object_record *record, const void *payload);

/* The same with a payload that malloc() gave, which it takes over, also where there is no
 * memory. */
bool keel_mpi_delivery_put_own(struct keel_mpi_objects *objects, uint32_t rank,
                               const struct keel_mpi_object_record *record, void *payload);

/* The same without a payload; where there is no memory the set has failed. */
void keel_mpi_delivery_tell(struct keel_mpi_objects *objects, uint32_t rank,
                            const struct keel_mpi_object_record *record);

/* Where there was no memory, tells the others that nothing is collective any more. By a thread that
 * may call MPI. */
void keel_mpi_delivery_tell_failure(struct keel_mpi_objects *objects);

/* A message of this rank. KEEL_MPI_OK or KEEL_MPI_NO_ROOM. */
int keel_mpi_delivery_send(struct keel_mpi_objects *objects, uint64_t index, uint32_t handler,
                           const void *message, uint64_t bytes);

/* A numbered message that is on this rank now: to its object, or on. Takes it over. */
void keel_mpi_delivery_route(struct keel_mpi_objects *objects,
                             struct keel_mpi_object_message *message);

/* Records MESSAGE and RETURNED. */
void keel_mpi_delivery_take(struct keel_mpi_objects *objects,
                            const struct keel_mpi_object_record *record, const void *payload);

/* An object is here now, from wherever: whether its messages from here are numbered, and it gets
 * what was held for it. */
void keel_mpi_delivery_welcome(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* There is news of where an object is, for the home rank (home) or another one. */
void keel_mpi_delivery_note(struct keel_mpi_objects *objects, uint64_t index,
                            struct keel_location location, bool home);

/* An object was deleted here: all that it had goes back. */
void keel_mpi_delivery_forget(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* Nothing is going on any more but that messages wait: those to objects that nobody has go back,
 * and those before whose turn others went back are due. */
void keel_mpi_delivery_give_up(struct keel_mpi_objects *objects);

/* The phase has ended, and nothing waits: numbers begin again, and hints go. */
void keel_mpi_delivery_reset(struct keel_mpi_objects *objects);

/* The home rank of an object. */
uint32_t keel_mpi_delivery_home(const struct keel_mpi_objects *objects, uint64_t index);

/* Adds an object of the program, as keel_mpi_objects_insert() says. */
int keel_mpi_delivery_insert(struct keel_mpi_objects *objects, uint64_t index, void *data);

/* --- tables.c ---
 *
 * The list of ready objects, and lists of messages. Called under the set's lock. */

/* A copy of a message; NULL: no memory. */
struct keel_mpi_object_message *keel_mpi_object_message_make(uint64_t index, uint32_t handler,
                                                             const void *message, uint64_t bytes);

void keel_mpi_object_messages_append(struct keel_mpi_object_message_list *list,
                                     struct keel_mpi_object_message *message);

/* The first one, taken out; NULL: there is none. */
struct keel_mpi_object_message *
keel_mpi_object_messages_take(struct keel_mpi_object_message_list *list);

/* Frees all. */
void keel_mpi_object_messages_free(struct keel_mpi_object_message_list *list);

/* What came through the network for an object, made if there is none; NULL: no memory. */
struct keel_mpi_object_network *keel_mpi_object_network_of(struct keel_mpi_objects *objects,
                                                           struct keel_mpi_object *object);

/* Frees what is left of it. */
void keel_mpi_object_network_free(struct keel_mpi_object *object);

/* A message that is the object's next one. */
void keel_mpi_object_append(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                            struct keel_mpi_object_message *message);

/* The object is here and rests: it becomes ready if it has work. In phases that compute nothing it
 * does, too, and waits. */
void keel_mpi_object_settle(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* The first ready object, to be worked on; NULL: there is none. */
struct keel_mpi_object *keel_mpi_ready_take(struct keel_mpi_objects *objects);

/* That ready object is the next one to be worked on. */
void keel_mpi_ready_go_first(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* Takes a ready object out of the list; it rests. */
void keel_mpi_ready_remove(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* --- objects_forecast.c ---
 *
 * What phases of a object set take, beside what the model says of them, for reports.
 *
 *   phase begins -> work of each rank; phase ends -> measurements of all ranks -> objects_terms.h
 *        -> bounds of this phase, by what it has shown, and of the next one -> report/mpi_report.h
 *
 * Where some rank wants a report; then ranks exchange measurements at the end of a phase that
 * computes objects, and else nothing is done. By the thread that called the phase's function. */

/* KEEL_MPI_OK or KEEL_MPI_NO_ROOM. All ranks have to come to the same. read: measurements of a set.
 * */
int keel_mpi_model_open(struct keel_mpi_objects *objects, keel_mpi_reader *read);

/* A phase begins. */
void keel_mpi_model_begin(struct keel_mpi_objects *objects);

/* Objects that it computes are known. */
void keel_mpi_model_note_work(struct keel_mpi_objects *objects);

/* How long it has lasted; 0: no report is wanted. */
uint64_t keel_mpi_model_took_ns(const struct keel_mpi_objects *objects);

/* A phase that computes objects has ended, on all ranks. took_ns, longest_ns: the maxima of all
 * ranks, of the phase and of an object. KEEL_MPI_OK, or what has gone wrong among ranks.
 * Collective. */
int keel_mpi_model_end(struct keel_mpi_objects *objects, const char *where, uint64_t took_ns,
                       uint64_t longest_ns);

/* The set is about to go: its measurements are kept for the report. */
void keel_mpi_model_forget(struct keel_mpi_objects *objects);

void keel_mpi_model_free(struct keel_mpi_objects *objects);

/* --- asking.c ---
 *
 * An idle rank asks others for objects; the asked one gives some, if both end earlier for it.
 *
 *   idle, or soon -> schedules/balance/victim.h: whom -> ASK ~~> what to give (objects/gift.h)
 *        -> objects ~~> GAVE ~~> another round, or a pause
 *
 * Called under the set's lock, in phases. */

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

/* Records ASK, LOOK and GAVE. */
void keel_mpi_asking_answer(struct keel_mpi_objects *objects,
                            const struct keel_mpi_object_record *record, const void *payload);
void keel_mpi_asking_take(struct keel_mpi_objects *objects,
                          const struct keel_mpi_object_record *record, const void *payload);

/* An object has come, unless it is NULL: it goes before those that take less. */
void keel_mpi_asking_place(struct keel_mpi_objects *objects, struct keel_mpi_object *object);

/* An object is about to be taken from the list: where those left are few, the last one is the next,
 * once in a phase. Objects that lie together are often alike: it shows what those before it may
 * take while others still can have them. */
void keel_mpi_asking_sample(struct keel_mpi_objects *objects);

/* --- object_movement.c ---
 *
 * An object goes to another rank.
 *
 *   packed, with its messages ~~> unpacked there: TAKEN ~~> dropped here, late messages follow
 *                              or no memory, unpack() failed: STAYS ~~> goes on here
 *
 * The giver keeps the object until the answer comes, so that it is never lost. It belongs to the
 * receiver as soon as that has unpacked it. Until the answer the giver does not work on it. An
 * answer counts by its epoch: an object may have come back, and gone again, before it.
 *
 * A phase ends well only when every record has arrived, so both know by then whether it has moved.
 * Where a rank is late, they know later; where it has ended or is stopped for good, the phase ends
 * with an error on all ranks, and the giver alone may be in doubt: it works on the object no more,
 * and has its data still. tests/models/movement.pml is searched for a case in which an object is
 * lost, or on two ranks. Called under the set's lock. */

/* Bytes of an object when it is packed, by the program's word; with its messages. */
double keel_mpi_movement_bytes(const struct keel_mpi_objects *objects,
                               const struct keel_mpi_object *object);

/* Whether the program has given functions to move objects by. */
bool keel_mpi_movement_is_possible(const struct keel_mpi_objects *objects);

/* What this rank has computed; with the object that runs, where others may be like it. */
struct keel_work keel_mpi_movement_computing(const struct keel_mpi_objects *objects);

/* Sends an object that rests or is ready. False: it could not be packed, and stays as it was. */
bool keel_mpi_movement_give(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                            uint32_t rank);

/* Records OBJECT, TAKEN and STAYS. The object that has come; NULL: it could not be taken. */
struct keel_mpi_object *keel_mpi_movement_take(struct keel_mpi_objects *objects,
                                               const struct keel_mpi_object_record *record,
                                               const void *payload);
void keel_mpi_movement_taken(struct keel_mpi_objects *objects,
                             const struct keel_mpi_object_record *record);
void keel_mpi_movement_stays(struct keel_mpi_objects *objects,
                             const struct keel_mpi_object_record *record);

/* --- object_progress.c ---
 *
 * What comes from other ranks, and what has to be told to them. By threads that may call MPI. */

/* A record has come (keel_mpi_transport's take). Under the lock. */
void keel_mpi_progress_take_record(void *context, const struct keel_mpi_object_record *record,
                                   const void *payload);

/* Receives, answers and sends; asks if that is due. Under the lock. Whether anything has come. */
bool keel_mpi_objects_progress(struct keel_mpi_objects *objects, double now_s);

/* The same if it was not done for a while and nobody else has the lock. now_s: of its clock. */
void keel_mpi_objects_progress_if_due(struct keel_mpi_objects *objects, double now_s);

/* The set is there from now on, or goes. */
void keel_mpi_objects_enlist(struct keel_mpi_objects *objects);
void keel_mpi_objects_unlist(struct keel_mpi_objects *objects);

/* --- phase.c ---
 *
 * A phase: all ranks work on objects, and answer each other, until nothing is left to do.
 *
 *   begin -> ready objects -> idle: ask, receive, join a wave of schedules/objects/object_route.h
 *     ^                          |
 *     +---- objects, messages ---+--> ended: codes of all ranks -> between phases */

/* It is no set, which is said. */
bool keel_mpi_objects_are_missing(const struct keel_mpi_objects *objects, const char *where);

/* KEEL_MPI_OK: a function that wants a phase may begin it, or do what has to be done between
 * phases. where: its name, for messages. */
int keel_mpi_phase_check(const struct keel_mpi_objects *objects, const char *where);

/* The phase becomes that of the caller: from here on others are heard. */
void keel_mpi_phase_begin(struct keel_mpi_objects *objects, enum keel_mpi_objects_phase kind);

/* Goes through it. The highest code of all ranks. Collective. */
int keel_mpi_phase_run(struct keel_mpi_objects *objects, const char *where);

/* --- objects_run.c ---
 *
 * Works on ready objects: computes them, and handles their messages. */

/* Works on objects until none is ready, and on messages that have come back; a team does, where
 * objects->threads > 1. Without the lock. */
void keel_mpi_run_ready(struct keel_mpi_objects *objects);

/* How many threads a team would have; 1: there is no OpenMP in the process, MPI is not initialised
 * for threads, or this is within a parallel region. */
uint32_t keel_mpi_team_size(void);

/* --- object_copies.c ---
 *
 * Copies of objects, so that they survive the ranks that have them.
 *
 *   a phase ends -> is a copy due? -> a piece of memory ~~> its holder
 *        (rows/copies/generations.h, as for rows)
 *   a rank ends -> recover_objects.c */

/* A phase has ended well: counts it, and takes a copy if one is due. KEEL_MPI_OK, or why there is
 * none, on all ranks. Collective. */
int keel_mpi_objects_copies_note_phase(struct keel_mpi_objects *objects);

/* Takes one. Collective. */
int keel_mpi_objects_copies_take(struct keel_mpi_objects *objects);

/* Unpacks the objects of a copy, which become `objects`'. On an error some of them are there.
 * Local. */
int keel_mpi_objects_snapshot_restore(struct keel_mpi_objects *objects,
                                      const struct keel_mpi_copy_memory *snapshot);

/* Drops all objects that are here, with the messages that wait for them. Local. */
void keel_mpi_objects_drop_all(struct keel_mpi_objects *objects);

#endif
