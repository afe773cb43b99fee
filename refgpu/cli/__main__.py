"""``python -m refgpu.cli``."""

import sys

from . import main

sys.exit(main())
