/* What a run, or a forecast of one, gets on the command line. */
#ifndef BENCH_PAPERS_DIR_PREMA05_RUN_H
#define BENCH_PAPERS_DIR_PREMA05_RUN_H

#include "bench/support/support.h"

/* Times in s. Whole numbers are kept as doubles. */
static struct {
    const char *weights; /* as of tasks.h */
    double tasks;        /* of a processor */
    double work;         /* of a processor, on average */
    double quantum;      /* from one poll to the next */
    double threshold;    /* of tasks: who has fewer, the one in work included, asks for some */
    double neighbours;   /* of a processor */
    double object_bytes;
    double messages; /* of a task to each of its neighbours */
    double message_bytes;
    double startup, byte; /* of a message: forecasts only; the simulator has its own */
    double context, poll, decision, install, pack; /* as of struct scene_costs */
    double chance;  /* seed of what is drawn: orders of search, phases of polls, places of seeds */
    double classes; /* 2: each weight is the mean of its class (R3); else as they are */
    double processors; /* of forecasts */
} set = {.weights = "heavy:10:2",
         .tasks = 8,
         .work = 60,
         .quantum = 0.5,
         .threshold = 1,
         .neighbours = 4,
         .chance = 1};

static const struct setting settings[] = {
    TEXT(weights),         NUMBER(tasks),      NUMBER(work),         NUMBER(quantum),
    NUMBER(threshold),     NUMBER(neighbours), NUMBER(object_bytes), NUMBER(messages),
    NUMBER(message_bytes), NUMBER(startup),    NUMBER(byte),         NUMBER(context),
    NUMBER(poll),          NUMBER(decision),   NUMBER(install),      NUMBER(pack),
    NUMBER(chance),        NUMBER(classes),    NUMBER(processors),   {.name = NULL},
};

#endif
