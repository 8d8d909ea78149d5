/* keel model. */
#include "omp_ext/command/model/actions.h"
#include "omp_ext/command/parts/menu.h"

static const struct keel_subcommand *const actions[] = {
    &keel_model_list,     &keel_model_predict, &keel_model_sweep,
    &keel_model_optimise, &keel_model_plot,    &keel_model_calibrate,
};

static const struct keel_menu menu = {
    .called = "keel model",
    .entry = "an action",
    .title = "Actions",
    .form = "ACTION [ARGUMENT...]",
    .text = "Predicts what a loop or a job will take, by the formulas that programs under Keel "
            "choose by.\v ",
    .notes = "`keel model ACTION --help' tells more about each.",
    .count = sizeof actions / sizeof actions[0],
    .subcommand = actions,
};

static int run(int argc, char **argv)
{
    return keel_menu_run(&menu, argc, argv);
}

const struct keel_subcommand keel_subcommand_model = {
    .name = "model",
    .summary = "predict what a loop or a job will take, and choose its policy",
    .run = run,
};
