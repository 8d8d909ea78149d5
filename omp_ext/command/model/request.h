/* What the command line of `keel model ACTION` asks for. */
#ifndef OMP_EXT_COMMAND_MODEL_REQUEST_H
#define OMP_EXT_COMMAND_MODEL_REQUEST_H

#include <argp.h>

#include "omp_ext/command/model/range.h"

#define KEEL_SWEPT_MAX 2

/* Options of actions that predict; {0} ends them. */
#define KEEL_REQUEST_SOURCES                                                                       \
    {"costs", 'c', "FILE", 0, "Machine costs; otherwise what `keel model calibrate' has kept", 0}, \
        {"trace", 't', "FILE", 0, "What was recorded, see `keel model list MODEL'", 0},            \
    {                                                                                              \
        "loop", 'l', "NAME", 0, "Which loop of a trace with several", 0                            \
    }
#define KEEL_REQUEST_CSV                                       \
    {                                                          \
        "csv", 's', NULL, 0, "Print comma-separated values", 0 \
    }
#define KEEL_REQUEST_RESULT                                              \
    {                                                                    \
        "result", 'r', "NAME", 0, "Only this result; may be repeated", 0 \
    }

struct keel_request {
    bool csv, all;
    struct keel_values_sources sources;
    const char *free;                           /* names of --free; NULL: those of the model */
    const char *output;                         /* file of -o */
    const char *wanted[KEEL_MODEL_RESULTS_MAX]; /* names of --result */
    unsigned wanteds;
    char **word; /* MODEL and NAME=VALUE, ended by NULL */
};

/* Reads options and words by argp, which ends the program on bad options. */
void keel_request_read(int argc, char **argv, const struct argp *grammar,
                       struct keel_request *request);

/* The same parser for the grammar of each action. */
error_t keel_request_take(int key, char *word, struct argp_state *state);

/* What is to be predicted. */
struct keel_task {
    struct keel_values values;
    unsigned swepts; /* parameters with several values, as they stand on the command line */
    struct keel_range swept[KEEL_SWEPT_MAX];
    unsigned results; /* that are wanted, in the order of --result; else all */
    unsigned result[KEEL_MODEL_RESULTS_MAX];
};

/* The model and its values from the words of the request; at most `swept_max` parameters may have
 * several. False, and a message: they are of no use. End it in either case. */
bool keel_task_begin(struct keel_task *task, const struct keel_request *request,
                     unsigned swept_max);

void keel_task_end(struct keel_task *task);

#endif
