#!/usr/bin/perl
# Compares a report in JSON with the program's own measurements, see measured.c. Prints the result, or all differences.
#
#   compared.pl REPORT.json LINES
use strict;
use warnings;
use JSON::PP;

use constant SLACK => 0.01; # of a rate of ticks that was measured while the program ran

my ($report, $lines) = map { local (@ARGV, $/) = $_; <> } @ARGV;
my $loops = decode_json($report)->{processes}[0]{loop};

sub all { my ($thread) = @_; return $thread->{busy_s} + $thread->{waited_s} + $thread->{claiming_s} }

# The last one: the part after a region's last barrier comes right after the region.
sub find
{
    my ($kind, $function) = @_;
    return (grep { $_->{kind} eq $kind && $_->{function} eq $function } @$loops)[-1];
}

# A thread that is interrupted after its region's last loop is not in the loop then. Neither is its wait, if its work
# there lasts long enough to be a part of the region.
sub behind
{
    my ($loop, $number) = @_;
    my $part = find('part', $loop->{function});
    my $waited_s = $part ? $part->{thread}[$number]{waited_s} : 0;
    return $loops->[$loop->{region}]{thread}[$number]{busy_s} - $loop->{thread}[$number]{busy_s} + $waited_s;
}

my $agrees = $lines ne '';

for (split /\n/, $lines) {
    my ($kind, $function, $instances, $iterations, $threads, $least, $most, @times) = split ' ';
    my $loop = find($kind eq 'last' ? 'loop' : $kind, $function);
    my $wrong = sub { $agrees = 0; print "$function: ", @_, "\n" };
    $wrong->("no $kind is there"), next if !$loop;
    my $counted = 0;
    $counted += $_->{iterations} for @{$loop->{thread}};
    $wrong->("$loop->{instances} instances") if $loop->{instances} != $instances;
    $wrong->("$loop->{iterations} iterations, of threads $counted")
        if $loop->{iterations} != $iterations || $counted != $iterations;
    $wrong->("$loop->{threads} threads") if $loop->{threads} != $threads;
    $wrong->("lasts $loop->{elapsed_s} s, at least $least") if $loop->{elapsed_s} < $least * (1 - SLACK);
    $wrong->("lasts $loop->{elapsed_s} s, at most $most") if $most >= 0 && $loop->{elapsed_s} > $most * (1 + SLACK);
    for my $i (0 .. $threads - 1) {
        my ($busy, $span) = splice @times, 0, 2;
        my $thread = $loop->{thread}[$i] // next;
        my $more = $kind eq 'last' ? behind($loop, $i) : 0;
        my $computes = $thread->{busy_s} + $thread->{claiming_s};
        $wrong->("thread $i computes for $computes s, at least $busy") if $computes < $busy * (1 - SLACK);
        $wrong->("thread $i: ", all($thread), " s in all and $more behind it, at least $span")
            if all($thread) + $more < $span * (1 - SLACK);
        $wrong->("thread $i: ", all($thread), " s in all, of $loop->{elapsed_s}")
            if all($thread) > $loop->{elapsed_s} * (1 + 1e-9);
    }
}
print "agrees\n" if $agrees;
