//! Entropy, exact samplers, and mechanisms whose privacy maps are theorems.
