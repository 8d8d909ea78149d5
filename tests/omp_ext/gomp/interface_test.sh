#!/bin/bash
# keel_set_schedule, keel_get_schedule, keel_set_costs, keel_problem and keel_version do what keel.h says.
source tests/support/under_keel.sh

passes interface
KEEL_SCHEDULE=gss passes interface overruled
done_testing
