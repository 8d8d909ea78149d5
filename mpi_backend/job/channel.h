/* The post: small letters between ranks. The only file that sends point-to-point messages for the
 * protocol of shared loops.
 *
 *   loop -> keel_post_send() ~~> keel_post_take() -> loop of the other rank
 *
 * One receive is always open, so a letter costs a test to find and never waits for its receiver.
 * Called by one thread of a process at a time, which may call MPI. */
#ifndef MPI_BACKEND_JOB_CHANNEL_H
#define MPI_BACKEND_JOB_CHANNEL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/job/peers.h"

enum keel_letter_kind {
    KEEL_LETTER_NONE,
    KEEL_LETTER_DRAW,  /* to the home node: move the loop's counter on */
    KEEL_LETTER_GRANT, /* from there: where it stood */
    KEEL_LETTER_ASK,   /* give me iterations */
    KEEL_LETTER_LOOK,  /* how many do you have left? */
    KEEL_LETTER_GIVE,  /* the answer to both; later once more, to who asked in vain */
    KEEL_LETTER_COUNT, /* up the tree of nodes: so many iterations have been begun */
    KEEL_LETTER_END,   /* down that tree: how the loop has ended */
    KEEL_LETTER_CLOSE  /* to oneself: the post closes */
};

/* All ranks run the same program on like machines: letters go as they lie in memory. */
struct keel_letter {
    uint32_t kind;
    uint32_t from;        /* rank; filled in by keel_post_send() */
    uint64_t loop;        /* number of the loop that it is about */
    uint64_t first, last; /* GIVE: iterations. GRANT: first is the counter, last what was added.
                               DRAW: first is how far the sender knew it, last what to add.
                               COUNT: first is how many, last 1 if it is the node's first */
    uint64_t left;        /* ASK, GIVE: iterations that the sender's node has left. END: how.
                             DRAW: 1 if the amount goes by what is left */
    /* GRANT: ranks whose pace is known. DRAW: 1 if that is wanted. GIVE: 1 if it is no answer to
     * an ASK. ASK: 1 if it has been answered already. */
    uint64_t measured;
    double speed; /* ASK, GIVE: iterations per ns of the sender's node. GRANT: of all ranks */
    double mean_ns, spread; /* DRAW: pace of the rank and its variance. GRANT: sum of the spreads */
};

struct keel_outgoing;

struct keel_post {
    struct keel_peers *peers; /* told of failures of MPI; nothing is sent or taken after one */
    MPI_Comm comm;
    int rank;
    MPI_Request receive;
    struct keel_letter incoming;
    bool waited;                /* simulations: `incoming` has come, by `status` */
    MPI_Status status;          /* the same */
    bool complained;            /* of a letter that was none */
    struct keel_outgoing *sent; /* not known to have gone yet */
    uint64_t letters;           /* sent so far */
};

/* Opens the post over `comm`, which belongs to Keel and stays. */
void keel_post_open(struct keel_post *post, struct keel_peers *peers, MPI_Comm comm);

/* The next letter that has arrived; false: none has. What is no letter at all by its length is
 * dropped, with one message. */
bool keel_post_take(struct keel_post *post, struct keel_letter *letter);

/* Sends it on its way. Without memory it waits until an earlier letter has gone. */
void keel_post_send(struct keel_post *post, uint32_t rank, const struct keel_letter *letter);

/* Whether it is complete, or MPI_REQUEST_NULL. */
bool keel_post_is_done(struct keel_peers *peers, MPI_Request *request);

/* Waits a little for a letter, or for `request` (MPI_REQUEST_NULL: none), without keeping a
 * processor busy. patience: how many times in a row nothing has come; waits longer by that. alone:
 * nothing else than a letter or the request can end the wait. */
void keel_post_idle(struct keel_post *post, MPI_Request *request, unsigned patience, bool alone);

/* Waits a little, longer by `patience`, which counts the looks in a row that were in vain. Any
 * thread and no MPI. */
void keel_post_pause(unsigned patience);

/* Closes it. All letters to this rank have been taken. */
void keel_post_close(struct keel_post *post);

#endif
