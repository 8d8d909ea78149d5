/* Objects of two classes, and their forecast, for tests of the model. Comes after
 * <cmocka.h>. */
#ifndef TESTS_SCHEDULES_MODEL_OBJECTS_CASES_H
#define TESTS_SCHEDULES_MODEL_OBJECTS_CASES_H

#include <stddef.h>
#include <stdlib.h>

#include "schedules/model/objects_bounds.h"
#include "tests/support/unit.h"

static inline struct keel_objects_forecast predict(const struct keel_objects *objects)
{
    struct keel_objects_forecast forecast;
    size_t size = keel_objects_scratch(objects);
    void *scratch = size > 0 ? malloc(size) : NULL;

    assert_true(keel_objects_predict(objects, &forecast, scratch));
    free(scratch);
    return forecast;
}

/* Light tasks take 1 s, heavy ones 3 s, and nothing else takes any time. */
static inline struct keel_objects plain(uint32_t processors, uint64_t light, uint64_t heavy)
{
    return (struct keel_objects){
        .processors = processors,
        .classes = {.light = light, .heavy = heavy, .light_mean = 1, .heavy_mean = 3},
    };
}

#endif
