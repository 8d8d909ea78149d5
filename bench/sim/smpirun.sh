# Programs under SimGrid's smpirun. Sourced from the workspace root.
#
#   sim_platform FOLDER ... -> FOLDER/platform.xml, FOLDER/hosts -> sim_run ... PROGRAM

# sim_host NUMBER SPEED LATENCY BANDWIDTH: a host and its own link to the others.
sim_host()
{
    printf '    <host id="n%s" speed="%sf"/>\n' "$1" "$2"
    printf '    <link id="up%s" bandwidth="%s" latency="%s"/>\n' "$1" "$4" "$3"
    printf '    <link id="down%s" bandwidth="%s" latency="%s"/>\n' "$1" "$4" "$3"
    printf '    <host_link id="n%s" up="up%s" down="down%s"/>\n' "$1" "$1" "$1"
}

# sim_platform FOLDER LATENCY BANDWIDTH SPEED...: describes one host per SPEED (floating-point
# operations per second, as 2.5G), each with a link of LATENCY (as 20us) and BANDWIDTH (as 125MBps)
# to a switch that never is the bottleneck.
sim_platform()
{
    local folder=$1 latency=$2 bandwidth=$3 speed number=0
    shift 3
    {
        printf "<?xml version='1.0'?>\n"
        printf '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        printf '<platform version="4.1">\n  <zone id="all" routing="Cluster">\n'
        for speed; do
            sim_host "$number" "$speed" "$latency" "$bandwidth"
            number=$((number + 1))
        done
        printf '    <router id="switch"/>\n  </zone>\n</platform>\n'
    } >"$folder/platform.xml"
    seq -f 'n%.0f' 0 $(($# - 1)) >"$folder/hosts"
}

# sim_run PLATFORM HOSTS RANKS PROGRAM [ARGUMENT...]: rank after rank on the hosts that the file
# HOSTS names, for SIM_SECONDS (600) at most, which is said where it ends one. Only messages, sleeps
# and smpi_execute_flops() take simulated time. Looking for a message in vain takes 1 us; by itself
# SMPI would take 100, and more each time. Small messages travel at once, not once they are received.
# SIM_FLAGS: more options of smpirun, separated by blanks. Returns its status, 124 out of time.
sim_run()
{
    local status=0
    timeout --kill-after=10 "${SIM_SECONDS:-600}" smpirun -platform "$1" -hostfile "$2" -np "$3" \
        --cfg=smpi/simulate-computation:no --cfg=smpi/grow-injected-times:no \
        --cfg=smpi/test:1e-6 --cfg=smpi/iprobe:1e-6 \
        --cfg=smpi/allgather:bruck --cfg=smpi/async-small-thresh:65536 \
        --log=root.thres:error --log=smpi_mpi.thres:critical ${SIM_FLAGS:-} "${@:4}" </dev/null ||
        status=$?
    [ "$status" != 124 ] ||
        echo "keel: a simulation was ended after ${SIM_SECONDS:-600} s: ${*:4}" >&2
    return "$status"
}
