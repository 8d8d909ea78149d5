/* Reading what people write of policies: their parameters.
 *
 *   policy.c, rows_policy.c -> [reader] -> values, and what was wrong with them
 *
 * Pure; any thread. */
#ifndef SCHEDULES_RANKS_POLICY_PARAMETERS_H
#define SCHEDULES_RANKS_POLICY_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

#include "schedules/loop/schedule.h"
#include "schedules/loop/spec.h"
#include "schedules/text/text.h"

/* A parameter of some policies. */
struct keel_parameters_entry {
    const char *name;
    unsigned policies; /* KEEL_BIT of each policy that takes it */
    unsigned first;    /* of each that takes it by position */
    /* Sets it in what is being read. False: `word` is not `holds`. */
    bool (*set)(void *into, const char *word);
    const char *holds;   /* what it may be: "a number from 0 to 1" */
    const char *instead; /* what happens where it is not that, or not given: "using 1" */
    const char *meaning;
};

/* A text whose policy is known. */
struct keel_parameters_reader {
    struct keel_text rest;
    const char *policy;                             /* its name */
    unsigned bit;                                   /* KEEL_BIT of it */
    const struct keel_parameters_entry *parameters; /* ended by one whose name is NULL */
    void *into;
    bool positional; /* a value by position has been read */
    unsigned given;  /* KEEL_BIT of each of `parameters` */
    char *problem;   /* the first thing that was wrong, KEEL_PROBLEM_MAX bytes */
};

/* Reads { ("," | ":") parameter } to the end of reader->rest. What is wrong is left out. */
void keel_parameters_read(struct keel_parameters_reader *reader);

/* The same word, upper and lower case alike: those of the C locale between keel_c_locale_enter()
 * and keel_c_locale_leave(). */
bool keel_text_is(struct keel_text word, const char *text);

#endif
