/* The environment variables of MPI jobs and how their values are read. */
#include "schedules/ranks/mpi_variables.h"

#include <stdio.h>
#include <string.h>

#include "schedules/text/text.h"

#define POLL_US 1000
#define DEADLINE_S 60

void keel_ranks_variables_begin(struct keel_ranks_settings *settings)
{
    settings->schedule = keel_ranks_schedule_standard();
    settings->grain = 1;
    settings->poll_ns = POLL_US * 1e3;
    settings->balance = keel_rows_policy_standard();
    settings->objects = keel_objects_policy_standard();
    settings->deadline_s = DEADLINE_S;
}

static void read_schedule(struct keel_ranks_settings *settings, const char *value, char *problem)
{
    char found[KEEL_PROBLEM_MAX];

    settings->schedule_stated = keel_ranks_schedule_read(value, &settings->schedule, found);
    snprintf(problem, KEEL_RANKS_PROBLEM_MAX, "%s%s", found,
             settings->schedule_stated ? "" : "; it counts as not set");
}

static void scale(double *weight, unsigned count)
{
    double sum = 0;

    for (unsigned i = 0; i < count; i++) {
        sum += weight[i];
    }
    for (unsigned i = 0; i < count; i++) {
        weight[i] *= count / sum;
    }
}

static void read_weights(struct keel_ranks_settings *settings, const char *value, char *problem)
{
    size_t count = keel_number_list(value, 1e-6, 1e6, KEEL_RANKS_WEIGHTS_MAX, settings->weight);

    settings->weights = count <= KEEL_RANKS_WEIGHTS_MAX ? (unsigned)count : 0;
    scale(settings->weight, settings->weights);
    if (settings->weights == 0) {
        snprintf(problem, KEEL_RANKS_PROBLEM_MAX,
                 "'%.40s' is not a list of up to %d numbers from 1e-6 to 1e6; using equal weights",
                 value, KEEL_RANKS_WEIGHTS_MAX);
    }
}

static void note_poll(void *into)
{
    struct keel_ranks_settings *settings = into;

    settings->poll_ns = (double)settings->poll_us * 1e3;
    settings->poll_stated = true;
}

/* Rows and objects have names of their own, and common ones: a name that one of them knows is
 * valid. */
static void read_balance(struct keel_ranks_settings *settings, const char *value, char *problem)
{
    char found[KEEL_PROBLEM_MAX], of_objects[KEEL_PROBLEM_MAX];

    settings->balance_stated = keel_rows_policy_read(value, &settings->balance, found);
    settings->objects_stated = keel_objects_policy_read(value, &settings->objects, of_objects);
    if (settings->objects_stated && !settings->balance_stated) {
        snprintf(problem, KEEL_RANKS_PROBLEM_MAX, "%s", of_objects);
        return;
    }
    snprintf(problem, KEEL_RANKS_PROBLEM_MAX, "%s%s", found,
             settings->balance_stated ? "" : "; it counts as not set");
}

static void read_trace(struct keel_ranks_settings *settings, const char *value, char *problem)
{
    (void)problem;
    settings->trace_file = value;
}

#define AT(member) KEEL_FIELD_AT(struct keel_ranks_settings, member)

