#!/usr/bin/perl
# Compares the members of a report's JSON with the table in a README: members.pl README JSON. Prints what differs.
use strict;
use warnings;
use JSON::PP;

my ($readme, $json) = map { local (@ARGV, $/) = $_; <> } @ARGV;

my %written;
sub collect
{
    my ($name, $value) = @_;
    if (ref $value eq 'ARRAY') {
        collect($name, $_) for @$value;
    } elsif (ref $value eq 'HASH') {
        for my $member (keys %$value) {
            $written{$name}{$member} = 1;
            collect($member, $value->{$member});
        }
    }
}
collect('document', decode_json($json));
delete @{$written{hosts}}{grep { $_ ne 'host' } keys %{$written{summary}}};

my ($section) = $readme =~ /^### The report as JSON\n(.*?)(?=^##)/ms or die "no section\n";
my %told;
while ($section =~ /^\| `(\w+)` \| (.*) \|$/mg) {
    my ($name, $members) = ($1, $2);
    $told{$name} = {map { $_ => 1 } $members =~ /`(\w+)`/g};
}

for my $name (sort keys %{{%written, %told}}) {
    my %all = (%{$written{$name} // {}}, %{$told{$name} // {}});
    for my $member (sort keys %all) {
        print "$name: $member is not in the README\n" unless $told{$name}{$member};
        print "$name: $member is not written\n" unless $written{$name}{$member};
    }
}
