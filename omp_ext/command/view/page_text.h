/* The page of `keel view` around the data of a trace, made of page/ by embed.pl. */
#ifndef OMP_EXT_COMMAND_VIEW_PAGE_TEXT_H
#define OMP_EXT_COMMAND_VIEW_PAGE_TEXT_H

#include <stddef.h>

extern const char keel_page_before[], keel_page_after[];
extern const size_t keel_page_before_length, keel_page_after_length; /* without the 0 at the end */

#endif
