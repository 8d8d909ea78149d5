#!/usr/bin/perl
# Writes a Fortran module for a C interface: fortran_module.pl TEMPLATE HEADER...
#
# What stands in the C headers alone (constants, structures, prototypes) is taken from there, so that it cannot differ;
# procedures that exist for several kinds of arguments stand in the template once. Lines of the template that begin
# with !@ are replaced:
#
#   !@include FILE           another template, beside this one
#   !@public                 `public` for the generic names below, and for procedures whose names begin with keel_
#   !@constants              the enumerators, and whole numbers of #define, as parameters in small letters
#   !@type STRUCT NAME       a structure as a type with bind(c); its component `struct_size` is the module's own
#   !@c FUNCTION...          interfaces of C functions; keel_mpi_rows_list() and keel_mpi_f_rows_list() as c_rows_list
#   !@generics               the generic interfaces of what follows, with the comments before !@generic and !@external
#   !@generic NAME [SET...]  up to !@end: procedures of a generic name, once for each element of the product of the sets
#   !@external NAME [SET...] the same for C functions that the program calls without a procedure in between
#
# A set gives meanings to words in braces, see %sets; {n} makes the procedures' names different.
use strict;
use warnings;

my %sets = (
    HANDLE => [
        {comm => 'integer(c_int)', datatype => 'integer', op => 'integer', value => ''},
        {
            comm => 'type(MPI_Comm)',
            datatype => 'type(MPI_Datatype)',
            op => 'type(MPI_Op)',
            value => '%MPI_VAL',
        },
    ],
    INT => [{int => 'int32', kind => 'c_int', suffix => ''}, {int => 'int64', kind => 'c_int64_t', suffix => '_long'}],
    ELEMENT => [
        {element => 'real(real32)', bytes => 4},
        {element => 'real(real64)', bytes => 8},
        {element => 'integer(int32)', bytes => 4},
        {element => 'integer(int64)', bytes => 8},
    ],
);

# Arguments by value, and what pointers to them point to.
my %types = (
    'char' => 'character(kind=c_char)',
    'double' => 'real(c_double)',
    'int' => 'integer(c_int)',
    'MPI_Fint' => 'integer(c_int)',
    'int64_t' => 'integer(c_int64_t)',
    'size_t' => 'integer(c_size_t)',
    'uint64_t' => 'integer(c_int64_t)',
    'unsigned' => 'integer(c_int)',
);

my ($template, @headers) = @ARGV;

sub text_of
{
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    local $/;
    return <$in>;
}

my $declarations = join '', map { text_of($_) } @headers;
my $code = $declarations =~ s{/\*.*?\*/}{ }gsr =~ s{\\\n}{ }gr;

