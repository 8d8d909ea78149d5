/* What the command reads from its own environment. */
#ifndef OMP_EXT_SUPPORT_ENVIRONMENT_H
#define OMP_EXT_SUPPORT_ENVIRONMENT_H

/* The value of a variable; NULL where it is unset or empty, or
 * where the program has rights that its caller need not have (privilege.h). */
const char *keel_environment_value(const char *name);

#endif
