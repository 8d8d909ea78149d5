#!/usr/bin/perl
# Adds up the outcomes that try.sh recorded, as TAP comments. Last in the flow of run.
#
# Input lines: VARIANT <tab> SCHEDULE or - <tab> OUTCOME <tab> TEST
use strict;
use warnings;

my @build_outcomes = qw(built broken taken passed idle);
my @run_outcomes = qw(same excluded libgomp unsteady differ);
my (@variants, @schedules, %seen, %count, %tests);

while (<>) {
    chomp;
    my ($variant, $schedule, $outcome, $test) = split /\t/;
    push @variants, $variant unless $seen{variant}{$variant}++;
    push @schedules, $schedule unless $schedule eq '-' || $seen{schedule}{$schedule}++;
    $count{$variant}{$schedule}{$outcome}++;
    push @{$tests{$outcome}}, $test;
}

print "#\n# Builds: 'taken' binaries call an entry point through which loops come to Keel, 'passed' ones only\n",
    "# such as Keel passes on (doacross), 'idle' ones none.\n";
row('variant', @build_outcomes);
for my $variant (@variants) {
    row($variant, map { $count{$variant}{'-'}{$_} || 0 } @build_outcomes);
}

print "#\n# Runs: 'libgomp' differs without Keel too, under another OMP_SCHEDULE; 'unsteady' between plain runs.\n";
row('variant', 'schedule', 'run', @run_outcomes);
for my $variant (@variants) {
    for my $schedule (grep { $count{$variant}{$_} } sort @schedules) {
        my @numbers = map { $count{$variant}{$schedule}{$_} || 0 } @run_outcomes;
        my $sum = 0;
        $sum += $_ for @numbers;
        row($variant, $schedule, $sum, @numbers);
    }
}
list('do not build without Keel', 'unbuilt');
list('fail without Keel', 'fails');
list('differ', 'differ');
list('build only without the plugin', 'broken');

sub row
{
    my ($first, @cells) = @_;
    print '# ', sprintf('%-10s', $first), (map { sprintf '%10s', $_ } @cells), "\n";
}

sub list
{
    my ($title, $outcome) = @_;
    my %unique = map { $_ => 1 } @{$tests{$outcome} || []};
    return unless %unique;
    print "#\n# Tests that $title: ", scalar(keys %unique), "\n";
    print "#   $_\n" for sort keys %unique;
}
