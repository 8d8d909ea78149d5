# For tests of keel report. Sourced after tests/support/tap.sh.
source tests/omp_ext/command/command.sh

unset OMP_NUM_THREADS OMP_DYNAMIC OMP_PROC_BIND OMP_PLACES GOMP_CPU_AFFINITY
export OMP_WAIT_POLICY=passive
reported=$(keel_path tests/omp_ext/command/report/reported)

# figures FILE EXPRESSION: of a report in JSON; $_ is the report, p(N) its processes, l(N, FUNCTION, KIND) the one of its
# loops there that loses most.
figures()
{
    perl -MJSON::PP -0ne '
        sub p { $_->{processes}[$_[0]] }
        sub l { my ($of, $function, $kind) = @_; (sort { $b->{lost_s} <=> $a->{lost_s} } grep { $_->{function} eq $function && $_->{kind} =~ $kind } @{p($of)->{loop}})[0] }
        $_ = decode_json($_);
        print join " ", map { ref eq "JSON::PP::Boolean" ? 0 + $_ : $_ } '"$2" "$1"
}
