/* Messages to objects, and interruptions of a rank at work. */
#define _GNU_SOURCE

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mpi_backend/job/processes.h"
#include "mpi_backend/objects/objects.h"
#include "mpi_backend/process/mpi_process.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- interruptions of objects by another process on the same processor. However busy the machine
 * is, the rest of the time is time that this thread had the processor. --- */

#define ROUNDING_S 300e-6 /* of the system's counts, and of the time between two looks */

static double processor_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* How often the processor was taken from this thread, or the thread yielded it. */
static long switches(bool taken)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return taken ? usage.ru_nivcsw : usage.ru_nvcsw;
}

/* This thread and what it starts have one processor from now on. */
static bool use_one_processor(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static pid_t start_load(void)
{
    pid_t parent = getpid(), load = fork();

    if (load == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (getppid() == parent) {
        }
        _exit(0);
    }
    return load;
}

#define PATIENCE_S 20 /* of the processor: many quanta of a process that has to share it */

/* Computes until the processor was taken from it. False: it had to wait meanwhile. */
static bool compute_until_interrupted(double *took_s, double *interrupted_s, double *had_s)
{
    double before_s = processor_s(), began_s = keel_mpi_clock_s();

    keel_mpi_interruptions_mark(began_s);
    long taken = switches(true), given_up = switches(false);
    while (switches(true) == taken && processor_s() - before_s < PATIENCE_S) {
    }
    double end_s = keel_mpi_clock_s();
    *took_s = end_s - began_s;
    *interrupted_s = keel_mpi_interruptions_of(*took_s, end_s);
    *had_s = processor_s() - before_s;
    return switches(false) == given_up;
}

TEST(the_time_of_an_object_is_that_on_the_processor)
{
    int found = 0;
    pid_t load;

    if (!use_one_processor()) {
        skip();
    }
    load = start_load();
    double begun_s = processor_s();
    while (found < 5 && processor_s() - begun_s < PATIENCE_S) {
        double took_s, interrupted_s, had_s;
        nap(1000); /* earlier marks are out of date */
        if (!compute_until_interrupted(&took_s, &interrupted_s, &had_s)) {
            continue;
        }
        assert_true(interrupted_s >= 0 && interrupted_s <= took_s);
        if (took_s - had_s > 1e-3) {
            assert_true(took_s - interrupted_s <= had_s + ROUNDING_S);
            found++;
        }
    }
    kill(load, SIGKILL);
    waitpid(load, NULL, 0);
    if (found == 0) {
        print_message("this system does not count how often a processor is taken from a thread\n");
        skip();
    }
}

TEST(the_time_of_an_object_that_sleeps_is_all_of_it)
{
    for (int i = 0; i < 5; i++) {
        double began_s = keel_mpi_clock_s();
        keel_mpi_interruptions_mark(began_s);
        nap(3000);
        double end_s = keel_mpi_clock_s();
        assert_true(keel_mpi_interruptions_of(end_s - began_s, end_s) <= 0);
    }
}

TEST(a_short_object_is_not_checked)
{
    double began_s = keel_mpi_clock_s();
    keel_mpi_interruptions_mark(began_s);
    assert_true(keel_mpi_interruptions_of(20e-6, began_s + 20e-6) <= 0);
}

/* --- messages to objects from other ranks --- */

/* A rank handles a message by all of its fields; the epoch keeps it from circulating. */
TEST(a_message_has_the_fields_of_its_record)
{
    static const char text[] = "text";
    const struct keel_mpi_object_record record = {.index = 7,
                                                  .bytes = sizeof text,
                                                  .kind = KEEL_MPI_RECORD_RETURNED,
                                                  .handler = 2,
                                                  .sender = 3,
                                                  .number = 4,
                                                  .epoch = 9};
    struct keel_mpi_objects *objects = calloc(1, sizeof *objects);

    assert_non_null(objects);
    keel_mpi_delivery_take(objects, &record, text);
    struct keel_mpi_object_message *message = objects->returned.first;
    assert_int_equal(objects->returned.count, 1);
    assert_true(message->index == 7 && message->bytes == sizeof text);
    assert_int_equal(message->handler, 2);
    assert_int_equal(message->sender, 3);
    assert_int_equal(message->number, 4);
    assert_int_equal(message->epoch, 9);
    assert_string_equal(message->payload, text);
    free(message);
    free(objects);
}
