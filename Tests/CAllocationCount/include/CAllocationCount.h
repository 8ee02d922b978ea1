#pragma once

/// From here on it is counted what threads named `capture` allocate.
void count_capture_allocations(void);
/// How often the threads named `capture` have allocated since; -1 where that can't be counted.
long capture_allocations(void);
