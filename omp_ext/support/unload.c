/* How many libraries the program may have unloaded. */
#include "omp_ext/support/unload.h"

_Atomic unsigned keel_unload_count;
