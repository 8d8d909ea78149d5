/* Objects that move: what one rank keeps of a set of them. Data alone; the sources that work on it
 * call each other downwards only:
 *
 *   recover_objects.c          makes a set anew when ranks have ended
 *      |
 *   object_set.c               makes and frees a set, adds objects; what programs ask
 *                              between phases
 *      |
 *   phase.c                    keel_mpi_objects_each(), keel_mpi_objects_wait(): until all is done;
 *                              a thread that answers while objects take long
 *   object_copies.c            what each rank keeps of the objects of another one
 *   objects_forecast.c         what phases take, beside what the model says of them, for reports
 *      |
 *   objects_run.c              works on objects, by a team
 *      |
 *   object_progress.c          what comes from other ranks, and keel_mpi_poll()
 *      |
 *   asking.c                   an idle rank asks, the asked one gives objects
 *   object_movement.c          an object goes to another rank
 *      |
 *   object_delivery.c          messages to objects find them, in order
 *      |
 *   transport.c                records between ranks
 *   tables/                    the objects here; where others are; ready ones, messages that wait.
 *                              No MPI
 *
 * A thread works on the set that holds its lock, where there may be several (shared). */
#ifndef MPI_BACKEND_OBJECTS_OBJECTS_STATE_H
#define MPI_BACKEND_OBJECTS_OBJECTS_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/channel.h"
#include "mpi_backend/job/peers.h"
#include "mpi_backend/objects/tables/tables.h"
#include "mpi_backend/objects/records/records.h"
#include "schedules/balance/victim.h"
#include "schedules/objects/news.h"
#include "schedules/objects/gift.h"
#include "schedules/objects/object_route.h"
#include "schedules/objects/pace.h"
#include "schedules/ranks/policies.h"

/* What an object that goes costs beside its bytes and packing, s. */
#define KEEL_MPI_OBJECT_S 2e-6

/* What records are about. Of those from KEEL_MPI_RECORD_ASK on, the end of a phase does not wait
 * for any. */
enum keel_mpi_record_kind {
    KEEL_MPI_RECORD_MESSAGE,  /* to an object; payload: the message */
    KEEL_MPI_RECORD_RETURNED, /* it comes back to its sender, which is told */
    KEEL_MPI_RECORD_MADE,     /* to the home rank: an object was inserted by `sender` */
    KEEL_MPI_RECORD_CAME,     /* to the home rank: the object came to `rank` in `epoch` */
    KEEL_MPI_RECORD_DELETED,  /* to the home rank */
    KEEL_MPI_RECORD_HINT,     /* to a sender whose message had to go on: the object is on `rank` */
    KEEL_MPI_RECORD_OBJECT,   /* payload: object_movement.c */
    KEEL_MPI_RECORD_TAKEN,    /* its answer: it is there now; number: unpacking took so many ns */
    KEEL_MPI_RECORD_STAYS,    /* its answer: it could not be taken */
    KEEL_MPI_RECORD_WHERE,    /* to the home rank: where is it? number: which question */
    KEEL_MPI_RECORD_FOUND,    /* its answer */
    KEEL_MPI_RECORD_GATHERED, /* payload: a packed object */
    KEEL_MPI_RECORD_ASK,  /* an idle rank wants objects; index: the phase; payload: pace, news */
    KEEL_MPI_RECORD_LOOK, /* how many objects has the rank left? */
    KEEL_MPI_RECORD_GAVE, /* answer to both; number: objects given, rank: us that those take
                                 that are left, where they are, epoch: one of them; 0: none are;
                                 payload: news */
};

/* A message to an object, while it waits on a rank. */
struct keel_mpi_object_message {
    struct keel_mpi_object_message *next;
    uint64_t index;
    uint64_t bytes;
    uint32_t handler; /* KEEL_MPI_OBJECTS_DELETION: deletes */
    uint32_t sender;
    uint32_t number; /* schedules/objects/object_route.h */
    uint32_t epoch;  /* schedules/objects/object_route.h */
    char payload[];  /* aligned to 8 */
};

