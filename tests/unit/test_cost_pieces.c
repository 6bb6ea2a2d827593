/* test_cost_pieces.c -- pieces pay for wider keys where threads are few, as measured.
 * SPDX-License-Identifier: MIT
 */
#include "sort/run/cost.h"
#include "tests/unit/check.h"

int main(void)
{
    CHECK(gs_cost_pieces_pay(2) == (GS_KEY_BITS > 32));
    CHECK(!gs_cost_pieces_pay(4));
    CHECK(!gs_cost_pieces_pay(16));
    return check_failures();
}
