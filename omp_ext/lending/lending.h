/* Loops whose iterations another library lends, and which the team's threads run; and the times of
 * loops and their iterations, for another library.
 *
 *   keel_lending_meet() -> lend_next() -> the next loop of a team
 *     -> join() -> next() ... -> leave()
 *   keel_lending_meet() -> time_loops() -> each loop that counts, on each thread of its team
 *     -> begin() -> took() ...
 *
 * libkeel_mpi.so is the lender; this is the whole interface of the two libraries. They may be of
 * different releases, so they agree on a version of this file first. */
#ifndef OMP_EXT_LENDING_LENDING_H
#define OMP_EXT_LENDING_LENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changes with anything that is declared here, and with struct keel_spec. */
#define KEEL_LENDING_VERSION 3

struct keel_spec;

/* A thread that comes to a shared loop. */
struct keel_lending_thread {
    uint64_t iterations;          /* N, the same for all threads of the team */
    uint64_t grain;               /* >= 1: no chunk may begin or end but on a multiple of so many
                                     iterations, the end of the loop excepted */
    uint32_t threads;             /* size of the team */
    uint32_t thread;              /* number in it */
    const struct keel_spec *spec; /* the schedule that the loop has within this process; NULL: none
                                     was asked for. Stays valid for ever. */
    bool in_order;                /* the thread's iterations have to increase */
    uintptr_t site;               /* the same for each instance of the loop in this process */
    const void *caller;           /* where the loop starts in the program, for loop_name(): */
    void (*outlined)(void *);     /* return address, and the function of a combined loop; otherwise
                                     NULL */
};

/* Lends the iterations of one loop. Called by all threads of its team, at the same time. With
 * `next` NULL it lends nothing: one thread of the team calls join() for the loop, which runs as if
 * there were no loan. */
struct keel_lender {
    /* A thread comes. Called once by each thread of the team that reaches the loop, also when
     * others have left it already. What it returns identifies the thread from now on; NULL: it gets
     * no iterations. */
    void *(*join)(void *context, const struct keel_lending_thread *thread);
    /* The thread's next chunk, iterations [*first, *last); false: it gets no other. May wait. */
    bool (*next)(void *handle, uint64_t *first, uint64_t *last);
    /* The thread is done: once for each join() that was not NULL. finished: next() has returned
     * false; otherwise the loop was cancelled, and no thread waits for it. */
    void (*leave)(void *handle, bool finished);
    /* A thread is at an `ordered` or doacross loop with schedule(runtime), which leaves the loan to
     * the next loop. NULL: not wanted. May be called several times. */
    void (*passed)(void *context, const void *caller);
};

/* Shared loops that a thread of a team may fall behind in a row of nowait loops. */
#define KEEL_LENDING_BEHIND_MAX 256

/* Time in this process's scheduled loops: schedule(runtime), under any schedule, also ordered
 * and doacross, and explicit clauses that KEEL_OVERRIDE names. Of loops in the bodies of others
 * only the outermost counts. */
struct keel_loop_counters {
    _Atomic uint64_t loops;   /* that have ended */
    _Atomic uint64_t busy_ns; /* of these: wall time of combined parallel loops from fork to join,
                                 of others from the start until their team's thread 0 gets no more
                                 iterations. Loops of several teams at a time add up. */
};

/* A loop that a thread begins its part in. */
struct keel_timed_loop {
    uint64_t start;      /* first value of its variable */
    int64_t step;        /* from one iteration to the next */
    uint64_t iterations; /* of the whole loop, >= 1 */
    uint32_t threads;    /* size of the team */
};

/* What a timer keeps of a loop, for one thread. All but `piece` is its own. */
struct keel_timed_thread {
    void *context;
    double place, pace, share;
    uint64_t piece; /* >= 1: chunks are handed out in pieces of about so many iterations, each of
                       which is timed */
};

/* Who wants to know what iterations take. Called by threads of teams, at the same time. */
struct keel_loop_timer {
    /* A thread begins its part in a loop. False: nothing is wanted of that. */
    bool (*begin)(const struct keel_timed_loop *loop, struct keel_timed_thread *thread);
    /* Iterations [first, last), counted from 0 in the order of the loop, took a thread so long. */
    void (*took)(const struct keel_timed_thread *thread, uint64_t first, uint64_t last,
                 double time_ns);
};

/* What libkeel.so does for others. Any thread may call any of it. */
struct keel_lending {
    /* The next loop that a team of this process starts under its own schedule gets its iterations
     * from `lender`, to which `context` identifies the loop. Returns false if another loan is
     * pending. Threads that have to see the loan get it from this one.
     *
     * Loops that can take it are those that Keel would schedule if it were asked to:
     * schedule(runtime), and explicit clauses that KEEL_OVERRIDE names, also in a team of one and
     * outside of parallel regions. Others leave the loan to the next loop: `ordered` ones,
     * doacross, static, explicit clauses, and all of a region that began before the process's first
     * loan, or expect_loans(), if there were no settings or a rule leaves the loop to libgomp.
     *
     * The chunk that ends the loop has to be the last one of its thread: compilers rely on that for
     * lastprivate. */
    bool (*lend_next)(const struct keel_lender *lender, void *context);

    /* Loans may come, also in the course of a region: its loops begin in a way that can take them.
     * To be called before the process's first region; later it does nothing. At any time, also
     * before constructors have run. */
    void (*expect_loans)(void);

    /* Takes the pending loan back; false: a loop has taken it, or there is none. */
    bool (*withdraw)(void *context);

    /* Writes the name of the loop that starts there for messages into text[size], as
     * "mandel.c:42 (render)", or its place in its module. outlined: of a combined parallel loop;
     * otherwise NULL. Reads debug information. */
    void (*loop_name)(const void *caller, void (*outlined)(void *), char *text, size_t size);

    /* Has loops counted that begin from now on; any number of times. Returns the counters, which
     * stay valid for ever. */
    const struct keel_loop_counters *(*count_loops)(void);

    /* `timer`, which stays valid for ever, gets loops that are counted (count_loops()) and begin
     * from now on; one at a time. It does not get ordered and doacross loops, and loops outside of
     * parallel regions. Chunks go to the threads that they would go to, in the same
     * order, if in pieces. */
    void (*time_loops)(const struct keel_loop_timer *timer);

    /* Hands a message to the handler of keel_set_message_handler(); false: there is none. */
    bool (*hand_message)(const char *text);
};

/* What libkeel.so does by the given version of this file; NULL: it does not know that version.
 * *newest: the latest that it knows. What it returns stays valid for ever. The only function that
 * libkeel.so exports for others, with a form that never changes. Any thread. */
const struct keel_lending *keel_lending_meet(uint32_t version, uint32_t *newest);

#endif
