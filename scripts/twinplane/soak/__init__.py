"""A random search for drives, workloads and policies that break the simulator (docs/soak.md)."""
