/* shares_highway.cc -- count and collect a share's keys, by vectors. Built with HIGHWAY=1 only.
 * SPDX-License-Identifier: MIT
 *
 * Compiled once for each instruction set; Highway chooses the best that the processor has.
 */
#include "sort/ways/shares_highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sort/ways/shares_highway.cc"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gsort
{
namespace HWY_NAMESPACE
{
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<gs_key>;

void Count(const gs_share &share, const gs_key *keys, size_t count, uint64_t *counts)
{
    const Tag d;
    const size_t lanes = hn::Lanes(d);
    const auto equal = hn::Set(d, share.equal);
    const auto last = hn::Set(d, share.last);
    size_t below = 0, above = 0, behind = 0, i = 0;
    for (; i + lanes <= count; i += lanes) {
        const auto k = hn::LoadU(d, keys + i);
        below += hn::CountTrue(d, hn::Lt(k, equal));
        above += hn::CountTrue(d, hn::Gt(k, equal));
        behind += hn::CountTrue(d, hn::Gt(k, last));
    }
    for (; i < count; i++) {
        below += keys[i] < share.equal;
        above += keys[i] > share.equal;
        behind += keys[i] > share.last;
    }
    counts[0] += below;
    counts[1] += count - above;
    counts[2] += count - behind;
}

/* Where keys are appended. Near the end a vector is stored key by key, since others' keys
 * follow. */
struct Part {
    gs_key *to, *end;

    bool append(gs_key key)
    {
        if (to == end)
            return false;
        *to++ = key;
        return true;
    }
};

template <class V, class M> HWY_INLINE bool Append(Part &part, V keys, M wanted)
{
    const Tag d;
    const size_t lanes = hn::Lanes(d);
    if (HWY_LIKELY(part.end - part.to >= static_cast<ptrdiff_t>(lanes))) {
        hn::StoreU(hn::Compress(keys, wanted), d, part.to);
        part.to += hn::CountTrue(d, wanted);
        return true;
    }
    const size_t count = hn::CountTrue(d, wanted);
    if (count == 0 || count > static_cast<size_t>(part.end - part.to))
        return count == 0;
    HWY_ALIGN gs_key kept[hn::MaxLanes(Tag())];
    hn::Store(hn::Compress(keys, wanted), d, kept);
    for (size_t i = 0; i < count; i++)
        *part.to++ = kept[i];
    return true;
}

bool Take(const gs_share &share, const gs_key *keys, size_t count, gs_share_room *room)
{
    const Tag d;
    const size_t lanes = hn::Lanes(d);
    const auto low = hn::Set(d, share.low);
    const auto equal = hn::Set(d, share.equal);
    const auto last = hn::Set(d, share.last);
    Part below{room->below, room->below_end}, above{room->above, room->above_end};
    bool fits = true;
    size_t i = 0;
    if (above.to == above.end) { /* mostly: no key is very frequent */
        for (; i + lanes <= count && fits; i += lanes) {
            const auto k = hn::LoadU(d, keys + i);
            fits = Append(below, k, hn::AndNot(hn::Lt(k, low), hn::Lt(k, equal)));
        }
    } else {
        for (; i + lanes <= count && fits; i += lanes) {
            const auto k = hn::LoadU(d, keys + i);
            fits = Append(below, k, hn::AndNot(hn::Lt(k, low), hn::Lt(k, equal))) &&
                   Append(above, k, hn::AndNot(hn::Gt(k, last), hn::Gt(k, equal)));
        }
    }
    for (; i < count && fits; i++) {
        const gs_key key = keys[i];
        if (key >= share.low && key < share.equal)
            fits = below.append(key);
        else if (key > share.equal && key <= share.last)
            fits = above.append(key);
    }
    room->below = below.to;
    room->above = above.to;
    return fits;
}

} // namespace HWY_NAMESPACE
} // namespace gsort
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gsort
{
HWY_EXPORT(Count);
HWY_EXPORT(Take);

/* These must be in the namespace: if only one instruction set is compiled, Highway qualifies the
 * name with it. */
static void count_best(const gs_share &share, const gs_key *keys, size_t count, uint64_t *counts)
{
    HWY_DYNAMIC_DISPATCH(Count)(share, keys, count, counts);
}

static bool take_best(const gs_share &share, const gs_key *keys, size_t count, gs_share_room *room)
{
    return HWY_DYNAMIC_DISPATCH(Take)(share, keys, count, room);
}
} // namespace gsort

void gs_share_count(const struct gs_share *share, const gs_key *keys, size_t count,
                    uint64_t counts[3])
{
    gsort::count_best(*share, keys, count, counts);
}

bool gs_share_take(const struct gs_share *share, const gs_key *keys, size_t count,
                   struct gs_share_room *room)
{
    return gsort::take_best(*share, keys, count, room);
}
#endif
