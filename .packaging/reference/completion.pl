#!/usr/bin/perl
# Makes completions of the command for shells from its own help:  completion.pl bash|zsh KEEL
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use help;

my ($shell, $keel) = @ARGV;
my $commands = help::subcommands($keel);
my @names = map { $_->[0] } @{help::read_help($keel)->{entries}};
my @schedules = help::ask($keel, 'list', '--names');

# What follows an option or a subcommand: schedules, files, programs or anything.
sub kind_of
{
    my ($argument) = @_;
    return 'schedules' if $argument =~ /^SPEC$/;
    return 'folders' if $argument =~ /^FOLDER/;
    return 'files' if $argument =~ /^(?:FILE|TRACE)/;
    return 'programs' if $argument =~ /^PROGRAM/;
    return 'schedules' if $argument =~ /^NAME\.\.\./;
    return 'nothing';
}

# The kind of a subcommand's first word that is not an option.
sub words_of
{
    my ($help) = @_;
    return $help->{usage}[0] =~ /\] (?:\[--\] )?\[?([A-Z]+(?:\.\.\.)?)/ ? kind_of($1) : 'nothing';
}

# Its options, and those of its actions.
sub options_of
{
    my ($command) = @_;
    my %seen;
    return grep { !$seen{$_->{short} . $_->{long}}++ } @{$command->{help}{options}},
        map { @{$_->{help}{options}} } map { $command->{actions}{$_} } sort keys %{$command->{actions}};
}

sub bash_kind
{
    my ($kind) = @_;
    return {
        schedules => 'COMPREPLY=($(compgen -W "$schedules" -- "$word"))',
        files => 'COMPREPLY=($(compgen -f -- "$word"))',
        folders => 'COMPREPLY=($(compgen -d -- "$word"))',
        programs => 'COMPREPLY=($(compgen -c -f -- "$word"))',
        nothing => 'COMPREPLY=()',
    }->{$kind};
}

sub bash_case
{
    my ($name) = @_;
    my $command = $commands->{$name};
    my @options = options_of($command);
    my @actions = sort keys %{$command->{actions}};
    my $text = "    $name)\n        case \$before in\n";
    for my $option (grep { $_->{argument} } @options) {
        my $forms = join ' | ', grep { length } $option->{short}, $option->{long};
        $text .= "        $forms) " . bash_kind(kind_of($option->{argument})) . "; return ;;\n";
    }
    $text .= "        esac\n        if [[ \$word = -* ]]; then\n            COMPREPLY=(\$(compgen -W '" .
        join(' ', map { $_->{long} . ($_->{argument} ? '=' : '') } grep { $_->{long} } @options) . "' -- \"\$word\"))\n        else\n            " .
        (@actions ? "COMPREPLY=(\$(compgen -W '@actions' -- \"\$word\"))" : bash_kind(words_of($command->{help}))) . "\n        fi\n        ;;\n";
    return $text;
}

sub bash
{
    my $cases = join '', map { bash_case($_) } @names;
    return <<"END";
# Completion of keel for bash. Made from what the command says of itself.
_keel()
{
    local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} place
    local schedules='@schedules'

    if [ "\$COMP_CWORD" = 1 ]; then
        COMPREPLY=(\$(compgen -W '@names --help --usage --version' -- "\$word"))
        return
    fi
    # What is given as --option=WORD comes in three pieces.
    if [ "\$word" = = ]; then
        word=
    elif [ "\$before" = = ]; then
        before=\${COMP_WORDS[COMP_CWORD - 2]}
    fi
    # The words of a program that is run are its own.
    case \${COMP_WORDS[1]} in
    run | report | compare | check)
        for ((place = 2; place < COMP_CWORD; place++)); do
            if [[ \${COMP_WORDS[place]} = -- || \${COMP_WORDS[place]} = */* ]]; then
                COMPREPLY=(\$(compgen -f -- "\$word"))
                return
            fi
        done
        ;;
    esac
    case \${COMP_WORDS[1]} in
$cases    esac
}
complete -o filenames -F _keel keel
END
}

# A word between single quotes, as _arguments and _describe read it.
sub zsh_word
{
    my ($text) = @_;
    $text =~ s/[`'"]//g;
    $text =~ s/([\[\]:\\])/\\$1/g;
    return $text;
}

sub zsh_kind
{
    return {schedules => '_keel_schedules', files => '_files', folders => '_files -/', programs => '_command_names', nothing => ' '}->{$_[0]};
}

sub zsh_case
{
    my ($name) = @_;
    my $command = $commands->{$name};
    my @lines;
    for my $option (options_of($command)) {
        for my $form (grep { length } $option->{short}, $option->{long}) {
            my $assigned = $option->{argument} ? ($form =~ /^--/ ? '=' : '+') : '';
            my $argument = $option->{argument} ? ':' . zsh_word($option->{argument}) . ':' . zsh_kind(kind_of($option->{argument})) : '';
            push @lines, "'" . ($form eq '-?' ? '-\\?' : $form) . $assigned . '[' . zsh_word($option->{text}) . "]$argument'";
        }
    }
    my $kind = words_of($command->{help});
    my @actions = sort keys %{$command->{actions}};
    push @lines, @actions ? "'1:action:(@actions)'" : $kind eq 'programs' ? "'*::program: _normal'" : "'*:word:" . zsh_kind($kind) . "'";
    return "    $name)\n        _arguments \\\n            " . join(" \\\n            ", @lines) . "\n        ;;\n";
}

sub zsh
{
    my $described = join "\n", map { "        '$_:" . zsh_word($commands->{$_}{summary}) . "'" } @names;
    my $cases = join '', map { zsh_case($_) } @names;
    return <<"END";
#compdef keel
# Completion of keel for zsh. Made from what the command says of itself.

_keel_schedules()
{
    compadd @schedules
}

_keel()
{
    local -a subcommands=(
$described
    )
    if ((CURRENT == 2)); then
        _describe subcommand subcommands
        return
    fi
    local subcommand=\$words[2]
    shift words
    ((CURRENT--))
    case \$subcommand in
$cases    esac
}

_keel "\$@"
END
}

print $shell eq 'zsh' ? zsh() : bash();
