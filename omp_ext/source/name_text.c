/* Function names cut down to what a person would write. See source_inside.h. */
#include "omp_ext/source/source_inside.h"

#include <string.h>

bool keel_name_text_is_outlined(const char *name)
{
    return strstr(name, "._omp_fn.") != NULL;
}

void keel_name_text_cut_suffix(char *name)
{
    /* No language that GCC compiles with OpenMP has a '.' in a symbol; a leading one stays. */
    char *dot = *name == '\0' ? NULL : strchr(name + 1, '.');

    if (dot != NULL) {
        *dot = '\0';
    }
}

void keel_name_text_cut_template(char *name)
{
    if (strncmp(name, "operator", 8) != 0) {
        name[strcspn(name, "<")] = '\0';
    }
}

/* Length of the bracketed group at `text`, with its brackets; to the end if it is not closed. */
static size_t group_length(const char *text)
{
    size_t i = 0;
    int depth = 0;

    do {
        if (strchr("(<[{", text[i]) != NULL) {
            depth++;
        } else if (strchr(")>]}", text[i]) != NULL) {
            depth--;
        }
        i++;
    } while (depth > 0 && text[i] != '\0');
    return i;
}

static bool ends_in_operator(const char *begin, const char *end)
{
    return end - begin >= 8 && memcmp(end - 8, "operator", 8) == 0;
}

/* The name is the last word that no group holds; the return type of a template stands before it,
 * qualifiers such as ` const` after its parameters. */
static void keep_name_word(char *name, char *parameters)
{
    char *space;

    if (parameters != NULL) {
        *parameters = '\0';
    }
    space = strrchr(name, ' ');
    if (space != NULL && !ends_in_operator(name, space)) {
        memmove(name, space + 1, strlen(space + 1) + 1);
    }
}

/* A group that does not follow a name is a scope without one: "(anonymous namespace)::". */
void keel_name_text_cut_signature(char *name)
{
    const char *in = name;
    char *out = name, *parameters = NULL;

    while (*in != '\0') {
        bool scope = out == name || out[-1] == ':' || out[-1] == ' ';
        if (strchr("(<[{", *in) != NULL && !ends_in_operator(name, out)) {
            parameters = *in == '(' && !scope ? out : parameters;
            in += group_length(in);
            in += scope && strncmp(in, "::", 2) == 0 ? 2 : 0;
        } else {
            size_t length = strncmp(in, "()", 2) == 0 ? 2 : 1; /* of operator() */
            memmove(out, in, length);
            out += length;
            in += length;
        }
    }
    *out = '\0';
    keep_name_word(name, parameters);
}
