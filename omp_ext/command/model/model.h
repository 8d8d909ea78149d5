/* What a model is to `keel model`.
 *
 *   defaults, --trace, NAME=VALUE --> values --> struct input --> [evaluate] --> results
 *
 * A model is one file: a `struct input`, a table of parameters that names the member of each, a
 * table of results, and a function between them, which calls formulas of schedules/ that choices in
 * running programs are made by, too. To add one: its file and a line in `models` of model.c. */
#ifndef OMP_EXT_COMMAND_MODEL_MODEL_H
#define OMP_EXT_COMMAND_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEEL_MODEL_PARAMETERS_MAX 32
#define KEEL_MODEL_RESULTS_MAX 16
#define KEEL_MODEL_CANDIDATES_MAX 128 /* of a parameter */
#define KEEL_MODEL_INPUT_MAX 1024     /* bytes of a struct input */
#define KEEL_MODEL_TEXT_MAX 256       /* bytes of a value as text, and of a problem */
#define KEEL_MODEL_WORKERS_MAX 4096   /* where each worker takes memory */

/* Costs where none are stated, s: a cluster of present-day machines on 10 Gbit/s
 * Ethernet. */
#define KEEL_MODEL_STARTUP_S 2e-5 /* an empty message */
#define KEEL_MODEL_BYTE_S 1e-9    /* each byte of a message */
#define KEEL_MODEL_PACK_S 1e-7    /* packing or unpacking a row */

enum keel_model_kind {
    KEEL_MODEL_REAL,
    KEEL_MODEL_COUNT, /* a whole number */
    KEEL_MODEL_WORD,  /* one of a list */
    KEEL_MODEL_TEXT   /* what `check` accepts */
};

/* The type of a member of struct input. */
enum keel_model_type {
    KEEL_MODEL_DOUBLE,
    KEEL_MODEL_UINT32, /* enumerations, too */
    KEEL_MODEL_UINT64,
    KEEL_MODEL_BOOL,
    KEEL_MODEL_STRING
};

struct keel_model_value {
    double number;    /* of a word: its place in the list */
    const char *text; /* of a word or a text; NULL: a number */
};

struct keel_model_parameter {
    const char *name;
    const char *unit; /* "s" also takes the suffixes ns, us, ms; "": none */
    const char *text; /* what it means */
    enum keel_model_kind kind;
    double low, high;        /* inclusive; of words: their places */
    double standard;         /* the default; of a word: its place */
    const char *const *word; /* of words */
    const char *standard_text;
    bool (*check)(const char *text, char *problem); /* of texts; false, and what is wrong */
    bool chosen;                                    /* `optimise` chooses it if it is not stated, */
    const char *tried; /* of these, with commas between; NULL: all words, or see candidates() */
    const char *when; /* "policy=rate tree": it has an influence beside these words; NULL: always */
    size_t offset;    /* of the member of struct input */
    enum keel_model_type type;
};

/* Entries of tables of parameters. Further members may follow. */
#define MEMBER(member_) \
    .offset = offsetof(struct input, member_),          \
    .type = _Generic(((struct input *)NULL)->member_,   \
                     double: KEEL_MODEL_DOUBLE,         \
                     uint32_t: KEEL_MODEL_UINT32,       \
                     uint64_t: KEEL_MODEL_UINT64,       \
                     bool: KEEL_MODEL_BOOL,             \
                     const char *: KEEL_MODEL_STRING)
#define NUMBER(kind_, name_, unit_, low_, high_, standard_, member_, text_, ...)           \
    {                                                                                      \
        .name = (name_), .unit = (unit_), .text = (text_), .kind = (kind_), .low = (low_), \
        .high = (high_), .standard = (standard_), MEMBER(member_), __VA_ARGS__             \
    }
#define REAL(...) NUMBER(KEEL_MODEL_REAL, __VA_ARGS__, )
#define COUNT(...) NUMBER(KEEL_MODEL_COUNT, __VA_ARGS__, )
#define COST(name_, standard_, member_, text_) REAL(name_, "s", 0, 1e3, standard_, member_, text_)
#define WORD(name_, words_, standard_, member_, text_, ...)                                        \
    NUMBER(KEEL_MODEL_WORD, name_, "", 0, sizeof(words_) / sizeof *(words_)-1, standard_, member_, \
           text_, .word = (words_), __VA_ARGS__)
#define TEXT(name_, check_, standard_, member_, text_, ...)                        \
    NUMBER(KEEL_MODEL_TEXT, name_, "", 0, 0, 0, member_, text_, .check = (check_), \
           .standard_text = (standard_), __VA_ARGS__)

struct keel_model_result {
    const char *name, *unit, *text;
};

struct keel_model_values;

struct keel_model {
    const char *name, *summary, *source;
    const struct keel_model_parameter *parameter;
    size_t parameters;
    const struct keel_model_result *result; /* the first is what `optimise` makes small */
    size_t results;
    /* All results, in the order of the table. May change the input. False, and what is wrong. */
    bool (*evaluate)(void *input, double *result, char *problem);
    /* Up to KEEL_MODEL_CANDIDATES_MAX values for `optimise` to try; 0, or NULL: those of the
     * table. */
    size_t (*candidates)(void *input, const char *parameter, struct keel_model_value *candidate);
    /* Sets values by a trace; `loop`: the word of --loop or NULL. False, and a message. NULL: the
     * model takes none. */
    bool (*take_trace)(const char *path, const char *loop, struct keel_model_values *values);
};

#define KEEL_MODEL_TABLES(parameters_, results_)                                           \
    .parameter = (parameters_), .parameters = sizeof(parameters_) / sizeof *(parameters_), \
    .result = (results_), .results = sizeof(results_) / sizeof *(results_)

extern const struct keel_model keel_model_loop, keel_model_balance, keel_model_objects;
extern const struct keel_model keel_model_pipeline;

struct keel_model_values {
    const struct keel_model *model;
    struct keel_model_value value[KEEL_MODEL_PARAMETERS_MAX];
    const char *origin[KEEL_MODEL_PARAMETERS_MAX]; /* "default", "trace", "stated" */
};

/* Sets what a trace says. */
void keel_model_set(struct keel_model_values *values, const char *name,
                    struct keel_model_value value);

/* Lists of speeds as text, "1,1,2,2": TEXT()'s check, and the numbers, repeated where the list is
 * shorter. Returns their sum. */
bool keel_model_check_speeds(const char *text, char *problem);
double keel_model_speeds(const char *text, double *speed, size_t count);

/* The words "no" and "yes". */
extern const char *const keel_model_no_yes[2];

#endif
