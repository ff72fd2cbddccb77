# SPDX-License-Identifier: Apache-2.0
"""The stages of a conversion: capture, translate, check, prove, host and report, one module each, and what
they share: the folder of a port, its ledger, the queue of assemblies."""