sub plain { my ($comment) = @_; return $comment =~ s/\s*\n\s*\*?\s*/ /gr =~ s/^\s+|\s+$//gr }

# --- constants ---

sub parameter
{
    my ($name, $value, $comment) = @_;
    my $line = "  integer, parameter, public :: " . lc($name) . " = $value";
    my $noted = "$line ! $comment";
    return "$line\n" if $comment eq '';
    return length $noted <= 120 ? "$noted\n" : '  ! ' . lc($name) . ": $comment\n$line\n";
}

sub constants
{
    my $text = '';
    while ($declarations =~ /^#define (KEEL_\w+) (\d+)(?: +\/\*(.*?)\*\/)?$/gm) {
        $text .= parameter($1, $2, plain($3 // ''));
    }
    while ($declarations =~ /^enum \{\n(.*?)^\};/gms) {
        my $list = $1;
        while ($list =~ m{^\s*(KEEL_\w+) = (\d+),?(?:\s*/\*(.*?)\*/)?}gms) {
            $text .= parameter($1, $2, plain($3 // ''));
        }
    }
    die "$template: no constants in @headers\n" if $text eq '';
    return $text;
}

# --- structures ---

my %type_of; # Fortran's name of a structure

sub component
{
    my ($type, $names, $comment) = @_;
    my $fortran = $types{$type} // die "$template: no type for '$type $names'\n";
    my $private = $names eq 'struct_size' ? ', private' : '';
    my @lines = map { "    $fortran$private :: $_ = 0" } split /,\s*/, $names;
    $lines[0] .= " ! $comment" if $comment ne '' && $private eq '';
    return join '', map { "$_\n" } @lines;
}

sub structure
{
    my ($struct, $name) = @_;
    my ($list) = $declarations =~ /^struct \Q$struct\E \{\n(.*?)^\};/ms or die "no struct $struct\n";
    $type_of{$struct} = $name;
    my $text = "  type, bind(c), public :: $name\n";
    while ($list =~ m{^\s*(\w+) ([\w, ]+);(?:\s*/\*(.*?)\*/)?}gms) {
        $text .= component($1, $2, plain($3 // ''));
    }
    return "$text  end type $name\n";
}

# --- C functions ---

sub split_arguments
{
    my ($list) = @_;
    my ($depth, @found) = (0, '');
    for my $letter (split //, $list =~ s/\s+/ /gr) {
        $depth += ($letter eq '(') - ($letter eq ')');
        if ($letter eq ',' && $depth == 0) {
            push @found, '';
        } else {
            $found[-1] .= $letter;
        }
    }
    return map { s/^ | $//gr } @found;
}

# (name, declaration) of an argument.
sub argument
{
    my ($text) = @_;
    return ($1, 'type(c_funptr), value') if $text =~ /\(\*(\w+)\)\(/;
    my ($type, $stars, $name) = $text =~ /^(.*?) ?(\**)(\w+)$/ or die "$template: '$text' is no argument\n";
    my $constant = $type =~ s/^const //;
    return ($name, 'type(c_ptr), intent(inout)') if $stars eq '**';
    if ($type =~ /^struct (\w+)$/) {
        return ($name, $type_of{$1} ? "type($type_of{$1}), intent(inout)" : 'type(c_ptr), value');
    }
    return ($name, 'type(c_ptr), value') if $type eq 'void' || ($type eq 'char' && $constant);
    my $fortran = $types{$type} // die "$template: no type for '$text'\n";
    return ($name, "$fortran, value") if $stars eq '';
    return ("$name(*)", "$fortran, intent(inout)") if $type eq 'char';
    return $constant ? ("$name(*)", "$fortran, intent(in)") : ($name, "$fortran, intent(inout)");
}

sub c_function
{
    my ($function) = @_;
    my ($result, $list) = $code =~ /^[ \t]*(?:KEEL_MPI_PUBLIC\s+)?((?:const )?\w+[ \n\*]+)\Q$function\E\(([^;{]*)\);/m
        or die "$template: no prototype of $function\n";
    my $name = $function =~ s/^keel_(mpi_)?(f_)?/c_/r;
    my @arguments = map { [argument($_)] } grep { $_ ne 'void' } split_arguments($list);
    my $dummies = join ', ', map { $_->[0] =~ s/\(\*\)//r } @arguments;
    my $kind = $result =~ /^void\s*$/ ? 'subroutine' : 'function';
    my $text = "    $kind $name($dummies) &\n      bind(c, name='$function')";
    $text .= ' result(outcome)' if $kind eq 'function';
    $text .= "\n      import\n";
    $text .= "      $_->[1] :: $_->[0]\n" for @arguments;
    $text .= '      ' . ($result =~ /\*/ ? 'type(c_ptr)' : $types{$result =~ s/\s//gr}) . " :: outcome\n"
        if $kind eq 'function';
    return "$text    end $kind $name\n";
}

# --- generic names ---

sub product
{
    my (@names) = @_;
    my @combinations = ({});
    for my $name (@names) {
        my $set = $sets{$name} // die "$template: no set '$name'\n";
        @combinations = map { my $begun = $_; map { {%$begun, %$_} } @$set } @combinations;
    }
    return @combinations;
}

my (@generics, %comment, %procedures, %bodies, %count);

# The block for each combination. Several blocks may give procedures to one name.
sub expand
{
    my ($name, $comment, $sets, $block) = @_;
    push @generics, $name if !defined $count{$name};
    $comment{$name} .= $comment;
    my $text = '';
    for my $combination (product(@$sets)) {
        my $number = ++$count{$name};
        my $one = $block =~ s/\{n\}/_$number/gr;
        $one =~ s/\{(\w+)\}/$combination->{$1} \/\/ die "$template: no {$1} for $name\n"/ge;
        $text .= "\n" if $text ne '';
        $text .= $one;
    }
    return $text;
}

sub names_of { my ($text) = @_; return $text =~ /^ *(?:subroutine|function) (\w+)/gm }

my $source = text_of($template);
my $folder = $template =~ s{[^/]*$}{}r;
$source =~ s{^!\@include (\S+)\n}{text_of("$folder$1")}gme;

# Comments go with the interfaces; procedures stay where they are.
$source =~ s{((?:^ *!(?!\@)[^\n]*\n)*)^!\@(generic|external) (\w+)([ \w]*)\n(.*?)^!\@end\n}{
    my ($comment, $kind, $name, $sets, $block) = ($1, $2, $3, [split ' ', $4], $5);
    my $text = expand($name, $comment, $sets, $block);
    if ($kind eq 'external') {
        $bodies{$name} .= $text;
        '';
    } else {
        push @{$procedures{$name}}, names_of($text);
        $text;
    }
}gmse;

$source =~ s{\n{3,}}{\n\n}g;

sub generic_interfaces
{
    my $text = '';
    for my $name (@generics) {
        $text .= "\n" if $text ne '';
        $text .= "$comment{$name}  interface $name\n" . ($bodies{$name} // '');
        $text .= '    procedure ' . join(', &' . "\n      ", @{$procedures{$name}}) . "\n" if $procedures{$name};
        $text .= "  end interface $name\n";
    }
    return $text;
}

sub public
{
    my %seen;
    my @names = grep { !$seen{$_}++ } @generics, grep { /^keel_/ } names_of($source);
    return '  public :: ' . join(", &\n    ", @names) . "\n";
}

print "! Made from ", join(' and ', map { s{.*/}{}r } $template, @headers), " by fortran_module.pl.\n";
for my $line (split /^/, $source) {
    if ($line =~ /^!\@public$/) {
        print public();
    } elsif ($line =~ /^!\@constants$/) {
        print constants();
    } elsif ($line =~ /^!\@type (\w+) (\w+)$/) {
        print structure($1, $2);
    } elsif ($line =~ /^!\@c (.+)$/) {
        print join "\n", map { c_function($_) } split ' ', $1;
    } elsif ($line =~ /^!\@generics$/) {
        print generic_interfaces();
    } elsif ($line =~ /^!\@/) {
        die "$template: $line";
    } else {
        print $line;
    }
}
