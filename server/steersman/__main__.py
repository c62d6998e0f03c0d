"""``python -m steersman``."""

import sys

from steersman.cli import main

sys.exit(main())
