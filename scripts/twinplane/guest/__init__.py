"""A Linux guest from Debian's packages for drives of `twinplane serve`; scripts/linux-demo is its command."""
