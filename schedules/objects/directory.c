/* Where a message to an object goes next. */
#include "schedules/objects/directory.h"

#include "schedules/arithmetic/chance.h"

uint32_t keel_directory_home(uint64_t index, uint32_t ranks)
{
    return (uint32_t)((keel_chance_mix(index) >> 32) * ranks >> 32);
}

struct keel_directory_step keel_directory_next(uint32_t self, uint32_t home,
                                               struct keel_location known, uint32_t epoch)
{
    if (known.epoch > 0 && known.rank == KEEL_LOCATION_DELETED) {
        return (struct keel_directory_step){.action = KEEL_DIRECTORY_RETURN};
    }
    if (known.epoch > epoch && known.rank != self) {
        return (struct keel_directory_step){KEEL_DIRECTORY_SEND, known.rank, known.epoch};
    }
    if (self != home) {
        return (struct keel_directory_step){KEEL_DIRECTORY_SEND, home, epoch};
    }
    return (struct keel_directory_step){.action = KEEL_DIRECTORY_HOLD};
}
