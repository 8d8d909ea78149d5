/* What processors tell each other in a scene. No MPI: forecasts ask how long it is. */
#ifndef BENCH_PAPERS_DIR_PREMA05_MESSAGE_H
#define BENCH_PAPERS_DIR_PREMA05_MESSAGE_H

#include <stdint.h>

struct scene_message {
    uint32_t kind; /* one of these, or of a policy's */
    uint32_t from; /* rank */
    uint32_t task; /* whose object it is, or is for */
    uint32_t number;
};

enum {
    SCENE_PIECE,  /* of an object that is larger than a message; the last one is SCENE_OBJECT */
    SCENE_OBJECT, /* an object, with its data */
    SCENE_FETCH,  /* send me the object of this task, which is yours and pending */
    SCENE_TASK_MESSAGE, /* of one task to another */
    SCENE_DONE,         /* to rank 0: `number` more tasks have been executed */
    SCENE_END,          /* all have */
    SCENE_POLICY        /* policies' own messages count from here */
};

#endif
