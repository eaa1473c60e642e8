"""Keeps what the default model makes of the background's sentences, after one of either changed.

python -m benchmarks.tools.keep_background
"""

from __future__ import annotations

import numpy as np

from memories.engine.calibration.background_similarity import KEPT, embed_background, join_sentences
from memories.engine.local.embedder import LocalE5


def main() -> None:
    np.savez_compressed(
        KEPT, means=embed_background(LocalE5()).astype(np.float32), sentences=join_sentences()
    )
    print(f"{KEPT.name}: {KEPT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
