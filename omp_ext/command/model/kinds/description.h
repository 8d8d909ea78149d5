/* What a model is to `keel model`: one const descriptor per model at the end of its own small file,
 * listed in models.c. predict, sweep, optimise and plot know nothing but descriptors.
 *
 *   defaults, machine costs, trace, NAME=VALUE --> values --> [evaluate] --> results
 *
 * `evaluate` does no arithmetic of its own beside units: the formulas are those of
 * schedules/model/, which choices in running programs are made by, too. */
#ifndef OMP_EXT_COMMAND_MODEL_KINDS_DESCRIPTION_H
#define OMP_EXT_COMMAND_MODEL_KINDS_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/command/model/kinds/recorded.h"
#include "omp_ext/machine/machine.h"

#define KEEL_MODEL_PARAMETERS_MAX 32
#define KEEL_MODEL_RESULTS_MAX 16
#define KEEL_MODEL_PROBLEM_MAX 256

enum keel_model_kind {
    KEEL_MODEL_REAL,
    KEEL_MODEL_COUNT, /* a whole number */
    KEEL_MODEL_WORD,  /* one of a list */
    KEEL_MODEL_TEXT   /* whatever the parameter's own reader takes */
};

struct keel_model_value {
    double number;    /* of a word: its place in the list; of a text: nothing */
    const char *text; /* of a word or a text */
};

/* Where a value comes from; later ones replace earlier ones. */
enum keel_model_origin {
    KEEL_MODEL_DEFAULT,
    KEEL_MODEL_MACHINE,
    KEEL_MODEL_TRACE,
    KEEL_MODEL_STATED
};

struct keel_model_parameter {
    const char *name;
    const char *unit; /* "s" also takes suffixes ns, us, ms; "": none */
    const char *text; /* what it means */
    enum keel_model_kind kind;
    double low, high;                 /* of numbers, inclusive */
    struct keel_model_value standard; /* of words and texts: .text */
    bool costs;                       /* default: the machine cost `cost` */
    enum keel_machine_cost cost;
    bool traced;                         /* --trace tells it */
    bool chosen;                         /* what `optimise` chooses if it is not stated */
    const char *(*word)(unsigned place); /* word 0, 1 ...; NULL: no more */
    /* Of texts: false, and what is wrong, KEEL_MODEL_PROBLEM_MAX bytes. */
    bool (*check)(const char *text, char *problem);
};

/* Entries of tables of parameters; further members may follow. */
#define KEEL_MODEL_NUMBER_(kind_, name_, unit_, low_, high_, standard_, text_, ...)        \
    {                                                                                      \
        .name = (name_), .unit = (unit_), .text = (text_), .kind = (kind_), .low = (low_), \
        .high = (high_), .standard = {.number = (standard_)}, __VA_ARGS__                  \
    }
#define KEEL_MODEL_A_COUNT(...) KEEL_MODEL_NUMBER_(KEEL_MODEL_COUNT, __VA_ARGS__, )
#define KEEL_MODEL_A_REAL(...) KEEL_MODEL_NUMBER_(KEEL_MODEL_REAL, __VA_ARGS__, )
#define KEEL_MODEL_A_COST(name_, cost_, text_)                                            \
    {                                                                                     \
        .name = (name_), .unit = "s", .text = (text_), .kind = KEEL_MODEL_REAL, .low = 0, \
        .high = KEEL_MACHINE_COST_MAX, .costs = true, .cost = (cost_)                     \
    }
#define KEEL_MODEL_A_WORD(name_, word_, standard_, text_, ...)                 \
    {                                                                          \
        .name = (name_), .unit = "", .text = (text_), .kind = KEEL_MODEL_WORD, \
        .standard = {.text = (standard_)}, .word = (word_), __VA_ARGS__        \
    }
#define KEEL_MODEL_SPEEDS(text_, ...)                                           \
    {                                                                           \
        .name = "speeds", .unit = "", .text = (text_), .kind = KEEL_MODEL_TEXT, \
        .standard = {.text = "1"}, .check = keel_speeds_check, __VA_ARGS__      \
    }

struct keel_model_result {
    const char *name;
    const char *unit;
    const char *text;
    const char *endless; /* what infinity is printed as; NULL: it can't be infinite */
};

/* Values of all parameters, in the order of the descriptor's table. */
struct keel_model_input {
    const struct keel_model_value *value;
    const void *trace; /* what take_trace made; NULL: there is no trace */
};

/* Where take_trace puts what a trace tells. */
struct keel_model_traced {
    struct keel_model_value value[KEEL_MODEL_PARAMETERS_MAX];
    bool taken[KEEL_MODEL_PARAMETERS_MAX];
    void *trace; /* from malloc, or NULL */
};

struct keel_model {
    const char *name;
    const char *summary;
    const char *source;
    const struct keel_model_parameter *parameter; /* ended by a name of NULL */
    const struct keel_model_result *result;       /* ended by a name of NULL */
    unsigned minimised;                           /* the result that `optimise` makes small */
    const char *trace; /* what lines of a trace hold; NULL: the model takes none */

    /* All results; false, and what is wrong with the values, KEEL_MODEL_PROBLEM_MAX bytes. */
    bool (*evaluate)(const struct keel_model_input *input, double *result, char *problem);
    /* Takes in a trace; `loop` is the word of --loop or NULL. False, and what is wrong. */
    bool (*take_trace)(const struct keel_recorded *trace, const char *loop,
                       struct keel_model_traced *traced, char *problem);
    /* Whether a parameter has an influence where the words are as they are; NULL: all have. */
    bool (*takes)(const struct keel_model_value *value, unsigned parameter);
    /* Up to `room` values that `optimise` should try for a parameter, how many; 0, or NULL: words,
     * or numbers of its range. */
    size_t (*candidates)(const struct keel_model_input *input, unsigned parameter,
                         struct keel_model_value *candidate, size_t room);
};

#endif
