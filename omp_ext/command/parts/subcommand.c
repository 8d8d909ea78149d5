/* Words on the command lines of subcommands. */
#include "omp_ext/command/parts/subcommand.h"

#include <math.h>

#include "schedules/text/number.h"

error_t keel_subcommand_no_words(int key, struct argp_state *state)
{
    if (key != ARGP_KEY_ARG) {
        return ARGP_ERR_UNKNOWN;
    }
    argp_usage(state);
    return 0;
}

char **keel_subcommand_rest(struct argp_state *state)
{
    char **rest = state->argv + state->next - 1;

    state->next = state->argc;
    return rest;
}

double keel_subcommand_number(struct argp_state *state, const char *option, const char *word,
                              double low, double high, bool whole)
{
    double value = 0;

    if (!keel_number_real(word, &value) || !(value >= low && value <= high) ||
        (whole && value != floor(value))) {
        argp_error(state, "%s: '%s' is not a %snumber from %g to %g", option, word,
                   whole ? "whole " : "", low, high);
    }
    return value;
}