/* Messages that an object has got through the network in this phase. */
struct keel_mpi_object_network {
    struct keel_order order; /* of those that were in order */
    struct keel_mpi_object_message_list
        early; /* those that were not due, while the object is here */
    struct keel_mpi_object_message_list late; /* those that came while the object leaves */
};

/* How fast a rank is. */
struct keel_mpi_objects_pace {
    struct keel_rank_speed speed;
    double message_s; /* messages that it handles per s; 0: not known */
    double left_s;    /* work that it still has, in its own time */
    double begins_s;  /* of that, until the object that it computes is done */
    double waits_s;   /* those behind it, */
    double next_s;    /* and the first of them, where the rank wants a heavier one to go before it;
                         0: it is as good as done, and wants any */
    double unseen_s;  /* until it sees a message while it waits, as far as others keep it away */
};

/* What goes with a question, a look or an answer; without items the pace alone goes. */
struct keel_mpi_objects_digest {
    struct keel_mpi_objects_pace pace; /* of the sender */
    struct keel_news_item item[KEEL_NEWS_SENT + 1];
    uint32_t items, unused;
};

enum keel_mpi_objects_phase {
    KEEL_MPI_PHASE_NONE,
    KEEL_MPI_PHASE_EACH,
    KEEL_MPI_PHASE_WAIT,
    KEEL_MPI_PHASE_OWNER,
    KEEL_MPI_PHASE_GATHER,
    KEEL_MPI_PHASE_DESTROY,
};

struct keel_mpi_objects {
    struct keel_mpi_objects *next; /* all sets of the process */

    /* Fixed when the set is made. */
    struct keel_mpi_peers peers; /* all ranks, by a communicator of Keel's own */
    uint32_t rank, ranks;
    struct keel_mpi_objects_functions call; /* of the program */
    keel_mpi_objects_handler **handler;
    double poll_s; /* time in which others are answered */

    /* Threads. */
    atomic_flag lock;
    bool shared;               /* other threads may come: a team works, or the progress thread */
    atomic_uint running;       /* threads of the team that still work */
    uint32_t at_work;          /* threads that work on objects: 1, or those of the team */
    pthread_t caller;          /* the thread that called the phase's function */
    uint32_t threads;          /* of the team, 1 at least */
    _Atomic double progress_s; /* when others were last answered */
    struct keel_mpi_objects_thread *thread; /* phase.c; NULL: none */

    /* Objects. */
    struct keel_mpi_table table;     /* those that are here */
    struct keel_mpi_table held;      /* at home: messages to objects that nobody has, as objects */
    struct keel_mpi_locations homes; /* where objects are whose home this rank is; not those here */
    struct keel_mpi_locations hints; /* where others are, or went from here, in this phase */
    struct keel_mpi_locations numbers; /* epoch: how many numbered messages this rank has sent */
    uint64_t deleted;                  /* entries of `homes` for objects that were deleted */
    uint64_t new_indices;
    struct keel_mpi_object *first_ready, *last_ready;
    uint64_t ready, ready_to_compute; /* how many; of these, to be computed */
    uint64_t networks;                /* objects that have or had `network` since the phase began */
    uint64_t waiting;                 /* messages in `held` and in `early` */
    struct keel_mpi_object_message_list returned; /* messages of this rank that have come back */
    uint64_t *list;                               /* of keel_mpi_objects_list() */

    /* The phase. */
    enum keel_mpi_objects_phase kind; /* NONE: between phases */
    uint32_t phase;                   /* number; between phases, of the last one */
    int code;                         /* what has gone wrong in it, on this rank */
    bool fails; /* no memory for what is needed: nothing is collective any more, which the next
                   thread that may call MPI tells the others */
    void (*compute)(void *context, uint64_t index, void *data);
    struct keel_termination termination;
    MPI_Request wave_request; /* MPI_REQUEST_NULL: no wave is on its way */
    uint64_t wave[2][KEEL_TERMINATION_WORDS];
    int *owner;    /* of keel_mpi_objects_owner(), */
    size_t owners; /* so many */
    void (*gather)(void *context, uint64_t index, const void *packed, size_t size);
    uint32_t root; /* of keel_mpi_objects_gather(), while that is called; else 0 */

