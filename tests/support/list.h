/* For tables and lists of words in tests: as many elements are on a line as fit. */
#ifndef TESTS_SUPPORT_LIST_H
#define TESTS_SUPPORT_LIST_H

/* An initialiser in braces: a list, or a row of a table. */
#define LIST(...)   \
    {               \
        __VA_ARGS__ \
    }

#endif
