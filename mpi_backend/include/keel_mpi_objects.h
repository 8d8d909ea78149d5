/* Objects that move: data with pending work, and messages that find them. Included by keel_mpi.h.
 *
 * For programs whose work is a set of things: sub-domains, tiles, particles of a region. There are
 * more objects than ranks. Each lives on one rank, which runs the work on it; an idle rank asks
 * others, which pack and send objects whose work has not begun.
 *
 *     struct keel_mpi_objects *objects;
 *     keel_mpi_objects_create(MPI_COMM_WORLD, &functions, &objects);
 *     for (uint64_t i = rank; i < tiles; i += ranks) keel_mpi_objects_insert(objects, i, make(i));
 *     for (int step = 0; step < steps; step++)
 *         keel_mpi_objects_each(objects, compute);            // every object once, somewhere
 *     keel_mpi_objects_send(objects, 7, SPLIT, &edge, sizeof edge); // to object 7, wherever it is
 *     keel_mpi_objects_wait(objects);                         // all messages have been handled
 *     keel_mpi_objects_destroy(&objects);
 *
 * A phase is a call of keel_mpi_objects_each() or keel_mpi_objects_wait() by all ranks. Objects
 * move, and functions of the program are called, in phases only: between them, objects are where
 * they are, and their data may be used and changed. A message that was sent between two phases is
 * handled in the next one.
 *
 * KEEL_MPI_BALANCE says which rank an idle one asks: diffuse (the default), steal, tree,
 * prema; off: objects stay; shake: they move by chance, to test programs.
 *
 * Codes, messages, waiting and struct_size are as keel_mpi.h says. After KEEL_MPI_ERROR or
 * KEEL_MPI_LATE nothing is collective any more. */
#ifndef KEEL_MPI_OBJECTS_H
#define KEEL_MPI_OBJECTS_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct keel_mpi_objects;

/* What a message does with its object: `data` as of keel_mpi_objects_insert(), `message` of `bytes`
 * bytes, aligned to 8, valid until it returns. May insert, send, delete and weigh. */
typedef void keel_mpi_objects_handler(void *context, uint64_t index, void *data,
                                      const void *message, size_t bytes);

/* What a program does with its objects. Functions that are NULL are not needed where objects stay
 * (one rank, or KEEL_MPI_BALANCE=off), but for `handler`. size, pack, unpack and drop must not
 * call Keel. They are called between the functions that work on objects, as a rule; beside them, on
 * other objects, by another thread, where a team computes or handles messages
 * (keel_mpi_objects_each(), keel_mpi_objects_wait()) or KEEL_MPI_PROGRESS=1; and from within
 * keel_mpi_poll(). Never two of them at a time, and never on an object that is being worked on. */
struct keel_mpi_objects_functions {
    size_t struct_size; /* sizeof(struct keel_mpi_objects_functions) */
    void *context;      /* passed on to all of them */
    /* How many bytes pack() will write. */
    size_t (*size)(void *context, uint64_t index, const void *data);
    /* Writes them, and changes nothing: the object may stay. 0: done. */
    int (*pack)(void *context, uint64_t index, const void *data, void *buffer);
    /* Makes the data of an object, *data, from what was packed on another rank. 0: done; any other
     * code: nothing has been made, and the object stays where it was. */
    int (*unpack)(void *context, uint64_t index, const void *buffer, size_t size, void **data);
    /* The object was deleted, or is on another rank now, or all are destroyed: frees `data`. */
    void (*drop)(void *context, uint64_t index, void *data);
    keel_mpi_objects_handler *const *handler; /* in the same order on all ranks; is copied */
    unsigned handlers;                        /* how many */
    /* There is no such object: a message of this rank comes back, in a phase, by the thread that
     * called it. NULL: keel_mpi_objects_wait() and keel_mpi_objects_each() then return
     * KEEL_MPI_NO_OBJECT. handler: its number; KEEL_MPI_OBJECTS_DELETION: it was to be deleted. May
     * insert, send, delete. */
    void (*undelivered)(void *context, uint64_t index, unsigned handler, const void *message,
                        size_t bytes);
};