const struct keel_ranks_variable keel_ranks_variables[] = {
    {"KEEL_MPI_SCHEDULE", "SCHEDULE", "rate",
     "how the ranks of a job get the iterations of shared loops: tree, steal, diffuse, rate (see "
     "`keel list --mpi`) or any loop schedule, with ranks for threads",
     .read = read_schedule},
    {"KEEL_MPI_WEIGHTS", "w0,w1,...", "equal weights",
     "relative speed of each rank of a communicator, for first blocks and for wf2",
     .read = read_weights},
    {"KEEL_MPI_POLL", "whole number from 10 to 1000000", "1000",
     "time within which a rank answers others during a loop, unless one iteration takes longer, us",
     .field = KEEL_WHOLE_FIELD(AT(poll_us), 10, 1000000, .then = note_poll)},
    {"KEEL_MPI_PROGRESS", "0 or 1", "0",
     "a Keel thread answers for ranks with long iterations; needs MPI_THREAD_MULTIPLE",
     .field = KEEL_WORD_FIELD(AT(progress))},
    {"KEEL_MPI_WAIT", "poll or sleep", "poll",
     "how MPI waits for other ranks: poll looks all the time, sleep pauses after 20 us; for "
     "programs that `keel run` or `keel report` starts, or that have "
     "libkeel_mpi_calls.so preloaded",
     .field = KEEL_WORD_FIELD(AT(sleeps))}, /* libkeel_mpi_calls.so acts on it */
    {"KEEL_MPI_NODE_RANKS", "whole number from 1 to 65536", "all ranks of a machine",
     "how many ranks of a machine share memory at most; the others get messages",
     .field = KEEL_WHOLE_FIELD(AT(node_ranks), 1, KEEL_RANKS_WEIGHTS_MAX),
     .instead = "all ranks of a machine share memory"},
    {"KEEL_MPI_BALANCE", "POLICY", "auto",
     "how rows that move are balanced among ranks: auto, rate-local, rate, random, diffusion, "
     "redistribute, gradient, tree, shake, off; which rank an idle rank asks for objects: steal, "
     "diffuse, tree, prema, shake, off (see `keel list --mpi`)",
     .read = read_balance},
    {"KEEL_MPI_DEADLINE", "number from 0.1 to 1000000", "60",
     "how long a rank waits for others before it prints which ones and, if rows may move and "
     "KEEL_MPI_ON_LATE is "
     "auto or fail, stops balancing, s",
     .field = KEEL_REAL_FIELD(AT(deadline_s), 0.1, 1e6)},
    {"KEEL_MPI_ON_LATE", "auto, wait, fail or end", "auto",
     "what a rank does after KEEL_MPI_DEADLINE: auto: as fail if an awaited rank is stopped by a "
     "signal, otherwise as wait; wait: waits on; fail: returns KEEL_MPI_LATE; end: ends a stopped "
     "rank by SIGKILL, so that KEEL_MPI_RANKS_LOST follows, otherwise as wait",
     .field = KEEL_WORD_FIELD(AT(on_late))},
    {"KEEL_MPI_ON_ERROR", "abort or message", "message",
     "effect of errors of shared loops, as of a loop that can't be shared: message: a message, and "
     "an error code from every call for that loop; abort: the job ends as well",
     .field = KEEL_FIRST_FIELD(AT(aborts))},
    {"KEEL_MPI_COPIES", "whole number from 0 to 1000000000", "0",
     "number of calls of keel_mpi_rows_balance(), or phases of objects, after which another rank "
     "gets a copy of each rank's rows, or objects, to restore them when ranks end; 0: no copies",
     .field = KEEL_WHOLE_FIELD(AT(copies), 0, 1000000000)},
    {"KEEL_MPI_BLOCK", "whole number >= 1", "set by the program, or by measured times",
     "elements of a row in a block of pipelined sweeps",
     .field = KEEL_WHOLE_FIELD(AT(block), 1, UINT64_MAX), .instead = "it counts as not set"},
    {"KEEL_MPI_TRACE", "FILE", "nothing is traced",
     "each rank writes FILE.RANK, a line for each time that ranks have compared the rates of rows "
     "that may move: "
     "hook,time_s,work,rate,filtered_rate,gain,moved,policy,reason,followed,candidates; work in "
     "rows, or the sum of their weights, in a phase, and rates in work per s",
     .read = read_trace, .names_file = true},
    {0},
};

void keel_ranks_variable_read(struct keel_ranks_settings *settings,
                              const struct keel_ranks_variable *variable, const char *value,
                              char problem[KEEL_RANKS_PROBLEM_MAX])
{
    bool given = variable->instead != NULL, number = variable->field.kind <= KEEL_FIELD_REAL;

    if (keel_text_is_blank(value)) {
        snprintf(problem, KEEL_RANKS_PROBLEM_MAX, "%s", KEEL_TEXT_EMPTY);
    } else if (variable->read != NULL) {
        variable->read(settings, value, problem);
    } else if (!keel_parameters_field_set(&variable->field, variable->form, value, settings)) {
        snprintf(problem, KEEL_RANKS_PROBLEM_MAX, "'%.40s' is not %s%s; %s%s", value,
                 number ? "a " : "", variable->form, given ? "" : "using ",
                 given ? variable->instead : variable->standard);
    }
}
