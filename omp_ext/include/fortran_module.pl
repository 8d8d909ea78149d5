#!/usr/bin/perl
# Writes a Fortran module for a C interface: fortran_module.pl TEMPLATE HEADER...
#
# What is in the C headers alone (constants, structures, prototypes) is taken from there, so that it cannot differ,
# and the prototypes of a source from its functions; procedures that exist for several kinds of arguments are in the
# template once. Lines of the template that begin with !@ are replaced:
#
#   !@include FILE           another template, beside this one
#   !@public                 `public` for the generic names below, and for procedures whose names begin with keel_
#   !@constants              the enumerators, and whole numbers of #define, as parameters in small letters
#   !@type STRUCT NAME       a structure as a type with bind(c); its component `struct_size` is the module's own
#   !@c                      interfaces of the C functions that are called; keel_mpi_rows_list() and
#                            keel_mpi_f_rows_list() as c_rows_list
#   !@callback NAME IN MEMBER  the interface NAME of procedures for the member of a structure, or the argument of a
#                            function, IN; or for the type of that name
#   !@call FUNCTION [ARGUMENT]  a procedure that passes its arguments on to a C function and gives `ierr` its code;
#                            ARGUMENT may be absent, and is NULL then. In a !@generic block, all of the block
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
my $code = $declarations =~ s{/\*.*?\*/}{ }gsr =~ s{\\\n}{ }gr =~ s{\s*^\{.*?^\}}{;}gmsr;

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

