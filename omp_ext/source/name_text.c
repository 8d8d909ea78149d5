/* Function names cut down to what a person would write. See name_text.h. */
#include "omp_ext/source/name_text.h"

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

static bool is_unnamed_scope(const char *text)
{
    return strncmp(text, "(anonymous namespace)::", 23) == 0 || strncmp(text, "{lambda(", 8) == 0;
}

/* The length of what is copied from `text`, and of what is read: the two differ for groups. */
static size_t copy_step(const char *begin, const char *out, const char *text, size_t *read)
{
    if (ends_in_operator(begin, out) && strncmp(text, "()", 2) == 0) {
        return *read = 2;
    }
    if (strchr("(<[{", *text) != NULL && !ends_in_operator(begin, out)) {
        *read = group_length(text);
        if (is_unnamed_scope(text) && strncmp(text + *read, "::", 2) == 0) {
            *read += 2;
        }
        return 0;
    }
    return *read = 1;
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

void keel_name_text_cut_signature(char *name)
{
    const char *in = name;
    char *out = name;
    char *parameters = NULL;

    while (*in != '\0') {
        size_t read;
        size_t copied = copy_step(name, out, in, &read);

        if (copied == 0 && *in == '(' && !is_unnamed_scope(in)) {
            parameters = out;
        }
        memmove(out, in, copied);
        out += copied;
        in += read;
    }
    *out = '\0';
    keep_name_word(name, parameters);
}
