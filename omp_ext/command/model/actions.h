/* The actions of `keel model`, each at the end of its own file, listed in model.c. They are
 * subcommands of a subcommand: argv[0] is "keel model NAME". */
#ifndef OMP_EXT_COMMAND_MODEL_ACTIONS_H
#define OMP_EXT_COMMAND_MODEL_ACTIONS_H

#include "omp_ext/command/parts/subcommand.h"

extern const struct keel_subcommand keel_model_list, keel_model_predict, keel_model_sweep;
extern const struct keel_subcommand keel_model_optimise, keel_model_plot, keel_model_calibrate;

#endif
