/* What a run, or a forecast of one, is told on the command line: NAME=VALUE. */
#ifndef BENCH_PAPERS_DIR_PREMA05_SETTINGS_H
#define BENCH_PAPERS_DIR_PREMA05_SETTINGS_H

#include <stdbool.h>

/* Times in s. Whole numbers are kept as doubles. */
struct settings {
    char weights[64];  /* as of weights.h */
    double tasks;      /* of a processor */
    double work;       /* of a processor, on average */
    double quantum;    /* from one poll to the next */
    double threshold;  /* of tasks: who has fewer, the one in work included, asks for some */
    double neighbours; /* of a processor */
    double object_bytes;
    double messages; /* of a task to each of its neighbours */
    double message_bytes;
    double startup, byte; /* of a message: forecasts only; the simulator has its own */
    double context, poll, decision, install, pack; /* as of struct scene_costs */
    double chance;  /* seed of what is drawn: orders of search, phases of polls, places of seeds */
    double classes; /* 2: each weight is the mean of its class (R3); else as they are */
    double processors; /* 1: a line for each of them; forecasts: their number */
};

/* What there is without a word. */
void settings_begin(struct settings *settings);

/* False: there is no such name, or no such number; nothing changes. */
bool settings_set(struct settings *settings, const char *text);

#endif
