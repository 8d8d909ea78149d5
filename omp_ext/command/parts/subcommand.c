/* Words on the command lines of subcommands. */
#include "omp_ext/command/parts/subcommand.h"

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