#define KEEL_MPI_OBJECTS_DELETION 2147483647 /* in place of a handler: deletes the object */

/* Makes a set without objects. The structure is copied. On an error *objects is NULL, on all
 * ranks. Collective. */
int keel_mpi_objects_create(MPI_Comm comm, const struct keel_mpi_objects_functions *functions,
                            struct keel_mpi_objects **objects);

/* Drops all objects; *objects becomes NULL. Messages that were sent after the last phase are lost.
 * To be called before MPI_Finalize. Collective. */
int keel_mpi_objects_destroy(struct keel_mpi_objects **objects);

/* Adds an object on this rank: an index of the program's own, which no other object has on any
 * rank, and data. From then on the data belong to the object, until drop() is called for it. In a
 * phase it is not computed by the keel_mpi_objects_each() of that phase. KEEL_MPI_ARGUMENT: there
 * is one here already. One on another rank is found by the end of the phase, whose code then is
 * KEEL_MPI_ARGUMENT on all ranks, unless one of the two has moved by then. The index of an object
 * that was deleted may be used again after the end of the phase. KEEL_MPI_NO_ROOM: nothing was
 * added. Also in a phase, by any thread that works on an object. Local. */
int keel_mpi_objects_insert(struct keel_mpi_objects *objects, uint64_t index, void *data);

/* An index that no other call on any rank gives: 2^63 and up, so that the program's own ones stay
 * below. As keel_mpi_objects_insert(). */
uint64_t keel_mpi_objects_new_index(struct keel_mpi_objects *objects);

/* Sends `message` of `bytes` bytes to an object: `handler`, a number from 0, is called for it on
 * the rank where the object is, in this phase or, between phases, in the next one. One message of
 * an object is handled at a time; those of one sender (a rank) in the order in which they were
 * sent, also when the object moves. `message` is copied. A message to an object that is not there
 * by the end of the phase comes back, see `undelivered`. KEEL_MPI_ARGUMENT: no such handler.
 * KEEL_MPI_NO_ROOM: nothing was sent. As keel_mpi_objects_insert(). */
int keel_mpi_objects_send(struct keel_mpi_objects *objects, uint64_t index, unsigned handler,
                          const void *message, size_t bytes);

/* Deletes an object, wherever it is, after the messages that it has got before: this is a message,
 * too, in the order of its sender. As keel_mpi_objects_send(). */
int keel_mpi_objects_delete(struct keel_mpi_objects *objects, uint64_t index);

/* Says what computing an object costs, relative to the others: from 0 to 1e15; those below 1e-12
 * count as 0. Stays with it, also when it moves. Without it the last time that it took counts; 1 at
 * first. KEEL_MPI_ARGUMENT: it is not on this rank, or the weight is no such number. As
 * keel_mpi_objects_insert(). */
int keel_mpi_objects_weigh(struct keel_mpi_objects *objects, uint64_t index, double weight);

/* A phase in which each object that there is on any rank is computed once, on the rank where it is
 * by then; messages are handled as well. A team of OpenMP threads, where the program has OpenMP and
 * MPI_THREAD_FUNNELED or more, takes the objects of its rank as iterations of a schedule(runtime)
 * loop, by KEEL_SCHEDULE: then compute() and handlers of different objects run at the same time.
 * compute: with the context of keel_mpi_objects_create(); may insert, send, delete and weigh. Ends
 * when all that was to do has been done in the whole job. Not to be called in a phase, nor in a
 * parallel region. Codes as of keel_mpi_objects_wait(). Collective. */
int keel_mpi_objects_each(struct keel_mpi_objects *objects,
                          void (*compute)(void *context, uint64_t index, void *data));

/* A phase in which messages are handled until none is left in the whole job: by the threads of a
 * team, as keel_mpi_objects_each() says, where handlers of several objects wait that take long
 * enough, otherwise by the calling thread. The highest code of all ranks: KEEL_MPI_OK;
 * KEEL_MPI_NO_OBJECT: a message went to no object, and there is no function `undelivered`;
 * KEEL_MPI_ARGUMENT: two objects had one index; KEEL_MPI_MISMATCH: some ranks came with
 * keel_mpi_objects_each(), others with this, or to different ones of the functions of results. An
 * object that could not move, as there was no memory or a function failed, is no error: it stays
 * and is computed where it is, after a message. Collective. */
