#pragma once

/// From now on the disk has room for so many bytes and no more, as this process sees it.
void full_disk_after(long long bytes);
