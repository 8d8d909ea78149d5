# What the command says of itself, as data: keel --help and keel SUBCOMMAND --help in lines that are not folded.
package help;

use strict;
use warnings;

# Output of the command. Its help and its tables are as wide as asked for.
sub ask
{
    my ($keel, @words) = @_;
    local $ENV{ARGP_HELP_FMT} = 'rmargin=5000';
    local $ENV{COLUMNS} = 1000;
    open(my $pipe, '-|', $keel, @words) or die "$keel: $!\n";
    my @lines = <$pipe>;
    close($pipe) or die "$keel @words fails\n";
    chomp @lines;
    return @lines;
}

# An option of a line of the help; undef: the line holds none.
sub option
{
    my ($line) = @_;
    return unless $line =~ /^  (?:(-\S)(?:, |  )|    )(--[^\s=\[]+)?(?:=(\S+))?(?:\s{2,}(.*))?$/;
    return unless defined $1 || defined $2;
    return {short => $1 // '', long => $2 // '', argument => $3 // '', text => $4 // ''};
}

# {usage, text, options, entries, notes}: `entries` are [name, summary] of subcommands, `notes` paragraphs.
sub read_help
{
    my ($keel, @words) = @_;
    my %help = (usage => [], text => [], options => [], entries => [], notes => []);
    my $part = 'text';
    for my $line (ask($keel, @words, '--help')) {
        if ($line =~ /^(?:Usage:|  or:)\s+(.*)$/) {
            push @{$help{usage}}, $1;
        } elsif ($line =~ /^Mandatory or optional arguments to long options/) {
            $part = 'notes';
        } elsif ($line =~ /^(?:Subcommands|Actions):$/) {
            $part = 'entries';
        } elsif ($part eq 'entries' && $line =~ /^  (\S+)\s+(.*)$/) {
            push @{$help{entries}}, [$1, $2];
        } elsif (my $option = option($line)) {
            push @{$help{options}}, $option;
            $part = 'options';
        } elsif ($part eq 'options' && $line =~ /^ {20,}(\S.*)$/) {
            $help{options}[-1]{text} = join ' ', grep { length } $help{options}[-1]{text}, $1;
        } elsif ($line =~ /\S/) {
            $part = 'notes' unless $part eq 'text';
            push @{$help{$part}}, $line;
        }
    }
    return \%help;
}

# {NAME => {help, summary, actions}} of all subcommands; `actions` are the same of those that have such.
sub subcommands
{
    my ($keel, @above) = @_;
    my %found;
    for my $entry (@{read_help($keel, @above)->{entries}}) {
        my ($name, $summary) = @$entry;
        my $help = read_help($keel, @above, $name);
        $found{$name} = {help => $help, summary => $summary, actions => {}};
        $found{$name}{actions} = subcommands($keel, @above, $name) if @{$help->{entries}};
    }
    return \%found;
}

1;
