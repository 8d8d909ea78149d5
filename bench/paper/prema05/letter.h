/* What processors tell each other in a scene. No MPI: forecasts ask how long it is. */
#ifndef BENCH_PAPER_PREMA05_LETTER_H
#define BENCH_PAPER_PREMA05_LETTER_H

#include <stdint.h>

struct scene_letter {
    uint32_t kind; /* SCENE_OBJECT, SCENE_MESSAGE, SCENE_DONE, SCENE_END, or one of a policy's */
    uint32_t from; /* rank */
    uint32_t task; /* whose object it is, or is for */
    uint32_t number;
};

enum {
    SCENE_OBJECT,  /* an object, with its data */
    SCENE_MESSAGE, /* of one task to another */
    SCENE_DONE,    /* to rank 0: `number` more tasks have been executed */
    SCENE_END,     /* all have */
    SCENE_POLICY   /* policies' own letters count from here */
};

#endif
