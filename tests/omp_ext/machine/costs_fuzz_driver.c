/* Feeds costs_fuzz with files of costs, as they are measured and as people write them. */
#include "tests/fuzz/driver.h"

static const char *const seeds[] = {
    "# Costs of this machine, by `keel model calibrate`\n"
    "message_startup = 1.2e-06 # s, an empty message\n"
    "message_byte = 2.1e-10 # s/B, each byte of a message\n"
    "poll = 1e-07\ncontext_switch = 0.000002\n",
    "claim_step=3e-8\nclaim_own =4e-9\n claim_weighted= 0\n\n#\nclaim_timed = 1000\n",
    "pack_row = 1e-7\npack_byte = 2e-10\nunpack_row = 1e-7\nunpack_byte = 2e-10",
    "interaction = 1001\nclaim_start = -1\nclaim_stat = 1\npoll = soon\npoll\n= 3\n",
};

static const char *const pieces[] = {
    "",
    "\n",
    "=",
    " = ",
    "#",
    "poll",
    "message_startup",
    "claim_start",
    "1e-7",
    "0",
    "1e3",
    "-1",
    "1e",
    "nan",
    "inf",
    "0x1p4",
    "1e999",
    "1e-999",
    ".",
    "1,5",
    "1000.1",
    "\t",
    "\r\n",
    "  ",
    "_",
    "1 2",
    "%s%n",
};

int main(int count, char **arguments)
{
    static const struct fuzz_texts texts = {
        .seeds = seeds,
        .seed_count = sizeof seeds / sizeof seeds[0],
        .pieces = pieces,
        .piece_count = sizeof pieces / sizeof pieces[0],
        .separators = " =\n#",
        .text_max = 2048,
        .edits_max = 8,
    };

    return fuzz_drive(&texts, count, arguments);
}
