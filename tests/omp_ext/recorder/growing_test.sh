#!/bin/bash
# A region whose teams grow is counted once each time, and takes no longer than the program.
source tests/support/under_keel.sh

report=$TEST_TMPDIR/report.json
is "$(under_keel KEEL_REPORT="$report" KEEL_SCHEDULE=fac2 "$(program growing)" 2>&1)" 2640 'the program computes what it should'
said=$(perl -MJSON::PP -0777 -ne '
    my $process = decode_json($_)->{processes}[0];
    my ($region) = grep { $_->{kind} eq "region" } @{$process->{loop}};
    printf "%d times, %d threads, %s\n", $region->{instances}, $process->{threads},
        $region->{elapsed_s} <= $process->{elapsed_s} ? "within the run" : "longer than the run";
    my $threads = $process->{summary}{threads};
    print "$threads threads in the summary\n" if defined $threads;' "$report")
like "$said" '^40 times, 3 threads, within the run$' 'the region'
unlike "$said" '^[4-9] threads' 'no more threads than the largest team has'
done_testing
