#pragma once

/// How often the threads named `capture` have allocated; -1 where that can't be counted.
long capture_allocations(void);
