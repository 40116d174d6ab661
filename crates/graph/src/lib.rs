//! Order, rounds, critical path and layers of a task graph.
