/* One run of a set of tasks on simulated processors, seen from one of them.
 *
 *   weights, costs -> [scene: who has which object, polling, messages] <- policy
 *                                     -> when each processor was done, and what it did until then
 *
 * A task is the pending computation of one object; objects are the unit of migration
 * (objects, PAPERS.md R1). Each processor begins with its block of them, in the order of their
 * numbers. A policy takes tasks with scene_next(), executes them with scene_execute(), and
 * moves objects with scene_give_last(); all else goes by messages. */
#ifndef BENCH_PAPERS_DIR_PREMA05_SCENE_H
#define BENCH_PAPERS_DIR_PREMA05_SCENE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCENE_OBJECT_MAX 65000 /* bytes that a message carries: larger objects take several */

/* What processors send each other. */
struct scene_message {
    uint32_t kind; /* one of these, or of a policy's */
    uint32_t from; /* rank */
    uint32_t task; /* whose object it is, or is for */
    uint32_t number;
};

enum {
    SCENE_PIECE,  /* of an object that is larger than a message; the last one is SCENE_OBJECT */
    SCENE_OBJECT, /* an object, with its data */
    SCENE_FETCH,  /* send me the object of this task, which is yours and pending */
    SCENE_TASK_MESSAGE, /* of one task to another */
    SCENE_DONE,         /* to rank 0: `number` more tasks have been executed */
    SCENE_END,          /* all have */
    SCENE_POLICY        /* policies' own messages count from here */
};

/* Times in s. */
struct scene_costs {
    double context_s;  /* T_ctx: a context switch */
    double poll_s;     /* T_poll */
    double decision_s; /* T_decision: choosing a partner, or for all of them a new partition */
    double install_s;  /* of an object; uninstalling takes as long */
    double pack_s;     /* a byte of an object; unpacking takes as long */
};

struct scene;
typedef void scene_handler(struct scene *scene, const struct scene_message *message);

struct scene {
    /* what is given */
    const char *specification; /* of the policy, what follows ':' of its name; or "" */
    MPI_Comm comm;
    int rank, ranks;
    uint32_t tasks;         /* N, a multiple of `ranks` */
    const double *weight_s; /* of each */
    double quantum_s;
    uint32_t threshold;  /* who has fewer tasks, one in work included, is underloaded */
    uint32_t neighbours; /* of a processor: size of a neighbourhood */
    size_t object_bytes;
    uint32_t messages; /* that a task sends to each of its neighbours */
    size_t message_bytes;
    struct scene_costs costs;
    uint64_t chance;              /* seed of what is drawn */
    void (*poll)(struct scene *); /* when a polling thread interrupts a task; NULL: there is none */
    scene_handler *handle;        /* what the policy does about messages; NULL: nothing */

    /* state, written by the functions below */
    unsigned char **data; /* of each object that is here; else NULL */
    int *whereabouts;     /* of each that is not: who got it from here, or its first owner */
    uint32_t *pending;    /* tasks that have not been begun here, in order */
    uint32_t pending_count;
    unsigned char *times;  /* how often each was executed here */
    unsigned char *buffer; /* a message that comes */
    uint32_t executed, executed_told;
    uint32_t all_executed; /* rank 0: by the messages of all */
    bool ended;
    double began_s, wake_s; /* wake_s: when the polling thread wakes next */
    uint64_t sent, received;

    /* results */
    double last_s;           /* when the rank's last task was done */
    double busy_s;           /* in tasks */
    uint64_t migrated;       /* objects that came */
    uint64_t other_messages; /* that the policy sent otherwise */
};

/* Makes the rank's first objects, and all else that is state. Collective. */
void scene_begin(struct scene *scene);

/* Waits for all messages, and frees what scene_begin() made. Collective. */
void scene_end(struct scene *scene);

/* Whether there is a pending task here; it is not pending any more. */
bool scene_next(struct scene *scene, uint32_t *task);

/* It is pending again, behind all others. */
void scene_put_back(struct scene *scene, uint32_t task);

/* Executes a task whose object is here: computes, with polls in between, and sends its messages. */
void scene_execute(struct scene *scene, uint32_t task);

/* The parts of it, for who keeps objects elsewhere: stops the job if the object's data are not what
 * they were made as; computes, with polls in between; counts the task as executed. */
void scene_check(const struct scene *scene, uint32_t task, const unsigned char *data);
void scene_work(struct scene *scene, uint32_t task);
void scene_count(struct scene *scene, uint32_t task);

/* Bytes of an object that are kept: of larger ones, only what the last message carries. */
size_t scene_content_bytes(const struct scene *scene);

/* Asks the first owner for an object that is not here; it comes once that one polls. */
void scene_fetch(struct scene *scene, uint32_t task);

/* Waits for an object that has been asked for; polls meanwhile. */
void scene_wait_for(struct scene *scene, uint32_t task);

/* Time that the processor spends otherwise; for packing or unpacking an object. */
void scene_spend(double time_s);
void scene_spend_moving(const struct scene *scene);

/* Migrates the object of the last pending task. */
void scene_give_last(struct scene *scene, int rank);

/* Migrates objects of tasks that have not been executed from owner[] to next[], the same on all
 * ranks, and waits for those that are to come. A negative owner: the task has been executed. */
void scene_rearrange(struct scene *scene, const int *owner, const int *next);

void scene_send(struct scene *scene, int rank, struct scene_message message);

/* Handles messages that are here. */
void scene_attend(struct scene *scene);

/* Waits for a message, and handles it. */
void scene_wait(struct scene *scene);

/* Sends to rank 0 what has been executed here since the last message; it sends to all once that is
 * all. To be called by ranks that have nothing to do. */
void scene_tell_executed(struct scene *scene);

/* The processor that has the task at first. */
int scene_first_owner(const struct scene *scene, uint32_t task);

/* --- how tasks get to processors --- */

struct policy {
    const char *name;                  /* a specification may follow, as in "keel:fac2" */
    void (*poll)(struct scene *scene); /* in mid-task; NULL: messages wait for the task's end */
    scene_handler *handle;             /* of messages; NULL: it sends none of its own */
    void (*run)(struct scene *scene);  /* on all ranks; returns when all tasks have been executed,
                                          as far as the rank can know */
};

/* stand_ins.c, keel.c */
extern const struct policy policy_none, policy_repartition, policy_iterative, policy_seed;
extern const struct policy policy_keel, policy_mobile, policy_prema;

#endif
