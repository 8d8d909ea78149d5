/* Objects that move: the data of a set on one rank. The sources that work on it call each other
 * downwards only:
 *
 *   recover_objects.c          restores a set when ranks have ended
 *      |
 *   object_set.c               makes and frees a set, adds objects; queries of programs
 *                              between phases
 *      |
 *   phase.c                    keel_mpi_objects_each(), keel_mpi_objects_wait();
 *                              a thread that answers other ranks while objects run
 *   object_copies.c            copies of objects on other ranks
 *   objects_forecast.c         times of phases, compared with the model, for reports
 *      |
 *   objects_run.c              works on objects, by a team
 *      |
 *   object_progress.c          records from other ranks, and keel_mpi_poll()
 *      |
 *   asking.c                   an idle rank asks, the asked one gives objects
 *   object_movement.c          moving an object to another rank
 *      |
 *   object_delivery.c          messages to objects find them, in order
 *      |
 *   transport.c                records between ranks
 *   tables/                    objects here; where others are; ready ones; waiting messages.
 *                              No MPI
 *
 * If several threads may use a set (shared), the one that holds its lock works on it. */
#ifndef MPI_BACKEND_OBJECTS_OBJECTS_STATE_H
#define MPI_BACKEND_OBJECTS_OBJECTS_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/channel.h"
#include "mpi_backend/job/peers.h"
#include "mpi_backend/objects/tables.h"
#include "mpi_backend/objects/records.h"
#include "schedules/balance/victim.h"
#include "schedules/objects/news.h"
#include "schedules/objects/gift.h"
#include "schedules/objects/object_route.h"
#include "schedules/objects/pace.h"
#include "schedules/ranks/policies.h"

/* Cost of moving an object besides its bytes and packing, s. */
#define KEEL_MPI_OBJECT_S 2e-6

/* Of a message and its answer if not measured, s: ranks look only at times. */
#define KEEL_MPI_ANSWER_S 50e-6

/* Kinds of records. The end of a phase does not wait for kinds from KEEL_MPI_RECORD_ASK on. */
enum keel_mpi_record_kind {
    KEEL_MPI_RECORD_MESSAGE,  /* to an object; payload: the message */
    KEEL_MPI_RECORD_RETURNED, /* undeliverable message, back to its sender */
    KEEL_MPI_RECORD_MADE,     /* to the home rank: an object was inserted by `sender` */
    KEEL_MPI_RECORD_CAME,     /* to the home rank: the object came to `rank` in `epoch` */
    KEEL_MPI_RECORD_DELETED,  /* to the home rank */
    KEEL_MPI_RECORD_HINT,     /* to the sender of a forwarded message: the object is on `rank` */
    KEEL_MPI_RECORD_OBJECT,   /* payload: object_movement.c */
    KEEL_MPI_RECORD_TAKEN,    /* its answer: the object is on `rank` now */
    KEEL_MPI_RECORD_STAYS,    /* its answer: it could not be taken */
    KEEL_MPI_RECORD_WHERE,    /* to the home rank: where is it? number: which question */
    KEEL_MPI_RECORD_FOUND,    /* its answer */
    KEEL_MPI_RECORD_GATHERED, /* payload: a packed object */
    KEEL_MPI_RECORD_ASK,  /* an idle rank wants objects; index: the phase; payload: pace, news */
    KEEL_MPI_RECORD_LOOK, /* how many objects has the rank left? */
    KEEL_MPI_RECORD_GAVE, /* answer to both; number: objects given; rank: us of the work left
                             (PREMA: its objects), epoch: us of one of its objects; both 0: no work
                             left; payload: news */
};

/* A message to an object that waits on a rank. */
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

/* Messages to an object through the network in this phase. */
struct keel_mpi_object_network {
    struct keel_order order;                   /* of those received in order */
    struct keel_mpi_object_message_list early; /* not due yet, while the object is here */
    struct keel_mpi_object_message_list late;  /* received while the object leaves */
};

/* The speed and the load of a rank. */
struct keel_mpi_objects_pace {
    struct keel_rank_speed speed;
    double message_s; /* messages that it handles per s; 0: not known */
    double left_s;    /* remaining work, in its own time */
    double begins_s;  /* of that, until the running object is done */
    double waits_s;   /* of that, the waiting objects */
    double next_s;    /* the first waiting object, if the rank only wants a heavier one; 0: it is
                         nearly idle, and wants any */
    double unseen_s;  /* delay until it sees a message while it waits, due to competing processes */
};

