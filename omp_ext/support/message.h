/* Messages to the person who runs the program. */
#ifndef OMP_EXT_SUPPORT_MESSAGE_H
#define OMP_EXT_SUPPORT_MESSAGE_H

/* Hands the text to the program's handler (message_handler.h); without one, writes "keel: ", the
 * text and a line end to standard error in one piece. At most 511 bytes are kept of that. Any
 * thread. */
__attribute__((format(printf, 1, 2))) void keel_message(const char *format, ...);

#endif
