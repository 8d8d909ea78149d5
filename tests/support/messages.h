/* Keel's messages, for tests linked with --wrap=keel_message: the linker sends them here. */
#ifndef TESTS_SUPPORT_MESSAGES_H
#define TESTS_SUPPORT_MESSAGES_H

struct messages {
    unsigned count;
    char last[512];
};

/* Those since the test began, or since it has cleared them. */
extern struct messages messages;

#endif
