# lint_house.awk -- check who includes what in the rooms of sort/ and around them
# SPDX-License-Identifier: MIT
#
# usage: awk -f lint_code.awk -f lint_house.awk FILE...   with all sources of the tree
#
# Prints FILE:LINE: what for each finding, and exits 1 if there is one. A header at the root of
# sort/ belongs to the room that defines its functions; sort/X/u32 and the like are part of a room.

BEGIN {
    # The house from the ground up; rooms on one floor do not know each other.
    floors = split("common | common/memory common/formats | common/files |" \
        " types | check | keys | bin device | split | run | cpu merge |" \
        " ways gpu | pipeline engines | sorter | tags | external | wide width shuffle |" \
        " api | cluster files | library | cli data | tests", floor_rooms, "|")
    for (i = 1; i <= floors; i++) {
        rooms = split(floor_rooms[i], names, " ")
        for (j = 1; j <= rooms; j++)
            floor[names[j]] = i
    }
    home["sort/sort.h"] = "api"
    home["sort/gsort.h"] = "library"
    home["sort/cluster.h"] = "cluster"
    home["sort/files.h"] = "files"
}

function found(file, line, what)
{
    print file ":" line ": " what
    findings++
}

# Return the room that a file belongs to, or "".
function room_of(path,    parts, n)
{
    if (path in home)
        return home[path]
    n = split(path, parts, "/")
    if (parts[1] == "common" && n > 2)
        return parts[1] "/" parts[2]
    return n > 1 + (parts[1] == "sort") ? parts[1 + (parts[1] == "sort")] : ""
}

# Return the node of the include graph that a file belongs to: X.c and X.h are one.
function node_of(path,    parts, n)
{
    n = split(path, parts, "/")
    if (path in home)
        path = "sort/" home[path] "/" parts[n]
    sub(/\.[a-z]+$/, "", path)
    return path
}

function check_include(line,    target, to)
{
    target = line
    sub(/^[^"]*"/, "", target)
    sub(/".*/, "", target)
    to = room_of(target)
    if (!(to in floor))
        found(FILENAME, FNR, "may not include " target ", which is in no room")
    else if (room in floor && room != to && floor[to] >= floor[room])
        found(FILENAME, FNR, "may not include " target ": " to " is not below " room)
    else if (room == "cli" && target ~ /^sort\/.*\//)
        found(FILENAME, FNR, "may not include " target ": cli includes headers of sort/ itself")
    else if (room == "data" && to !~ /^(data|common(\/formats)?)$/)
        found(FILENAME, FNR, "may not include " target ": data shares no code with a sort")
    to = node_of(target)
    if (to == node || (node, to) in edge_line)
        return
    edge_line[node, to] = FNR
    edge_file[node, to] = FILENAME
    edges[node] = edges[node] " " to
}

# Code for one processor, which would break the build on another, is in u32/ and device/.
function check_vectors(code)
{
    if (FILENAME ~ /^sort\// && FILENAME !~ /^sort\/([a-z]+\/u32|device)\// &&
        code ~ /(^|[^A-Za-z0-9_])(_mm(256|512)?_|__m(128|256|512)|__mmask)|<[a-z]*intrin\.h>/)
        found(FILENAME, FNR, "code for vectors of 32-bit keys is in u32/")
}

# Report a shortest circle of includes through a node, if there is one.
function find_circle(start,    queue, first, last, from, to, list, n, i, path, step)
{
    for (step in previous)
        delete previous[step]
    queue[1] = start
    last = 1
    for (first = 1; first <= last; first++) {
        from = queue[first]
        n = split(edges[from], list, " ")
        for (i = 1; i <= n; i++) {
            to = list[i]
            if (to in previous)
                continue
            previous[to] = from
            queue[++last] = to
            if (to != start)
                continue
            path = start
            do {
                step = to
                to = previous[to]
                path = to " > " path
            } while (to != start)
            path = "is in a circle of includes: " path
            found(edge_file[start, step], edge_line[start, step], path)
            return
        }
    }
}

FNR == 1 {
    node = node_of(FILENAME)
    room = room_of(FILENAME)
    nodes[node]
    in_comment = 0
    if (!(room in floor))
        found(FILENAME, 1, "is in no room")
}

/^ *# *include *"/ {
    check_include($0)
}

{
    check_vectors(code_of($0))
}

END {
    for (node in nodes)
        find_circle(node)
    exit findings > 0
}
