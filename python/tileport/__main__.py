# SPDX-License-Identifier: Apache-2.0
"""``python -m tileport`` is the ``tileport`` command."""

from tileport.cli import main

main()
