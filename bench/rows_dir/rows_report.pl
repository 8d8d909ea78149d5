#!/usr/bin/perl
# Reads the samples of bench/rows from standard input and prints medians over rounds: a table
# for each part. Bars are limits that Keel has to keep. A line for each job:
#
#   kind   case            variant
#   calls  an application  off, on: without balancing and with it
#   load   an application  serial, off, on, loaded off, loaded on
#
# Times are of the main loop; competing: CPU time of the competing load meanwhile, in s.
# Efficiency is S1 of PAPERS.md, t_sequential / (P t - competing), with P = 2 ranks on two cores
# and t_sequential of the same round.
use strict;
use warnings;
use lib 'bench/support';
use Report;

my $ranks = 2;
my $calls_bar = 1.005;  # time with balancing over time without
my $load_points = 0.03; # efficiency beside a load below that without it

my @samples = samples('bench/rows collects', qw(kind case variant round time movements decision_s competing));
for my $sample (@samples) {
    my $serial = first {
        $_->{round} == $sample->{round} && $_->{kind} eq $sample->{kind} && $_->{case} eq $sample->{case} &&
            $_->{variant} eq 'serial'
    } @samples;
    $sample->{efficiency} = over($serial->{time}, $ranks * $sample->{time} - $sample->{competing}) if $serial;
    $sample->{deciding} = 100 * $sample->{decision_s} / $sample->{time};
}

sub median_of
{
    my ($kind, $case, $variant, $field) = @_;
    return median(map { $_->{$field} } selected(\@samples, $kind, $case, $variant));
}

# The times with balancing over those without, of runs that followed each other.
sub calls_ratios
{
    my ($case) = @_;
    my (@ratios, %last);
    for my $sample (selected(\@samples, 'calls', $case)) {
        $last{$sample->{variant}} = $sample->{time};
        if (defined $last{off} && defined $last{on}) {
            push @ratios, $last{on} / $last{off};
            %last = ();
        }
    }
    return @ratios;
}

sub print_calls
{
    my @cases = cases_of(\@samples, 'calls') or return;
    print "\nBalance calls on a dedicated machine: time with balancing over time without\n";
    heading('application', 'off, s', 'on, s', 'ratio', 'lower quartile', 'upper quartile', 'deciding, %', 'bar');
    for my $case (@cases) {
        my @ratios = calls_ratios($case);
        row($case, (map { at('%.3f', median_of('calls', $case, $_, 'time')) } 'off', 'on'),
            (map { at('%.4f', quantile($_, @ratios)) } 0.5, 0.25, 0.75),
            at('%.3f', median_of('calls', $case, 'on', 'deciding')), bar('%.3f', median(@ratios), $calls_bar));
    }
    table();
    print "Median and quartiles of the ratios of runs that followed each other. Deciding: by Keel's own\nmeasurement.\n";
}

sub print_load
{
    my @cases = cases_of(\@samples, 'load') or return;
    print "\nA constant competing load on one of two cores\n";
    heading('application', 'dedicated, off', 'dedicated', 'loaded, off', 'loaded', 'movements', 'bar');
    for my $case (@cases) {
        my %of = map { $_ => median_of('load', $case, $_, 'efficiency') } 'off', 'on', 'loaded off', 'loaded on';
        # the limit below the dedicated run
        my $below = defined $of{on} && defined $of{'loaded on'} ? $of{on} - $load_points : undef;
        row($case, (map { at('%.3f', $of{$_}) } 'off', 'on', 'loaded off', 'loaded on'),
            at('%.1f', median_of('load', $case, 'loaded on', 'movements')), least('%.3f', $of{'loaded on'}, $below));
    }
    table();
    print "Efficiency: time of one rank alone over what the two cores had left for the job. Off: without\n",
        "balancing. The bar is three points below the dedicated run.\n";
}

print_calls();
print_load();
bars();
