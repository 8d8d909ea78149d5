#!/bin/bash
# Each iteration of a loop under libkeel.so is executed exactly once, under every schedule and with several team sizes,
# nightly each with each.
source tests/support/under_keel.sh

passes iteration_spaces
passes loop_forms
done_testing
