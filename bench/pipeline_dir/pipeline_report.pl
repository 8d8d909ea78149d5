#!/usr/bin/perl
# Reads the output of timed_sweeps.c from standard input, after the latency of simulated ones in us or "-", and compares the
# blocks that were chosen with the best ones of a fixed size. Of simulated sweeps, the second half.
use strict;
use warnings;
use lib 'bench/support';
use Report;

my $bar = 1.05; # chosen over best

my @samples = grep { $_->{round} > 0 } samples('pipeline_dir/timed_sweeps writes',
    qw(latency ranks mode size ms later block round));
for (@samples) {
    my $simulated = $_->{latency} ne '-';
    $_->{sweep} = $simulated ? $_->{later} : $_->{ms};
    $_->{case} = "$_->{ranks} " . ($simulated ? "workers, $_->{latency} us" : 'ranks') . ", $_->{mode}";
}

sub median_of
{
    my ($field, $case, $size) = @_;
    return median(map { $_->{$field} } grep { $_->{case} eq $case && $_->{size} eq $size } @samples);
}

heading('sweeps', 'chosen block', 'ms', 'best block', 'ms', 'ratio', 'bar');
for my $case (unique(map { $_->{case} } @samples)) {
    my @sizes = sort { $a <=> $b } unique(map { $_->{size} } grep { $_->{case} eq $case } @samples);
    my %ms = map { $_ => median_of('sweep', $case, $_) } @sizes;
    my ($best) = sort { $ms{$a} <=> $ms{$b} } grep { $_ ne '0' && defined $ms{$_} } @sizes;
    my $chosen = median_of('block', $case, '0');
    my $ratio = over($ms{0}, $ms{$best // ''});
    row($case, at('%.0f', $chosen), at('%.4f', $ms{0}), at('%.0f', $best), at('%.4f', $ms{$best // ''}),
        at('%.3f', $ratio), bar('%.2f', $ratio, $bar));
}
table();
bars();