# (type of the result, declarations of arguments)
sub declaration_of
{
    my ($function) = @_;
    my ($result, $list) = $code =~ /^[ \t]*(?:KEEL_MPI_PUBLIC\s+)?((?:const )?\w+[ \n\*]+)\Q$function\E\(([^;{]*)\);/m
        or die "$template: no prototype of $function\n";
    return ($result =~ s/^\s+|\s+$//gr, grep { $_ ne 'void' } split_arguments($list));
}

# The interface of a C function or of one that C calls.
sub interface
{
    my ($name, $bind, $result, @arguments) = @_;
    my $dummies = join ', ', map { $_->[0] =~ s/\(\*\)//r } @arguments;
    my $kind = $result eq 'void' ? 'subroutine' : 'function';
    my $text = "    $kind $name($dummies) &\n      $bind";
    $text .= ' result(outcome)' if $kind eq 'function';
    $text .= "\n      import\n";
    $text .= "      $_->[1] :: $_->[0]\n" for @arguments;
    $text .= '      ' . ($result =~ /\*/ ? 'type(c_ptr)' : $types{$result}) . " :: outcome\n" if $kind eq 'function';
    return "$text    end $kind $name\n";
}

sub c_name { my ($function) = @_; return $function =~ s/^keel_(mpi_)?(f_)?/c_/r }

sub c_function
{
    my ($function) = @_;
    my ($result, @list) = declaration_of($function);
    return interface(c_name($function), "bind(c, name='$function')", $result, map { [argument($_)] } @list);
}

# What C functions of these files the template calls, in the order of the files.
sub called
{
    my ($text) = @_;
    my %is_called = map { $_ => 1 } $text =~ /\bc_\w+(?=\()/g;
    my (%first, @functions);
    for my $function ($code =~ /\b(keel_\w+)\([^;{]*\);/g) {
        my $name = c_name($function);
        next if !$is_called{$name};
        push @functions, $name if !exists $first{$name};
        $first{$name} = $function;
    }
    return @first{@functions};
}

sub callback
{
    my ($name, $in, $member) = @_;
    my ($text) = $code =~ /^((?:struct \Q$in\E \{.*?^\}|[\w ]+ \Q$in\E\([^;{]*\));)/ms or die "$template: no $in\n";
    my $declared = defined $member ? qr/(\w+) \(\*\Q$member\E\)/ : qr/(\w+) \Q$in\E/;
    my ($result, $list) = $text =~ /$declared\(([^;()]*)\)/ or die "$template: no $in $member\n";
    my @arguments = map { [argument($_)] } split_arguments($list);
    $_->[1] =~ s/intent\(inout\)/intent(out)/ for @arguments;
    return interface($name, 'bind(c)', $result, @arguments);
}

# --- procedures that only pass on what they get ---

# What a procedure has for an argument of a C function: name => of its own argument, is => the type of that, passed =>
# what the function gets, local => declarations, first => statements before. wide: whole numbers are of any kind.
sub passed_on
{
    my ($prefix, $text, $wide) = @_;
    return (name => $1, is => "procedure($prefix$1)", passed => "c_funloc($1)") if $text =~ /\(\*(\w+)\)\(/;
    my ($type, $stars, $name) = $text =~ /^(?:const )?(.*?) ?(\**)(\w+)$/ or die "$template: '$text' is no argument\n";
    if ($type =~ /^struct (\w+)_report$/) {
        return (name => 'figures', is => "type($1_figures), intent(out)", passed => 'figures',
            first => "    figures%struct_size = c_sizeof(figures)\n");
    } elsif ($type =~ /^struct (\w+)$/) {
        my $intent = $stars eq '**' ? 'inout' : 'in';
        return (name => $name, is => "type($1), intent($intent)", passed => "$name%handle");
    } elsif ($type eq 'MPI_Fint' && $name =~ /^(comm|survivors|type|op)$/) {
        $name = 'datatype' if $name eq 'type';
        my $kind = $name eq 'survivors' ? 'comm' : $name;
        return (name => $name, is => "{$kind}, intent(in)", passed => "$name\{value}");
    } elsif ($type eq 'char') {
        return (
            name => $name,
            is => 'character(len=*), intent(in)',
            passed => 'c_loc(text)',
            local => "    character(kind=c_char, len=:), allocatable, target :: text\n",
            first => "    text = trim($name)//c_null_char\n",
        );
    } elsif ($type eq 'void' && $name eq 'data') {
        return (name => $name, is => 'type(c_ptr), intent(in)', passed => $name);
    } elsif ($type eq 'void') {
        my $intent = $name eq 'buffer' ? 'intent(inout), target, contiguous' : 'intent(in), target';
        return (name => $name, is => "type(*), $intent", of => '(..)', passed => "c_loc($name)");
    } elsif ($type =~ /^(int|MPI_Fint)$/) {
        my ($intent, $first) = $stars eq '' ? ('in', '') : ('out', "    $name = -1\n");
        return (name => $name, is => "integer, intent($intent)", passed => $name, first => $first);
    } elsif ($type eq 'double') {
        return (name => $name, is => 'real(real64), intent(in)', passed => $name);
    } elsif ($wide) {
        my $kind = $types{$type} =~ /\((\w+)\)/ ? $1 : '';
        return (name => $name, is => 'integer({int}), intent(in)', passed => "int($name, $kind)");
    }
    my $intent = $stars eq '' ? 'in' : 'out';
    return (name => $name, is => "integer(int64), intent($intent)", passed => $name);
}

# The same for an argument that may be absent, a pointer in C: text, or an array, whose halo is written.
sub made_optional
{
    my (%argument) = @_;
    my ($name, $given) = ($argument{name}, "given_$argument{name}");
    my ($local, $first) = ($argument{local} // '', $argument{first} // '');
    my $is = $argument{is} =~ s/intent\(in\), target/intent(inout), target/r;
    return (
        %argument,
        is => "$is, optional",
        passed => $given,
        local => "    type(c_ptr) :: $given\n$local",
        first => "    $given = c_null_ptr\n    if (present($name)) then\n"
            . ($first =~ s/^(?=.)/  /gmr) . "      $given = $argument{passed}\n    end if\n",
    );
}

sub pass_on
{
    my ($function, $name, $wide, $optional) = @_;
    my ($result, @list) = declaration_of($function);
    my ($prefix) = $function =~ /^(keel_mpi_(?:objects|rows)_)/;
    my ($locals, $first, @names, @passed) = ('', '');
    my $declared = '';
    for my $text (@list) {
        my %argument = passed_on($prefix, $text, $wide);
        %argument = made_optional(%argument) if $argument{name} eq ($optional // '');
        push @names, $argument{name};
        push @passed, $argument{passed};
        $declared .= "    $argument{is} :: $argument{name}" . ($argument{of} // '') . "\n";
        $locals .= $argument{local} // '';
        $first .= $argument{first} // '';
    }
    my $call = c_name($function) . '(' . join(', ', @passed) . ')';
    if ($result ne 'void') {
        push @names, 'ierr';
        $declared .= "    integer, intent(out), optional :: ierr\n";
        $call = "give($call, ierr)";
    }
    my $head = "  subroutine $name(" . join(', ', @names) . ")\n";
    return "$head$declared$locals\n$first    call $call\n  end subroutine $name\n";
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

$source =~ s{^(!\@generic \w+([ \w]*)\n)!\@call keel_mpi_(\w+)\n}{
    my ($head, $sets, $function) = ($1, $2, $3);
    $head . pass_on("keel_mpi_$function", $function =~ s/^f_//r . '{n}', $sets =~ / INT\b/);
}gme;
$source =~ s{^!\@call keel_mpi_(\w+)(?: (\w+))?\n}{pass_on("keel_mpi_$1", 'keel_mpi_' . $1 =~ s/^f_//r, 0, $2)}gme;

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
    my @names = grep { !$seen{$_}++ } @generics, grep { /^keel_/ } names_of($source), $source =~ /^!\@callback (\w+)/gm;
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
    } elsif ($line =~ /^!\@c$/) {
        print join "\n", map { c_function($_) } called($source);
    } elsif ($line =~ /^!\@callback (\w+) (\w+)(?: (\w+))?$/) {
        print callback($1, $2, $3);
    } elsif ($line =~ /^!\@generics$/) {
        print generic_interfaces();
    } elsif ($line =~ /^!\@/) {
        die "$template: $line";
    } else {
        print $line;
    }
}
