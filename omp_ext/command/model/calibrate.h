/* `keel model calibrate`, see calibrate.c. */
#ifndef OMP_EXT_COMMAND_MODEL_CALIBRATE_H
#define OMP_EXT_COMMAND_MODEL_CALIBRATE_H

#include "omp_ext/command/subcommand.h"

/* argv[0] is "keel model calibrate". */
extern const struct keel_subcommand keel_model_calibrate;

#endif