/* Payload of a question, a look or an answer; without items only the pace is sent. */
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
    struct keel_mpi_peers peers; /* all ranks, on a communicator of Keel's own */
    uint32_t rank, ranks;
    struct keel_mpi_objects_functions call; /* of the program */
    keel_mpi_objects_handler **handler;
    double poll_s; /* time within which others are answered */

    /* Threads. */
    atomic_flag lock;
    bool shared;               /* used by other threads: a team or the progress thread */
    atomic_uint running;       /* threads of the team that still work */
    uint32_t at_work;          /* threads that work on objects: 1, or those of the team */
    pthread_t caller;          /* the thread that called the phase's function */
    uint32_t threads;          /* of the team, 1 at least */
    _Atomic double progress_s; /* when others were last answered */
    struct keel_mpi_objects_thread *thread; /* phase.c; NULL: none */

    /* Objects. */
    struct keel_mpi_table table;     /* objects that are here */
    struct keel_mpi_table held;      /* at home: messages to objects that no rank has, as objects */
    struct keel_mpi_locations homes; /* where objects with this home rank are, except those here */
    struct keel_mpi_locations hints; /* where others are, or moved from here, in this phase */
    struct keel_mpi_locations numbers; /* epoch: how many numbered messages this rank has sent */
    uint64_t deleted;                  /* entries of `homes` for objects that were deleted */
    uint64_t new_indices;
    struct keel_mpi_object *first_ready, *last_ready;
    uint64_t ready, ready_to_compute; /* their number; of these, to be computed */
    uint64_t networks;                /* objects that have or had `network` since the phase began */
    uint64_t waiting;                 /* messages in `held` and in `early` */
    struct keel_mpi_object_message_list returned; /* undeliverable messages of this rank */
    uint64_t *list;                               /* of keel_mpi_objects_list() */

    /* The phase. */
    enum keel_mpi_objects_phase kind; /* NONE: between phases */
    uint32_t phase;                   /* number; between phases, of the last one */
    int code;                         /* the error in it on this rank */
    bool fails; /* memory is missing: nothing is collective any more; the next thread that may call
                   MPI informs the others */
    void (*compute)(void *context, uint64_t index, void *data);
    struct keel_termination termination;
    MPI_Request wave_request; /* MPI_REQUEST_NULL: no wave is on its way */
    uint64_t wave[2][KEEL_TERMINATION_WORDS];
    int *owner;    /* of keel_mpi_objects_owner() */
    size_t owners; /* its length */
    void (*gather)(void *context, uint64_t index, const void *packed, size_t size);
    uint32_t root; /* of keel_mpi_objects_gather() while it runs, otherwise 0 */

    struct keel_mpi_transport transport;

    /* Copies for recovery. */
    struct keel_mpi_copies *copies; /* object_copies.c; NULL: none are taken */
    uint64_t steps; /* phases of keel_mpi_objects_each() and keel_mpi_objects_wait() that ended
                       without error, with those before a recovery */

    /* Balancing. */
    struct keel_objects_policy policy;
    struct keel_work computing, handling; /* of this rank, recently; computing: weight */
    struct keel_speed speed;              /* of its processors */
    double ready_weight;                  /* of ready objects to be computed without known_s, */
    double ready_known_s;                 /* and known_s of the others: common seconds */
    uint64_t ready_messages;
    double running_since_s, running_weight,
        running_known_s;    /* of the object that the calling thread computes; 0: none */
    atomic_ullong requests; /* of other ranks in this phase */
    struct keel_victim_search search;
    struct keel_news news;       /* of waiting work on other ranks */
    struct keel_helpers helpers; /* ranks that are done first */
    struct keel_tree_links links;
    struct keel_presence presence; /* while it waits */
    bool early;                    /* has work left, and asks only for heavier objects */
    double begins_again_s; /* until then it may wait for answers before it begins its next object;
                              0: not set */
    bool sampled;          /* the last of its objects was moved to the front */
    bool asked;            /* an answer is pending, */
    double asked_s;        /* since this time */
    double answer_s;       /* average time of recent answers of ranks with objects to give; 0: not
                              known */
    double works_since_s;  /* since then it works on ready objects */
    struct keel_looks looks_apart; /* time between looks for messages of others, while it works */
    double since_s;                /* begin of the phase */
    double again_s, pause_s; /* all were asked in vain: begin of the next round, and the pause */
    double packing_s;        /* of pack() and unpack(), per byte; 0: not known */
    uint64_t draws;          /* of KEEL_MPI_BALANCE=shake */

    /* Measurements of balancing, over all phases. */
    double sending_s;           /* processor time, for questions and looks */
    double answers_s;           /* from questions and looks to their answers */
    uint64_t questions;         /* questions and looks of this rank */
    uint64_t answers;           /* answers received, */
    uint64_t looks, empty;      /* answers to looks; of these, from ranks without suitable
                                   objects */
    uint64_t requests_answered; /* questions and looks of other ranks */
    double computing_s;         /* of all threads */
    double longest_s;           /* the longest object in this phase */

    struct keel_mpi_objects_model *model;  /* objects_forecast.c; NULL: no report is wanted */
    struct keel_mpi_objects_report report; /* each source updates its own fields */
};

static inline void keel_mpi_objects_lock(struct keel_mpi_objects *objects)
{
    /* acquire: pairs with the release in keel_mpi_objects_unlock(). The holder of the lock may need
     * this processor, so that waiting soon becomes sleeping. */
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