int keel_mpi_objects_wait(struct keel_mpi_objects *objects);

/* Sets whom idle ranks ask, as KEEL_MPI_BALANCE does, which rules over it. NULL takes it back. Must
 * be the same on all ranks, between phases. KEEL_MPI_ARGUMENT: no such policy. Local. */
int keel_mpi_objects_set_balance(struct keel_mpi_objects *objects, const char *policy);

/* --- results, between phases --- */

/* The rank that has object index[i], rank[i], for each i < count; -1: there is no such object. Each
 * rank asks for as many as it likes. Collective. */
int keel_mpi_objects_owner(struct keel_mpi_objects *objects, const uint64_t *index, size_t count,
                           int *rank);

/* Packs all objects and hands them to `take` of rank `root` one by one, in no order; they stay
 * where they are. packed: valid until take() returns, which must not call Keel. NULL elsewhere.
 * KEEL_MPI_ARGUMENT and KEEL_MPI_MISMATCH (different roots), on all ranks: nothing is gathered.
 * Collective. */
int keel_mpi_objects_gather(struct keel_mpi_objects *objects, int root,
                            void (*take)(void *context, uint64_t index, const void *packed,
                                         size_t size));

/* The objects on this rank, by increasing index: *index[0] .. *index[*count - 1]. Valid until
 * objects come or go. Local. */
int keel_mpi_objects_list(struct keel_mpi_objects *objects, const uint64_t **index,
                          uint64_t *count);

/* The data of an object on this rank; NULL: it is not here. In a phase only for the object that is
 * being worked on. Local. */
void *keel_mpi_objects_data(struct keel_mpi_objects *objects, uint64_t index);

/* Measurements so far, on the calling rank. Times in s. KEEL_REPORT has the same of all ranks, and
 * a model's times of each phase. */
struct keel_mpi_objects_report {
    size_t struct_size;     /* to be set by the program */
    uint64_t objects;       /* that are here */
    uint64_t phases;        /* that have ended, of all ranks alike */
    uint64_t computed;      /* objects, by keel_mpi_objects_each() */
    uint64_t handled;       /* messages */
    uint64_t sent_away;     /* messages of this rank to objects of other ranks */
    uint64_t forwarded;     /* messages that came here and had to go on */
    uint64_t undelivered;   /* messages of this rank that came back */
    uint64_t given, taken;  /* objects that have left, and come, to balance */
    uint64_t refused;       /* objects that were to leave, or come, and could not */
    uint64_t bytes_given;   /* of what was packed */
    uint64_t asked;         /* other ranks for objects */
    uint64_t asked_in_vain; /* of these */
    uint64_t messages;      /* of MPI, to other ranks */
    double busy_s;          /* in the program's functions, of all threads */
    double idle_s;          /* in phases, without anything to do */
    double packing_s;       /* in pack() and unpack() */
    double answer_s;        /* from a question to its answer, lately; 0: not known */
    uint64_t bytes_kept;    /* memory that Keel has for objects, beside their data */
    uint64_t bytes_taken;   /* of what was unpacked */
    double answering_s;     /* answering questions of other ranks, packing for them included */
    double quantum_s;       /* until the progress thread looks for questions again, lately; 0: there
                               was none */
    uint64_t neighbours;    /* looked at at a time, lately; 0: neither under diffuse nor prema */
    uint64_t copies;        /* taken of all objects, by KEEL_MPI_COPIES */
    uint64_t copies_sent_bytes; /* to the rank that holds them */
    uint64_t copies_bytes;      /* memory for copies now: own ones, and those of another rank */
    double copies_s;            /* taking them, waiting for other ranks included */
};

/* Local. */
int keel_mpi_objects_report(const struct keel_mpi_objects *objects,
                            struct keel_mpi_objects_report *report);

#ifdef __cplusplus
}
#endif

#endif
