/* The plugin's options. A message names the option as written and ends with the consequence; the
 * compilation continues. */
#include "omp_ext/plugin/plugin.h"

#include <diagnostic-core.h>
#include <spellcheck.h>

keel_plugin_options keel_options;

namespace {

struct keel_explicit_kind {
    const char *name;
    enum omp_clause_schedule_kind kind;
};

const keel_explicit_kind explicit_kinds[] = {
    {"static", OMP_CLAUSE_SCHEDULE_STATIC},
    {"dynamic", OMP_CLAUSE_SCHEDULE_DYNAMIC},
    {"guided", OMP_CLAUSE_SCHEDULE_GUIDED},
    {"auto", OMP_CLAUSE_SCHEDULE_AUTO},
};

/* Writes the names into `list`, separated by commas. */
void join_names(const auto_vec<const char *> &names, char *list, size_t size)
{
    size_t used = 0;

    list[0] = '\0';
    for (unsigned i = 0; i < names.length() && used < size; i++) {
        used += snprintf(list + used, size - used, "%s%s", i ? ", " : "", names[i]);
    }
}

void warn_unknown(const char *option, const char *what, const char *word,
                  const auto_vec<const char *> &valid)
{
    char list[128];

    if (const char *nearest = find_closest_string(word, &valid)) {
        warning(0, "keel: %s: %qs is not %s; did you mean %qs? It is ignored", option, word, what,
                nearest);
        return;
    }
    join_names(valid, list, sizeof list);
    warning(0, "keel: %s: %qs is not %s; expected one of %s. It is ignored", option, word, what,
            list);
}

void read_kind(const char *option, const char *word)
{
    auto_vec<const char *> valid;

    for (const keel_explicit_kind &known : explicit_kinds) {
        if (!strcmp(word, known.name)) {
            keel_options.explicit_mask |= 1u << known.kind;
            return;
        }
        valid.safe_push(known.name);
    }
    warn_unknown(option, "a schedule that can be changed", word, valid);
}

void read_kinds(const char *option, const char *value)
{
    char *words = xstrdup(value ? value : "");
    char *rest = words;

    if (!*words) {
        warning(0, "keel: %s: expected a list of schedules; none is changed", option);
    } else {
        while (char *word = strsep(&rest, ",")) {
            read_kind(option, word);
        }
    }
    free(words);
}

/* A switch is on by its presence; a value would suggest that `=0` turns it off. */
void read_switch(const char *option, const char *value, bool *on)
{
    *on = true;
    if (value) {
        warning(0, "keel: %s: takes no value; %qs is ignored and the option is on", option, value);
    }
}

const struct {
    const char *name;
    bool *on; /* a switch; nullptr: a list of kinds */
} option_table[] = {
    {"explicit", nullptr},
    {"nowait", &keel_options.nowait},
    {"target", &keel_options.target},
    {"verbose", &keel_options.verbose},
};

void read_argument(const char *option, const struct plugin_argument *argument)
{
    auto_vec<const char *> valid;

    for (const auto &known : option_table) {
        if (!strcmp(argument->key, known.name)) {
            if (known.on) {
                read_switch(option, argument->value, known.on);
            } else {
                read_kinds(option, argument->value);
            }
            return;
        }
        valid.safe_push(known.name);
    }
    warn_unknown(option, "an option of this plugin", argument->key, valid);
}

} // namespace

void keel_options_read(const plugin_name_args *plugin)
{
    for (int i = 0; i < plugin->argc; i++) {
        const struct plugin_argument *argument = &plugin->argv[i];
        char *option = concat("-fplugin-arg-", plugin->base_name, "-", argument->key, NULL);

        read_argument(option, argument);
        free(option);
    }
}