    struct keel_mpi_transport transport;

    /* So that they survive ranks. */
    struct keel_mpi_copies *copies; /* object_copies.c; NULL: none are taken */
    uint64_t steps; /* phases of keel_mpi_objects_each() and keel_mpi_objects_wait() that have ended
                       well, those before a recovery included */

    /* Balancing. */
    struct keel_objects_policy policy;
    struct keel_work computing, handling; /* of this rank, lately; computing: weight */
    struct keel_speed speed;              /* of its processors */
    double ready_weight;                  /* of ready objects that are to be computed, */
    double ready_told_s; /* but for those that moved and tell what they take: common seconds */
    uint64_t ready_messages;
    double running_since_s, running_weight,
        running_told_s;     /* the object that the calling thread computes; 0: none */
    atomic_ullong requests; /* of other ranks in this phase */
    struct keel_victim_search search;
    struct keel_news news;       /* of what waits at other ranks */
    struct keel_helpers helpers; /* those that are done first */
    struct keel_tree_links links;
    struct keel_presence presence; /* while it waits */
    bool early;                    /* has work left, and asks only for what is heavier */
    double begins_again_s; /* it waits for answers before it begins what is left; until then at
                              most; 0: it did not yet */
    bool sampled;          /* the last of its objects has gone before others */
    bool asked;            /* an answer is on its way, */
    double asked_s;        /* since then */
    double answer_s;       /* of ranks with objects to give, lately, on average; 0: not known */
    double works_since_s;  /* it has objects that are ready */
    struct keel_looks looks_apart; /* for messages of others, while it works */
    double since_s;                /* the phase has begun */
    double again_s, pause_s; /* all were asked in vain: when the next round begins, its pause */
    double packing_s;        /* for each byte, of pack() and unpack(); 0: not known */
    uint64_t draws;          /* of KEEL_MPI_BALANCE=shake */

    /* What has been measured of balancing, ever. */
    double sending_s;           /* of the processor, for questions and looks */
    double answers_s;           /* from questions and looks to their answers */
    uint64_t questions;         /* of this rank, and looks */
    uint64_t answers;           /* that came, */
    uint64_t looks, empty;      /* to looks; of these, from ranks with nothing to give */
    uint64_t requests_answered; /* questions and looks of other ranks */
    double computing_s;         /* objects, of all threads */
    double longest_s;           /* the object that took longest in this phase */

    struct keel_mpi_objects_model *model;  /* objects_forecast.c; NULL: no report is wanted */
    struct keel_mpi_objects_report report; /* each source counts for itself */
};

static inline void keel_mpi_objects_lock(struct keel_mpi_objects *objects)
{
    /* acquire: pairs with the release in keel_mpi_objects_unlock(). Who holds the lock may need
     * this processor, so that waiting becomes sleeping soon. */
    for (unsigned backoff = 0;
         objects->shared && atomic_flag_test_and_set_explicit(&objects->lock, memory_order_acquire);
         backoff++) {
        keel_mpi_channel_pause(backoff);
    }
}

static inline bool keel_mpi_objects_try_lock(struct keel_mpi_objects *objects)
{
    return !objects->shared ||
           !atomic_flag_test_and_set_explicit(&objects->lock, memory_order_acquire);
}

static inline void keel_mpi_objects_unlock(struct keel_mpi_objects *objects)
{
    if (objects->shared) {
        /* release: the next holder sees all that was written under the lock */
        atomic_flag_clear_explicit(&objects->lock, memory_order_release);
    }
}

#endif
