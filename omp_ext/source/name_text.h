/* Function names as the compiler and the linker spell them, cut down to what a person would write
 * in a rule. Pure text, in place; used by function_names.c. */
#ifndef OMP_EXT_SOURCE_NAME_TEXT_H
#define OMP_EXT_SOURCE_NAME_TEXT_H

#include <stdbool.h>

/* Whether GCC made the function from the body of an OpenMP construct (`render._omp_fn.0`). */
bool keel_name_text_is_outlined(const char *name);

/* Cut off what GCC appends to a function it made from another: `._omp_fn.N`, `.constprop.N`,
 * `.isra.N`, `.part.N`, `.lto_priv.N`, `.cold`, and several of them. */
void keel_name_text_cut_suffix(char *name);

/* Cut off template arguments: `scale<double>` becomes `scale`; operators stay as they are. */
void keel_name_text_cut_template(char *name);

/* Reduce a demangled symbol to its qualified name: `T ns::image<T>::scale<U>(U, int) const`
 * becomes `ns::image::scale`, and unnamed namespaces disappear. */
void keel_name_text_cut_signature(char *name);

#endif
