//! Starts JVMs from a launch recipe and speaks the protocol with their agents.
